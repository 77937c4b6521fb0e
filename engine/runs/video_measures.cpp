// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/video_measures.h"

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/held_file.h"
#include "engine/base/paths.h"
#include "engine/media/frame_measures.h"
#include "engine/media/video_reader.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

namespace {

std::optional<double> psnrOf(const VideoMeasures& measures) {
    return measures.distance ? std::optional(std::min(measures.distance->psnr, psnrOfEqual)) : std::nullopt;
}

std::optional<double> ssimOf(const VideoMeasures& measures) {
    return measures.distance ? std::optional(measures.distance->ssim) : std::nullopt;
}

constexpr std::array measureTable{
    MeasureRow{
        "flicker", "Flicker",
        "How far a pixel's brightness is from the mean of the frames before and after it, in levels of 255: "
        "the median over the picture. What moves does not count while it covers less than half of it.",
        2, [](const VideoMeasures& of) { return of.flicker; }},
    MeasureRow{
        "sharpness", "Sharpness",
        "How much neighbouring pixels differ, in levels of 255: the standard deviation of the Laplacian of "
        "the brightness. More is sharper, but noise counts as detail, too; compare videos of one scene.",
        1, [](const VideoMeasures& of) { return of.sharpness; }},
    MeasureRow{"psnr_db", "PSNR in dB",
               "How near the pixels are to those of the baseline with the same scene and seed: 20 is another "
               "picture, "
               "40 hardly to be told apart. Equal videos count as 100.",
               1, psnrOf},
    MeasureRow{
        "ssim", "SSIM",
        "How near the structure is to that of the baseline with the same scene and seed: 1 for equal videos. "
        "Near is not better: it says how much a setting changes.",
        3, ssimOf},
};

Tensor framesOfRun(const std::filesystem::path& folder) {
    const auto video = RunFolder::open(folder).openVideo();
    if (!video)
        throw Error(ErrorKind::Input, sentence("This run has no video"), withTilde(folder),
                    sentence("Resume it, or choose another one"));
    return video->readWith(readVideo);
}

}  // namespace

std::span<const MeasureRow> measureRows() {
    return measureTable;
}

VideoMeasures measureVideo(const std::filesystem::path& run,
                           const std::optional<std::filesystem::path>& reference, const StopToken& stop) {
    const Tensor frames = framesOfRun(run);
    VideoMeasures found{
        .flicker = measureFlicker(frames, stop), .sharpness = measureSharpness(frames, stop), .distance = {}};
    if (!reference)
        return found;
    const Tensor other = framesOfRun(*reference);
    if (frames.extent(1) == other.extent(1) && frames.extent(2) == other.extent(2))
        found.distance = overall(compareFrames(frames, other, stop));
    return found;
}

std::optional<std::size_t> referenceOf(const RatedRuns& rated, std::size_t run, std::size_t baseline) {
    const ProjectKey& seed = *findProjectKey("seed");
    const auto showsTheSame = [&](const JudgedRun& other) {
        const JudgedRun& judged = rated.runs()[run];
        return other.hasVideo && other.scene == judged.scene &&
               valueText(other.project, seed) == valueText(judged.project, seed);
    };
    if (run == baseline)
        return std::nullopt;
    if (showsTheSame(rated.runs()[baseline]))
        return baseline;
    if (rated.settingOf(run) == rated.settingOf(baseline))
        return std::nullopt;
    for (std::size_t other = 0; other < rated.runs().size(); ++other)
        if (rated.settingOf(other) == rated.settingOf(baseline) && showsTheSame(rated.runs()[other]))
            return other;
    return std::nullopt;
}

VideoMeasures together(std::span<const VideoMeasures> all) {
    const auto mean = [all](std::optional<double> VideoMeasures::*member) -> std::optional<double> {
        double sum = 0;
        int count = 0;
        for (const VideoMeasures& each : all)
            if (const std::optional<double>& value = each.*member) {
                sum += *value;
                ++count;
            }
        return count == 0 ? std::nullopt : std::optional(sum / count);
    };
    std::vector<FrameDistance> distances;
    for (const VideoMeasures& each : all)
        if (each.distance)
            distances.push_back(*each.distance);
    return {.flicker = mean(&VideoMeasures::flicker),
            .sharpness = mean(&VideoMeasures::sharpness),
            .distance = distances.empty() ? std::nullopt : std::optional(overall(distances))};
}

void addMeasureColumns(DataTable& table, std::span<const std::optional<VideoMeasures>> of) {
    for (const MeasureRow& measure : measureRows()) {
        table.columns.emplace_back(measure.column);
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            const std::optional<double> value = of[row] ? measure.value(*of[row]) : std::nullopt;
            table.rows[row].push_back(value ? DataCell(*value) : DataCell());
        }
    }
}

}  // namespace meshreel
