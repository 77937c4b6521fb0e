// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernels/linear/packed_matrix.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// A linear layer: NAME.weight [out, in] and NAME.bias [out], packed. Throws Error{Input} as Checkpoint::get.
PackedMatrix loadLinear(const Checkpoint& checkpoint, const std::string& name, std::int64_t outFeatures,
                        std::int64_t inFeatures);

/// The same without a bias.
PackedMatrix loadLinearWithoutBias(const Checkpoint& checkpoint, const std::string& name,
                                   std::int64_t outFeatures, std::int64_t inFeatures);

/// A tensor of this name and shape, as f32.
Tensor loadF32(const Checkpoint& checkpoint, const std::string& name, const Shape& shape);

}  // namespace meshreel
