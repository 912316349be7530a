// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "memory/ports.hpp"

#include <algorithm>
#include <bit>

namespace trnsim {
namespace {

template <typename Visit>
void for_each_bank(PsumBanks banks, Visit visit) {
  for (; banks != 0; banks &= banks - 1) visit(static_cast<std::size_t>(std::countr_zero(banks)));
}

}  // namespace

PortsIf::Grant Ports::query(const PortUse& use, Time at) {
  Grant grant{at, StallReason::PortConflict, use.fast_mode};
  const bool vector = use.engine == EngineKind::Vector, scalar = use.engine == EngineKind::Scalar,
             gpsimd = use.engine == EngineKind::GpSimd;
  const auto delay = [&](EngineKind holder, const Hold& hold, StallReason reason) {
    if (hold.until <= grant.from) return;
    grant = {hold.until, reason, grant.fast_mode, holder, hold.number};
  };
  if (config_.vector_gpsimd_share_sbuf && use.sbuf && (vector || gpsimd)) {
    const EngineKind sbuf_rival = vector ? EngineKind::GpSimd : EngineKind::Vector;
    delay(sbuf_rival, sbuf_until_[index(sbuf_rival)], StallReason::PortConflict);
  }
  const EngineKind psum_rival = vector ? EngineKind::Scalar : EngineKind::Vector;
  if (config_.vector_scalar_share_psum && use.psum_banks != 0 && (vector || scalar))
    delay(psum_rival, psum_until_[index(psum_rival)], StallReason::PortConflict);
  if (config_.psum_bank_exclusive && (vector || scalar)) {
    for_each_bank(use.psum_banks,
                  [&](std::size_t bank) { delay(psum_rival, bank_until_[index(psum_rival)][bank], StallReason::PsumBank); });
  }
  if (config_.fast_modes_share_gpsimd_bus && use.fast_mode) grant.fast_mode = sbuf_until_[index(EngineKind::GpSimd)].until <= grant.from;
  return grant;
}

void Ports::occupy(const PortUse& use, Time until) {
  const std::size_t engine = index(use.engine);
  if (use.sbuf) extend(sbuf_until_[engine], use, until);
  if (use.psum_banks == 0) return;
  extend(psum_until_[engine], use, until);
  for_each_bank(use.psum_banks, [&](std::size_t bank) { extend(bank_until_[engine][bank], use, until); });
}

}  // namespace trnsim
