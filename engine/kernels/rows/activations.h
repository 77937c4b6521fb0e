// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/execution.h"

namespace meshreel {

/// In place, on the calling thread; NaN stays NaN.
using Activation = void(std::span<float> values);

/// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2: torch's gelu(approximate="tanh"), Hugging Face's "gelu_new".
void geluTanh(std::span<float> values);

/// x·(1 + erf(x/√2))/2: torch's gelu.
void geluErf(std::span<float> values);

/// x/(1 + e^-1.702x): transformers' quick_gelu.
void geluQuick(std::span<float> values);

/// x/(1 + e^-x).
void silu(std::span<float> values);

/// The activation over all values, the workers sharing them.
void activate(const Execution& execution, Activation& activation, std::span<float> values);

}  // namespace meshreel
