// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <functional>
#include <string>

#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// Operands for a person: "acc[128,512] = lhs[128,128], rhs[128,512]". `name` finds a tensor's name.
void describe_operands(const Instruction& instruction, const std::function<std::string_view(TensorId)>& name, std::string& to);

}  // namespace trnsim
