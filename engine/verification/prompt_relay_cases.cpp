// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/prompt_relay_cases.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/project/timed_prompt.h"
#include "engine/sampling/prompt_relay.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

using RelayJson = nlohmann::json;

std::vector<PromptSpan> spansOf(const TimedPrompt& prompt, const RelayJson& given) {
    std::vector<PromptSpan> spans;
    for (const TimedPart& part : prompt.parts)
        spans.push_back(spanOf(part, given.at("frames").get<std::int64_t>(), given.at("fps").get<double>()));
    return spans;
}

/// Whether the prompt is read into upstream's words and times.
bool readsAlike(const TimedPrompt& prompt, const std::vector<PromptSpan>& spans, const RelayJson& given) {
    constexpr double rounding = 1e-9;
    const RelayJson& segments = given.at("segments");
    if (prompt.global != given.at("global_prompt").get<std::string>() ||
        prompt.parts.size() != segments.size())
        return false;
    for (std::size_t part = 0; part < segments.size(); ++part)
        if (prompt.parts[part].text != segments[part].at("prompt").get<std::string>() ||
            std::abs(spans[part].begin - segments[part].at("start").get<double>()) > rounding ||
            std::abs(spans[part].end - segments[part].at("end").get<double>()) > rounding)
            return false;
    return true;
}

/// f32 [latent frames, keys]: 0, and of upstream's padding what its caller gives it.
Tensor biasTable(const std::vector<PromptSpan>& spans, const RelayJson& given) {
    const auto frames = given.at("latent_frames").get<std::int64_t>();
    const auto keys = given.at("keys").get<std::int64_t>();
    const auto padding = given.at("padding_bias").get<float>();
    Tensor table = Tensor::zeros({frames, keys});
    std::vector<LatentTime> times;
    for (std::int64_t frame = 0; frame < frames; ++frame)
        times.emplace_back(static_cast<double>(frame));
    const auto fill = [&](std::int64_t begin, std::int64_t end, const auto& valueOf) {
        for (std::int64_t frame = 0; frame < frames; ++frame)
            for (std::int64_t key = begin; key < end; ++key)
                MatrixSpan(table).row<float>(frame)[static_cast<std::size_t>(key)] = valueOf(frame);
    };
    fill(given.at("valid_keys").get<std::int64_t>(), keys, [&](std::int64_t) { return padding; });
    for (std::size_t part = 0; part < spans.size(); ++part) {
        const auto tokens = given.at("token_ranges").at(part).get<std::array<std::int64_t, 2>>();
        const std::vector<float> bias =
            relayBias({spans[part].begin, spans[part].end}, frames, given.at("epsilon").get<double>(), times);
        fill(tokens[0], tokens[1], [&](std::int64_t frame) { return bias[static_cast<std::size_t>(frame)]; });
    }
    return table;
}

}  // namespace

void verifyPromptRelay(const Execution& /*execution*/, const GoldenFiles& files,
                       GoldenComparison& comparison) {
    files.requireClass("PromptRelayMaskBuilder");
    comparison =
        GoldenComparison(files.tensors(), [](const std::string& name) { return name.ends_with(".bias"); });
    for (const auto& [variant, given] : files.description().at("params").items()) {
        if (given.at("hidden_frames").get<std::int64_t>() != 0)
            refuseCase(files,
                       sentence("The case hides frames in front of the video, which Meshreel never does"));
        const TimedPrompt prompt = readTimedPrompt(given.at("prompt").get<std::string>());
        const std::vector<PromptSpan> spans = spansOf(prompt, given);
        const bool same = readsAlike(prompt, spans, given);
        comparison.add({.output = variant + ".prompt",
                        .passed = same,
                        .note = same ? "" : "other words or times than upstream's"});
        if (same)
            comparison.compare(variant + ".bias", biasTable(spans, given), files.outputTolerance());
    }
}

}  // namespace meshreel
