// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/golden_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {
namespace {

std::string_view verdict(const GoldenRow& row) {
    if (row.informational)
        return "info";
    return row.passed ? "ok" : "FAIL";
}

}  // namespace

bool GoldenReport::passed() const {
    const auto decides = [](const GoldenRow& row) { return !row.informational; };
    return std::ranges::any_of(rows, decides) &&
           std::ranges::all_of(rows, [](const GoldenRow& row) { return row.informational || row.passed; });
}

std::string formatReport(const GoldenReport& report) {
    std::size_t width = std::string_view("output").size();
    for (const GoldenRow& row : report.rows)
        width = std::max(width, row.output.size());

    std::string text = fmt::format("{}: kind {}{}\n", report.folder.string(), report.kind,
                                   report.className.empty() ? "" : ", class " + report.className);
    text += fmt::format("  {:<{}}  {:>12}  {:>12}\n", "output", width, "max abs err", "allowed");
    for (const GoldenRow& row : report.rows)
        text += fmt::format("  {:<{}}  {:>12.3e}  {:>12.3e}  {}{}\n", row.output, width, row.maxAbsError,
                            row.allowed, verdict(row), row.note.empty() ? "" : "  " + row.note);

    const auto decides = [](const GoldenRow& row) { return !row.informational; };
    const auto good = [](const GoldenRow& row) { return !row.informational && row.passed; };
    text +=
        fmt::format("{}: {} of {} outputs hold\n", report.passed() ? "PASSED" : "FAILED",
                    std::ranges::count_if(report.rows, good), std::ranges::count_if(report.rows, decides));
    return text;
}

namespace {

constexpr std::array<GoldenKind, 14> kinds{{
    {"dit", "the Wan transformer (WanTransformer3DModel, text to video)", verifyDit},
    {"vae", "the Wan VAE, 2.1 and 2.2 (AutoencoderKLWan), tiled and whole", verifyVae},
    {"umt5", "the UMT5 text encoder", verifyUmt5},
    {"clip_vision", "the CLIP image encoder and its image processor", verifyClipVision},
    {"image_resize", "images resized as Pillow and torch do it", verifyImageResize},
    {"output_size", "sizes of videos that start from an image", verifyOutputSize},
    {"tokenizer", "prompt cleaning and piece ids", verifyTokenizer},
    {"pipeline", "text to frames with one transformer (WanPipeline)", verifyPipeline},
    {"schedulers", "sigmas, timesteps and trajectories of the schedulers", verifySchedulers},
    {"torch_random", "random numbers of torch's CPU generator", verifyTorchRandom},
    {"real_shapes", "configs, names and shapes of made checkpoints", verifyRealShapes},
    {"key_maps", "names of tensors in original files and those of diffusers, both ways", verifyKeyMaps},
    {"lora", "adapters in six spellings, merged into a transformer", verifyLora},
    {"lowp", "bf16, f16 and fp8 numbers, and weights in scaled fp8", verifyLowp},
}};

}  // namespace

std::span<const GoldenKind> goldenKinds() {
    return kinds;
}

GoldenReport verifyCase(const Execution& execution, const std::filesystem::path& folder) {
    const GoldenFiles files(folder);
    const auto kind = std::ranges::find(kinds, files.kind(), &GoldenKind::name);
    if (kind == kinds.end()) {
        std::string known;
        for (const GoldenKind& row : kinds)
            known += (known.empty() ? "" : ", ") + std::string(row.name);
        throw Error(ErrorKind::Project,
                    sentence("Golden cases of the kind \"{}\" are not known yet", files.kind()),
                    folder.string(), sentence("This version checks {}", known));
    }
    GoldenComparison comparison;
    try {
        kind->verify(execution, files, comparison);
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::Input,
                    sentence("A JSON file of the case is not of the expected form: {}", error.what()),
                    folder.string(), sentence("Restore the golden case"));
    }
    return {folder, files.kind(), files.className(), comparison.finish()};
}

}  // namespace meshreel
