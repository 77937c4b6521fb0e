// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/driving_cases.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/paired_keys.h"
#include "engine/attention/sharded_attention.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/device_mesh.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

using DrivingJson = nlohmann::json;

/// [1, tokens, heads, headDim] of a tensor of the case.
Tensor oneVideo(const SafetensorsFile& golden, const std::string& name) {
    const Tensor tensor = golden.get(name).clone();
    return tensor.reshaped({1, tensor.extent(0), tensor.extent(1), tensor.extent(2)});
}

Tensor attendPaired(const Execution& execution, const SafetensorsFile& golden, const std::string& variant,
                    const DrivingJson& given, std::string_view mode) {
    const FramePairs pairs{.tokensPerFrame = given.at("tokens_per_frame").get<std::int64_t>(),
                           .frames = given.at("frames").get<std::int64_t>()};
    const Tensor query = oneVideo(golden, variant + ".in.q");
    const PairedKeys paired{.pairs = pairs,
                            .key = {oneVideo(golden, variant + ".in.reference_k")},
                            .value = {oneVideo(golden, variant + ".in.reference_v")}};
    const std::vector<float> bias(static_cast<std::size_t>(pairs.frames), given.at("log_scale").get<float>());
    const std::vector<BiasedKeys> biased{
        {.keys = {pairs.tokensPerFrame, 2 * pairs.tokensPerFrame}, .ofFrames = bias}};
    const AttentionPlan plan = planAttention(
        {.mode = findAttentionMode(mode)},
        {.queryLength = pairs.queryLength(), .keyLength = pairs.queryLength(), .heads = query.extent(2)});
    Tensor out = Tensor::empty(query.shape());
    ScratchArena scratch;
    LoneDevice lone(execution);
    attendSharded(lone.device(), plan,
                  {.queryLength = pairs.queryLength(),
                   .keyLength = pairs.queryLength(),
                   .query = query,
                   .key = oneVideo(golden, variant + ".in.k"),
                   .value = oneVideo(golden, variant + ".in.v"),
                   .biasedKeys = biased,
                   .tokensPerFrame = pairs.tokensPerFrame,
                   .paired = &paired,
                   .scale = 1.0 / std::sqrt(static_cast<double>(query.extent(3)))},
                  out, scratch);
    return out.reshaped({out.extent(1), out.extent(2), out.extent(3)});
}

RotaryTable drivingRotary(const SafetensorsFile& golden, const std::string& variant,
                          const DrivingJson& given) {
    const auto columns = given.at("width_tokens").get<std::int64_t>();
    return rotaryTable({.frames = given.at("driving_frames").get<std::int64_t>(),
                        .rows = given.at("height_tokens").get<std::int64_t>(),
                        .columns = columns,
                        .firstFrame = 1,
                        .firstColumn = columns},
                       2 * golden.get(variant + ".cos").extent(1));
}

}  // namespace

void verifyDrivingAttention(const Execution& execution, const GoldenFiles& files,
                            GoldenComparison& comparison) {
    files.requireClass("_generation_attention");
    comparison = GoldenComparison(
        files.tensors(), [](const std::string& name) { return name.find(".in.") == std::string::npos; });
    const SafetensorsFile& golden = comparison.golden();
    for (const auto& [variant, given] : files.description().at("params").items()) {
        if (given.contains("driving_frames")) {
            const RotaryTable table = drivingRotary(golden, variant, given);
            comparison.compare(variant + ".cos", table.cos, files.outputTolerance());
            comparison.compare(variant + ".sin", table.sin, files.outputTolerance());
            continue;
        }
        const std::string output = variant + ".out";
        comparison.compare(output, attendPaired(execution, golden, variant, given, "dot_product"),
                           files.outputTolerance());
        comparison.compareAgain(output, output + " (flash)",
                                attendPaired(execution, golden, variant, given, "flash"),
                                files.outputTolerance());
    }
}

}  // namespace meshreel
