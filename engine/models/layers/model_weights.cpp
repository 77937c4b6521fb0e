// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/model_weights.h"

namespace meshreel {

PackedMatrix loadLinear(const Checkpoint& checkpoint, const std::string& name, std::int64_t outFeatures,
                        std::int64_t inFeatures) {
    const Tensor bias = checkpoint.get(name + ".bias", {outFeatures});
    return PackedMatrix::pack(checkpoint.get(name + ".weight", {outFeatures, inFeatures}), &bias);
}

PackedMatrix loadLinearWithoutBias(const Checkpoint& checkpoint, const std::string& name,
                                   std::int64_t outFeatures, std::int64_t inFeatures) {
    return PackedMatrix::pack(checkpoint.get(name + ".weight", {outFeatures, inFeatures}));
}

Tensor loadF32(const Checkpoint& checkpoint, const std::string& name, const Shape& shape) {
    return checkpoint.get(name, shape).toF32();
}

}  // namespace meshreel
