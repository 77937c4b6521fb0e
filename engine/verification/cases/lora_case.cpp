// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>

#include "engine/mesh/lone_device.h"
#include "engine/models/transformer/wan_transformer.h"
#include "engine/verification/golden_kinds.h"
#include "engine/weights/lora.h"

namespace meshreel {
namespace {

constexpr std::string_view inputPrefix = "in.";
constexpr std::string_view withoutAdapter = "base";

/// "FILE[@STRENGTH][#comfy|#diffusers]": what an output was made with.
struct AdapterRun {
    std::string file;
    double strength = 1.0;
    LoraScope scope = LoraScope::Everything;
};

std::optional<AdapterRun> parseRun(const std::string& name) {
    static const std::regex form(R"(([^@#]+)(?:@([0-9.]{1,12}))?(?:#(comfy|diffusers))?)");
    std::smatch match;
    if (!std::regex_match(name, match, form))
        return std::nullopt;
    return AdapterRun{.file = match[1].str() + ".safetensors",
                      .strength = match[2].matched ? std::stod(match[2]) : 1.0,
                      .scope = match[3] == "diffusers" ? LoraScope::LowRankLayers : LoraScope::Everything};
}

/// What stands in front of ".out" or ".W.TENSOR".
std::string runOf(const std::string& output) {
    const std::size_t weight = output.find(".W.");
    return output.substr(0, weight != std::string::npos ? weight : output.rfind('.'));
}

}  // namespace

void verifyLora(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("WanTransformer3DModel");
    comparison = GoldenComparison(files.tensors(),
                                  [](const std::string& name) { return !name.starts_with(inputPrefix); });
    const GoldenTolerance tolerance = files.outputTolerance();
    const WanTransformerConfig config =
        WanTransformerConfig::fromJson(files.json("config.json"), files.place("config.json"));
    std::map<std::string, std::vector<std::string>> outputsOf;
    for (const std::string& output : comparison.outputs())
        outputsOf[runOf(output)].push_back(output);
    const auto input = [&](const char* name) {
        return comparison.golden().get(std::string(inputPrefix) + name);
    };
    for (const auto& [name, outputs] : outputsOf) {
        Checkpoint weights = files.weights();
        const auto run = parseRun(name);
        if (!run || (name != withoutAdapter && !files.has(run->file)))
            continue;  // reported as not produced
        if (name != withoutAdapter)
            weights.addPatch(
                LoraAdapter::open(files.folder() / run->file, weights, run->strength, run->scope));
        for (const std::string& output : outputs)
            if (const std::size_t at = output.find(".W."); at != std::string::npos)
                comparison.compare(output, weights.get(output.substr(at + 3)), tolerance);
        const WanTransformer transformer(config, weights, {.mode = &requireAttentionMode("dot_product")});
        LoneDevice lone(execution);
        comparison.compare(
            name + ".out",
            transformer.forward(lone.device(),
                                {.latents = input("hidden_states"), .timesteps = input("timestep")},
                                WanConditions{.text = input("encoder_hidden_states")}),
            tolerance);
    }
}

}  // namespace meshreel
