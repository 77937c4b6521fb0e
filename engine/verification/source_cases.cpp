// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/source_cases.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/error.h"
#include "engine/checks/guidance_choice.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/families/model_family.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/project/project.h"
#include "engine/sampling/guidance.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

using nlohmann::json;

/// Of latents [T, h, w] in patches of 1 x 2 x 2.
TokenGrid gridOfLatents(const json& latents, std::int64_t source) {
    constexpr std::int64_t patch = 2;
    return {.frames = latents.at(0).get<std::int64_t>(),
            .rows = latents.at(1).get<std::int64_t>() / patch,
            .columns = latents.at(2).get<std::int64_t>() / patch,
            .source = source};
}

/// So many files, as a key of the project names them.
std::string filesNamed(std::int64_t count) {
    std::string names;
    for (std::int64_t file = 0; file < count; ++file)
        names += fmt::format("{}{}.png", file == 0 ? "" : ", ", file);
    return names;
}

/// A project with as many files and the scales of a variant.
Project projectOf(const json& params) {
    const json& scales = params.at("scales");
    Project project;
    project.video = filesNamed(params.at("videos").get<std::int64_t>());
    project.referenceImages = filesNamed(params.at("pictures").get<std::int64_t>());
    project.guidanceScale = scales.at("prompt").get<double>();
    project.guidanceScaleImage = scales.at("image").get<double>();
    project.guidanceScaleVideo = scales.at("video").get<double>();
    return project;
}

std::vector<TokenGroup> sourcesOf(const SafetensorsFile& golden, const std::string& variant,
                                  std::size_t count) {
    std::vector<TokenGroup> sources;
    for (std::size_t index = 1; index <= count; ++index)
        sources.push_back({.latents = golden.get(fmt::format("{}.in.source{}", variant, index)),
                           .source = static_cast<std::int64_t>(index)});
    return sources;
}

}  // namespace

void verifySourceRotation(const Execution& /*execution*/, const GoldenFiles& files,
                          GoldenComparison& comparison) {
    files.requireClass("apply_rotary_source_id");
    comparison = GoldenComparison(files.tensors(),
                                  [](const std::string& name) { return !name.ends_with(".segments"); });
    for (const auto& [variant, params] : files.description().at("params").items()) {
        std::vector<TokenGrid> grids{gridOfLatents(params.at("target"), 0)};
        for (const json& source : params.at("sources"))
            grids.push_back(gridOfLatents(source.at("shape"), source.at("source_id").get<std::int64_t>()));
        std::int64_t tokens = 0;
        for (const TokenGrid& grid : grids)
            tokens += grid.tokens();
        const RotaryTable table = rotaryTable(grids, params.at("head_dim").get<std::int64_t>(), 0, tokens);
        comparison.compare(variant + ".cos", table.cos, files.outputTolerance());
        comparison.compare(variant + ".sin", table.sin, files.outputTolerance());
    }
}

void verifySourcePasses(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("WanTransformer3DModel");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const SafetensorsFile& golden = comparison.golden();
    const WanTransformerConfig config =
        WanTransformerConfig::fromJson(files.json("config.json"), files.place("config.json"));
    const Checkpoint weights = files.weights();
    const WanTransformer transformer(config, weights, planAttentions({}, config), {}, {}, nullptr, {},
                                     execution.memory());
    LoneDevice lone(execution);
    for (const auto& [variant, params] : files.description().at("params").items()) {
        const Project project = projectOf(params);
        const GuidedPasses passes = chooseGuidance(project, WanTask::SourcesToVideo, 1, 1);
        const std::vector<TokenGroup> sources =
            sourcesOf(golden, variant, countGroups(project, WanTask::SourcesToVideo).all());
        std::vector<Tensor> predictions;
        for (const GuidedPass& pass : passes) {
            const auto seen = static_cast<std::ptrdiff_t>(pass.groups);
            const WanInputs inputs{.latents = golden.get(variant + ".in.hidden_states"),
                                   .timesteps = golden.get(variant + ".in.timestep"),
                                   .groups = {sources.begin(), sources.begin() + seen}};
            const std::string text =
                pass.hearsPrompt ? ".in.encoder_hidden_states" : ".in.negative_encoder_hidden_states";
            const std::string output = fmt::format("{}.pass{}", variant, predictions.size());
            predictions.push_back(
                transformer.forward(lone.device(), inputs, {.text = golden.get(variant + text)}));
            comparison.compare(output, predictions.back(), files.outputTolerance());
        }
        comparison.compare(variant + ".guided", guide(predictions, passes), files.outputTolerance());
    }
}

}  // namespace meshreel
