// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/vae/wan_vae.h"
#include "tests/support/allocation_count.h"
#include "tests/support/random_tensor.h"

namespace meshreel::testing {

// What this thread allocates where it computes what it has computed before, in models of random weights that
// are too small for it to matter. For programs that link meshreel_test_allocations.

/// For one more chunk of a video that is decoded, behind the first two.
inline std::int64_t allocationsOfAChunk(const Execution& execution, const VaePrecision& precision) {
    nlohmann::json json = configOf(requireArchitecture("wan2.1-vae"));
    json["base_dim"] = 4;
    json["num_res_blocks"] = 1;
    const WanVaeConfig config = WanVaeConfig::fromJson(json, "a test");
    const RandomCheckpoint random(execution, requireArchitecture("wan2.1-vae").family.tensors(json));
    const WanVae vae(config, random.checkpoint(), precision, {}, execution.memory());
    LoneDevice lone(execution);
    // Allocations before it counted each chunk.
    std::vector<std::int64_t> counts;
    const auto decode = [&](std::int64_t frames) {
        counts.clear();
        counts.reserve(static_cast<std::size_t>(frames));
        const Tensor latents = randomTensor({1, config.zDim, frames, 1, 1}, 1);
        const VaeProgress count = [&](int, int) { counts.push_back(allocationsOfThisThread()); };
        static_cast<void>(vae.decodeFrames(lone.device(), 1, latents, {.progress = count}));
    };
    constexpr std::int64_t few = 3;
    constexpr std::int64_t many = 5;
    decode(few);
    decode(many);
    return (counts.at(many - 1) - counts.at(few - 1)) / (many - few);
}

/// For one more prompt in one more layer of a text encoder.
inline std::int64_t allocationsOfAPromptInALayer(const Execution& execution, Arithmetic arithmetic) {
    const auto encoding = [&](std::int64_t layers, std::size_t prompts) {
        nlohmann::json json = configOf(requireArchitecture("umt5-xxl"), layers);
        json["vocab_size"] = 32;
        json["d_model"] = 16;
        json["d_kv"] = 8;
        json["d_ff"] = 24;
        json["num_heads"] = 2;
        const RandomCheckpoint random(execution, requireArchitecture("umt5-xxl").family.tensors(json));
        const Umt5Encoder encoder(Umt5Config::fromJson(json, "a test"), random.checkpoint(), arithmetic,
                                  execution.memory());
        const Tensor ids = Tensor::from<std::int64_t>({1, 4}, {1, 2, 3, 0});
        const Tensor mask = Tensor::from<std::int64_t>({1, 4}, {1, 1, 1, 0});
        const std::vector<Umt5Input> inputs(prompts, {ids, mask});
        static_cast<void>(encoder.encode(execution, inputs));
        const std::int64_t before = allocationsOfThisThread();
        static_cast<void>(encoder.encode(execution, inputs));
        return allocationsOfThisThread() - before;
    };
    constexpr std::int64_t few = 1;
    constexpr std::int64_t many = 3;
    const auto ofPrompt = [&](std::int64_t layers) { return encoding(layers, many) - encoding(layers, few); };
    return (ofPrompt(many) - ofPrompt(few)) / ((many - few) * (many - few));
}

}  // namespace meshreel::testing
