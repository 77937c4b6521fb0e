// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Receives a model's named intermediates ("block0.attn1_out"), for verification and tests; may be empty. The
/// tensor's memory is reused after the call: clone() what is kept.
using Probe = std::function<void(std::string_view name, const Tensor& value)>;

}  // namespace meshreel
