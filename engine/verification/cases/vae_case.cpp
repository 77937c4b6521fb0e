// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "engine/models/vae/wan_vae.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

/// Only the README tells which variant is tiled: "t: with enable_tiling(tile 32x32, stride 24x24)" or
/// "t: enable_tiling(32, 32, 24, 24)", height first.
std::optional<VaeTiling> tilingOf(const std::string& readme, const std::string& variant) {
    const std::regex form("\\b" + variant +
                          R"(: [^;\n]*tile (\d{1,6})x(\d{1,6}), stride (\d{1,6})x(\d{1,6}))");
    const std::regex call("\\b" + variant +
                          R"(: [^;\n]*enable_tiling\((\d{1,6}), (\d{1,6}), (\d{1,6}), (\d{1,6})\))");
    std::smatch match;
    if (!std::regex_search(readme, match, form) && !std::regex_search(readme, match, call))
        return std::nullopt;
    return VaeTiling{std::stoll(match[1]), std::stoll(match[2]), std::stoll(match[3]), std::stoll(match[4])};
}

void verifyVariant(const Execution& execution, const WanVae& vae, const std::string& variant,
                   const VaeTiling* tiling, GoldenTolerance tolerance, GoldenComparison& comparison) {
    const Probe probe = comparison.probe(variant, tolerance);
    const std::string video = variant + ".in.video";
    if (comparison.golden().has(video)) {
        const WanVae::Posterior posterior =
            vae.encode(execution, comparison.golden().get(video), tiling, probe);
        comparison.compareOnce(variant + ".enc.mean", posterior.mean, tolerance);
        comparison.compareOnce(variant + ".enc.logvar", posterior.logvar, tolerance);
        comparison.compareOnce(variant + ".enc.latents_norm", vae.normalize(posterior.mean), tolerance);
    }
    const std::string latents = variant + ".in.z";
    if (comparison.golden().has(latents))
        comparison.compareOnce(variant + ".dec.out",
                               vae.decode(execution, comparison.golden().get(latents), tiling, probe),
                               tolerance);
}

}  // namespace

void verifyVae(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("AutoencoderKLWan");
    const nlohmann::json config = files.json("config.json");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const std::vector<std::string> variants = goldenVariants(comparison.golden());
    for (const std::string& variant : variants)
        requireKnownInputs(files, comparison.golden(), variant, {"video", "z"});

    const WanVae vae(WanVaeConfig::fromJson(config, files.place("config.json")), files.weights());
    const std::string readme = files.readme();
    for (const std::string& variant : variants) {
        const std::optional<VaeTiling> tiling = tilingOf(readme, variant);
        verifyVariant(execution, vae, variant, tiling ? &*tiling : nullptr, files.outputTolerance(),
                      comparison);
    }
}

}  // namespace meshreel
