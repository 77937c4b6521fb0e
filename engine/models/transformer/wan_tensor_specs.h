// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/tensor/dtype.h"
#include "engine/weights/tensor_spec.h"

namespace meshreel {

/// The tensors that every checkpoint of such a transformer holds, all of `dtype`.
std::vector<TensorSpec> wanTensors(const WanTransformerConfig& config, DType dtype);

}  // namespace meshreel
