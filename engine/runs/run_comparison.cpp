// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/runs/run_folder.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

/// The run, as far as it can be compared with.
RunFolder comparableRun(const Project& project) {
    const fs::path path = expandTilde(project.compareWith);
    RunFolder folder = RunFolder::open(path);
    if (!folder.has(run_file::latents))
        throw Error(ErrorKind::Input, sentence("the run to compare with has no latents yet"), withTilde(path),
                    sentence("Finish it first, or remove compare_with"));
    const Project other = folder.project();
    if (other.width != project.width || other.height != project.height ||
        other.numFrames != project.numFrames)
        throw Error(ErrorKind::Input,
                    sentence("the run to compare with is {}x{} with {} frames, and this one {}x{} with {}",
                             other.width, other.height, other.numFrames, project.width, project.height,
                             project.numFrames),
                    withTilde(path), sentence("Compare runs of one size and length"));
    return folder;
}

}  // namespace

void requireComparable(const Project& project) {
    if (!project.compareWith.empty())
        static_cast<void>(comparableRun(project));
}

std::optional<RunComparison> compareRun(const Machine& machine, const RunPlan& plan, const Tensor& frames,
                                        double denoiseSeconds) {
    if (plan.project.compareWith.empty())
        return std::nullopt;
    const RunFolder folder = comparableRun(plan.project);
    const Tensor reference = decodeAlone(machine, plan, folder.latents());
    RunComparison comparison{.with = folder.path(), .distance = distanceOf(frames, reference)};
    if (const auto timings = folder.timings())
        comparison.seconds = timings->denoiseTotal - denoiseSeconds;
    return comparison;
}

std::string formatComparison(const RunComparison& comparison) {
    const std::string psnr =
        std::isinf(comparison.distance.psnr)
            ? "the same frames"
            : fmt::format("PSNR {:.2f} dB, SSIM {:.4f}", comparison.distance.psnr, comparison.distance.ssim);
    return fmt::format("Against {}: {}, denoising {:.1f} s {}", withTilde(comparison.with), psnr,
                       std::abs(comparison.seconds), comparison.seconds < 0 ? "longer" : "shorter");
}

nlohmann::json comparisonJson(const RunComparison& comparison) {
    const double psnr = comparison.distance.psnr;
    return {{"with", comparison.with.string()},
            {"psnr", std::isinf(psnr) ? nlohmann::json() : nlohmann::json(psnr)},
            {"ssim", comparison.distance.ssim},
            {"denoise_seconds_saved", comparison.seconds}};
}

RunComparison comparisonOf(const nlohmann::json& json) {
    const nlohmann::json& psnr = json.at("psnr");
    return {
        .with = json.at("with").get<std::string>(),
        .distance = {.psnr = psnr.is_null() ? std::numeric_limits<double>::infinity() : psnr.get<double>(),
                     .ssim = json.at("ssim").get<double>()},
        .seconds = json.at("denoise_seconds_saved").get<double>()};
}

}  // namespace meshreel
