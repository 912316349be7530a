// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "dma/hbm_router.hpp"

#include "sysc/process_module.hpp"

namespace trnsim {

HbmReservation HbmRouter::access(std::uint32_t core, std::uint64_t address, std::uint32_t bytes, bool write) {
  const HbmLayout::Location place = layout_->locate(address);
  HbmReservation answer = stacks[static_cast<int>(place.stack)]->reserve(now(), place.offset, bytes, write);
  answer.done += distance_;
  if (place.stack != layout_->home_stack(core)) answer.done += remote_;
  if (observer_ != nullptr) observer_->accessed({core, place.stack, write, bytes, now(), answer.done});
  return answer;
}

}  // namespace trnsim
