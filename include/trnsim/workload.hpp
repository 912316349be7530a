// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim {

using KernelParams = std::map<std::string, std::string>;

struct KernelParam {
  std::string name;
  std::string default_value;  ///< "" = required.
  std::string help;           ///< With the allowed values.
};

struct KernelInfo {
  std::string name;
  std::string summary;
  std::vector<KernelParam> params;
};

std::vector<KernelInfo> kernels();                     ///< In a stable order.
const KernelInfo& kernel_info(std::string_view name);  ///< WorkloadError with the nearest name.

/// Parses "m=1,n=2" lists; WorkloadError on a malformed or repeated key.
KernelParams parse_params(const std::vector<std::string>& lists);

/// Loop order, blocks, buffers and engines per step for these parameters on this chip, as text.
std::string describe_kernel(const std::string& name, const KernelParams& params, const ChipConfig& chip);

/// Builds the programs of a built-in kernel, one per core. Throws WorkloadError: unknown kernel or
/// parameter, a value that is not allowed, a type the generation lacks, tensors that exceed HBM (with
/// the sizes), more cores than the chip or the kernel has parts.
Workload make_kernel(const std::string& name, const KernelParams& params, const ChipConfig& chip, unsigned cores = 1);

/// Opens a trace (plain, gzip or zstd; "-" is stdin) as a one-core workload. The file is scanned once
/// before the run: every line is parsed and checked, `after` cycles and unused tiles are found, last
/// uses become releases. ProgramError names file, line and key; IoError the file.
Workload open_trace(const std::string& path, const ChipConfig& chip);
/// The same from an open regular file, which is taken over; messages call it `name`, and so does the workload its source.
Workload open_trace(int descriptor, const std::string& name, const ChipConfig& chip);

/// Writes a program as a trace to a stream; the text alone, compression is the caller's.
void write_trace(Program& program, std::ostream& out);

/// 64-bit hash of a program's canonical form (16 hex digits): a kernel and the trace written from it
/// have the same.
std::string program_hash(Program& program);

}  // namespace trnsim
