// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_inputs.h"

#include <algorithm>

namespace meshreel {

WanConditions WanConditions::zeros(const WanTransformerConfig& config, std::int64_t videos) {
    WanConditions conditions{.text = Tensor::zeros({videos, 1, config.textDim})};
    if (config.imageDim > 0)
        conditions.image = config.imagePositions > 0
                               ? Tensor::zeros({2 * videos, config.imagePositions / 2, config.imageDim})
                               : Tensor::zeros({videos, 1, config.imageDim});
    return conditions;
}

}  // namespace meshreel
