// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_tensor_specs.h"

#include "engine/models/transformer/wan_parameters.h"

namespace meshreel {

std::vector<TensorSpec> wanTensors(const WanTransformerConfig& config, DType dtype) {
    std::vector<TensorSpec> tensors;
    for (const WanLayer& layer : wanLayers(config))
        for (const WanParameter& parameter : layer.parameters)
            if (!parameter.optional)
                tensors.push_back(
                    {.name = layer.prefix + parameter.name, .dtype = dtype, .shape = parameter.shape});
    return tensors;
}

}  // namespace meshreel
