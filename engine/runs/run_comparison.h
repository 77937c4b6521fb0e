// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/media/frame_distance.h"
#include "engine/pipelines/generation.h"

namespace meshreel {

/// How far a run's frames are from those of the run that its project compares it with.
struct RunComparison {
    std::filesystem::path with;
    FrameDistance distance;
    double seconds = 0;  ///< that the other run's denoising took longer; negative: shorter
};

/// Throws Error{Input} when compare_with names what is no finished run, or one of another size.
void requireComparable(const Project& project);

/// Nothing without compare_with. The other run's latents are decoded again, by this process alone: its video
/// file may be lossy. Throws Error{Input} as requireComparable.
std::optional<RunComparison> compareRun(const Machine& machine, const RunPlan& plan, const Tensor& frames,
                                        double denoiseSeconds);

/// "Against RUN: PSNR 34.12 dB, SSIM 0.9712, denoising 12.3 s shorter"
std::string formatComparison(const RunComparison& comparison);

/// The PSNR of equal frames is null.
nlohmann::json comparisonJson(const RunComparison& comparison);
RunComparison comparisonOf(const nlohmann::json& json);

}  // namespace meshreel
