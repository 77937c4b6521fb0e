// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/kernels/linear/arithmetic.h"

namespace meshreel {

/// Returns why oneDNN is wrong, by comparing small layers in bf16 or int8, as we pack them and as we stream
/// them, with integers that every order of adding makes exactly. Empty when all are right; else "it computes
/// bf16 layers wrong (12 of 703 values)".
std::string whyDnnlIsWrong(Arithmetic arithmetic);

}  // namespace meshreel
