// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <cstdio>
#include <trnsim/config/load.hpp>
#include <trnsim/error.hpp>
#include <trnsim/simulator.hpp>
#include <trnsim/workload.hpp>

int main() {
  try {
    std::vector<std::string> warnings;
    const trnsim::ChipConfig chip = trnsim::load_chip("trn2", {}, warnings);
    trnsim::Workload work = trnsim::make_kernel("matmul", trnsim::parse_params({"m=512,n=512,k=512"}), chip);
    const trnsim::Snapshot snapshot = trnsim::simulate(chip, work);
    std::printf("%.1f us\n", trnsim::to_ns(trnsim::Time{snapshot.end_fs}) / 1000);
    return snapshot.end_fs > 0 ? 0 : 1;
  } catch (const trnsim::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  }
}
