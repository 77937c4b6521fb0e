// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/media/frame_comparison.h"
#include "engine/runs/rated_runs.h"
#include "engine/runs/records/data_table.h"

namespace meshreel {

/// What is measured of a video without anybody looking at it.
struct VideoMeasures {
    std::optional<double> flicker;    ///< measureFlicker()
    std::optional<double> sharpness;  ///< measureSharpness()
    /// From the video of the reference, over the frames that both have; absent without one, and beside videos
    /// of another size.
    std::optional<FrameDistance> distance;
};

/// A measure, as every program shows it.
struct MeasureRow {
    std::string_view column;  ///< in tables for programs
    std::string_view title;
    std::string_view help;  ///< what it says, a sentence or two
    int decimals = 0;
    std::optional<double> (*value)(const VideoMeasures& measures) = nullptr;
};

/// Flicker, sharpness, PSNR and SSIM.
std::span<const MeasureRow> measureRows();

/// What PSNR of equal videos counts as, in dB: it is infinite.
inline constexpr double psnrOfEqual = 100;

/// Measures the first video of a run, against that of another one if it is named. Throws Error{Input} when
/// one has no video or it cannot be read, Error{Cancelled}.
VideoMeasures measureVideo(const std::filesystem::path& run,
                           const std::optional<std::filesystem::path>& reference, const StopToken& stop);

/// Returns the run whose video another one is measured against: the baseline, where it has the same scene and
/// seed, else a run of the baseline's setting that has. Nothing for the baseline itself, and where there is
/// none.
std::optional<std::size_t> referenceOf(const RatedRuns& rated, std::size_t run, std::size_t baseline);

/// Returns what several videos have together: means, and the PSNR of all of their frames.
VideoMeasures together(std::span<const VideoMeasures> measures);

/// Adds a column for each of measureRows() to a table; nothing where a row has no measures.
void addMeasureColumns(DataTable& table, std::span<const std::optional<VideoMeasures>> measures);

}  // namespace meshreel
