// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/models/families/architecture_tensors.h"
#include "engine/models/transformer/wan_parameters.h"

namespace meshreel {
namespace {

/// Upstream's modules in their order, as far as it is not that in which layers are used.
constexpr std::array<std::string_view, 3> modulesBehindEmbeddings{"blocks.", "vace_blocks.", "face_adapter."};

std::size_t moduleOf(const WanLayer& layer, const std::string& name) {
    if (layer.place.role == WanLayerRole::Output)
        return modulesBehindEmbeddings.size() + 1;
    const auto* found = std::ranges::find_if(
        modulesBehindEmbeddings, [&](std::string_view module) { return name.starts_with(module); });
    return found == modulesBehindEmbeddings.end()
               ? 0
               : static_cast<std::size_t>(found - modulesBehindEmbeddings.begin()) + 1;
}

}  // namespace

std::vector<TensorSpec> wanTransformerTensors(const nlohmann::json& config) {
    std::array<TensorList, modulesBehindEmbeddings.size() + 2> modules;
    for (const WanLayer& layer : wanLayers(WanTransformerConfig::fromJson(config, "architecture")))
        for (const WanParameter& parameter : layer.parameters) {
            const std::string name = layer.prefix + parameter.name;
            modules[moduleOf(layer, name)].add(name, parameter.shape);
        }
    std::vector<TensorSpec> all;
    for (TensorList& module : modules) {
        const std::vector<TensorSpec> tensors = module.take();
        all.insert(all.end(), tensors.begin(), tensors.end());
    }
    return all;
}

}  // namespace meshreel
