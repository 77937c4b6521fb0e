// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "engine/mesh/lone_device.h"
#include "engine/models/wan_transformer.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

/// The first one is compared with its intermediates, the others by their result.
constexpr std::array attentionNames{"dot_product", "flash"};

AttentionSettings attentionNamed(const char* name) {
    return {.mode = &requireAttentionMode(name)};
}

/// Everything that cannot be run yet is refused before a model is made.
void requireTextToVideo(const GoldenFiles& files, const SafetensorsFile& golden, const std::string& variant) {
    requireKnownInputs(files, golden, variant, {"hidden_states", "timestep", "encoder_hidden_states"});
    if (golden.find(variant + ".in.timestep")->shape.rank() != 1)
        refuseCase(files, "gives every token a timestep of its own");
}

void verifyVariant(const Execution& execution, const WanTransformer& transformer, const std::string& variant,
                   GoldenTolerance tolerance, const char* attention, GoldenComparison& comparison) {
    const bool first = attention == attentionNames.front();
    const auto input = [&](const char* name) { return comparison.golden().get(variant + ".in." + name); };
    LoneDevice lone(execution);
    const Tensor out = transformer.forward(lone.device(), input("hidden_states"), input("timestep"),
                                           input("encoder_hidden_states"),
                                           first ? comparison.probe(variant, tolerance) : Probe{});
    if (first)
        comparison.compare(variant + ".out", out, tolerance);
    else
        comparison.compareAgain(variant + ".out", variant + ".out (" + attention + ")", out, tolerance);
}

}  // namespace

void verifyDit(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("WanTransformer3DModel");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const GoldenTolerance tolerance = files.outputTolerance();
    const std::vector<std::string> variants = goldenVariants(comparison.golden());
    for (const std::string& variant : variants)
        requireTextToVideo(files, comparison.golden(), variant);

    const WanTransformerConfig config =
        WanTransformerConfig::fromJson(files.json("config.json"), files.place("config.json"));
    const Checkpoint weights = files.weights();
    for (const char* attention : attentionNames) {
        const WanTransformer transformer(config, weights, attentionNamed(attention));
        for (const std::string& variant : variants)
            verifyVariant(execution, transformer, variant, tolerance, attention, comparison);
    }
}

}  // namespace meshreel
