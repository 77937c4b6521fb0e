// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/pipeline_call.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr std::string_view callMark = "Call:";
constexpr std::array<std::string_view, 12> knownArguments{"prompt",
                                                          "negative_prompt",
                                                          "num_inference_steps",
                                                          "guidance_scale",
                                                          "guidance_scale_2",
                                                          "max_sequence_length",
                                                          "height",
                                                          "width",
                                                          "num_frames",
                                                          "num_videos_per_prompt",
                                                          "strength",
                                                          "conditioning_scale"};

/// The first JSON object of the README's line that starts with "Call:"; null when there is none.
json callInReadme(const std::string& readme) {
    std::istringstream lines(readme);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t brace = line.find('{');
        if (!line.starts_with(callMark) || brace == std::string::npos)
            continue;
        std::istringstream rest(line.substr(brace));
        json call;
        try {
            rest >> call;  // stops behind the object
        } catch (const json::parse_error&) {
            return nullptr;
        }
        return call;
    }
    return nullptr;
}

/// A text, or a list of texts; none where the call has no such argument.
std::vector<std::string> textsOf(const json& call, const char* argument) {
    if (!call.contains(argument) || call[argument].is_null())
        return {};
    if (call[argument].is_string())
        return {call[argument].get<std::string>()};
    return call[argument].get<std::vector<std::string>>();
}

std::optional<std::int64_t> numberOf(const json& call, const char* argument) {
    const auto found = call.find(argument);
    return found != call.end() && found->is_number() ? std::optional(found->get<std::int64_t>())
                                                     : std::nullopt;
}

/// One number, or a list of numbers; 1 where the call has no such argument.
std::vector<double> scalesOf(const json& call, const char* argument) {
    if (!call.contains(argument) || call[argument].is_null())
        return {1.0};
    if (call[argument].is_number())
        return {call[argument].get<double>()};
    return call[argument].get<std::vector<double>>();
}

/// As diffusers: one negative prompt serves all prompts; without one it is empty.
std::vector<std::string> negativesFor(std::vector<std::string> negatives, std::size_t prompts) {
    if (negatives.empty())
        negatives.emplace_back();
    if (negatives.size() == 1)
        negatives.resize(prompts, std::string(negatives.front()));
    return negatives;
}

}  // namespace

PipelineCall readPipelineCall(const GoldenFiles& files) {
    const json call =
        files.description().contains("call") ? files.description()["call"] : callInReadme(files.readme());
    if (!call.is_object())
        throw Error(ErrorKind::Input, sentence("The case does not say how the pipeline was called"),
                    files.folder().string(),
                    sentence("Restore its README.md, whose line \"Call:\" holds the arguments"));
    for (const auto& [name, value] : call.items())
        if (std::ranges::find(knownArguments, name) == knownArguments.end())
            refuseCase(files, sentence("The case calls the pipeline with `{}`, which Meshreel cannot run yet",
                                       name));

    PipelineCall result;
    try {
        result.prompts = textsOf(call, "prompt");
        result.negativePrompts = negativesFor(textsOf(call, "negative_prompt"), result.prompts.size());
        result.videosPerPrompt = call.value("num_videos_per_prompt", result.videosPerPrompt);
        result.steps = call.value("num_inference_steps", result.steps);
        result.guidanceScale = call.value("guidance_scale", result.guidanceScale);
        result.guidanceScale2 = call.value("guidance_scale_2", result.guidanceScale);
        result.height = numberOf(call, "height");
        result.width = numberOf(call, "width");
        result.frames = numberOf(call, "num_frames");
        result.strength = call.value("strength", result.strength);
        result.conditioningScales = scalesOf(call, "conditioning_scale");
        result.maxSequenceLength = call.value("max_sequence_length", result.maxSequenceLength);
    } catch (const json::exception&) {
        throw Error(ErrorKind::Input,
                    sentence("An argument of the pipeline call is of the wrong type: {}", call.dump()),
                    files.folder().string(), sentence("Restore the golden case"));
    }
    return result;
}

}  // namespace meshreel
