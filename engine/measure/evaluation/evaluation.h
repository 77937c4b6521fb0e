// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"
#include "engine/measure/evaluation/clip_measures.h"
#include "engine/measure/evaluation/evaluation_data.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// One video of an evaluation.
struct EvaluatedClip {
    HeldOutPrompt wanted;
    ClipFindings found;
};

enum class Bound { AtLeast, AtMost };

/// What is measured over all videos of an evaluation, and what a good model reaches.
struct MetricRow {
    std::string_view key;
    std::string_view title;
    std::string_view unit;
    Bound bound;
    double goal;
    /// Returns nothing when no video allows a measurement.
    std::optional<double> (*measure)(std::span<const EvaluatedClip> clips);
};

std::span<const MetricRow> metricRows();

struct Metric {
    const MetricRow* row = nullptr;
    std::optional<double> value;

    /// False without a value.
    [[nodiscard]] bool reached() const;
};

/// Measures one for each of metricRows(); that of first frames only when the videos were made of pictures.
std::vector<Metric> measureMetrics(std::span<const EvaluatedClip> clips);

/// Returns the video that the model makes of a prompt, and of the picture in a file unless that is empty, on
/// this machine, u8 [time, height, width, 3]; of settings.clips, joined. `scratch` is a folder that clips are
/// kept in for the next one, and that is gone afterwards. Throws as makePlan() and generate().
Tensor videoOf(const std::string& prompt, std::uint64_t seed, const std::filesystem::path& firstFrame,
               const EvaluationSettings& settings, const std::filesystem::path& scratch,
               const StopToken& stop);

/// Returns ClipFindings::seam of a video of `clips` clips, the first of `framesOfFirst` frames and all others
/// of the same number of new ones; nothing for a single clip.
std::optional<double> measureSeams(const Tensor& frames, int clips, std::int64_t framesOfFirst);

struct Evaluation {
    EvaluationSettings settings;
    std::vector<EvaluatedClip> clips;
    std::vector<Metric> metrics;
    std::vector<Sentence> notes = {};  ///< kept videos that could not be read and were made again
};

/// Called after each video: how many are done, and the newest.
using OnEvaluatedClip = std::function<void(std::size_t done, const EvaluatedClip& newest)>;

/// Makes the video of every prompt that `folder` does not hold yet and measures all of them. Stopped or
/// failed, it keeps what was made; called again, it continues.
Evaluation evaluateModel(const EvaluationSettings& settings, std::span<const HeldOutPrompt> prompts,
                         const EvaluationFolder& folder, const OnEvaluatedClip& onClip,
                         const StopToken& stop);

/// figures.json and contact-sheet.png, in the evaluation's folder.
void writeResults(const Evaluation& evaluation, const EvaluationFolder& folder);

/// Returns the figures as aligned text: measured, wanted, whether reached.
std::string evaluationTable(const Evaluation& evaluation);

/// {"model", "size", "prompts", "steps", …, "figures": […], "clips": [{"prompt", "wanted", "found"}]}
std::string evaluationJson(const Evaluation& evaluation);

/// "a red ball …: colour, background, motion right; shape star, not ball", one line.
std::string findingsLine(const EvaluatedClip& clip);

}  // namespace meshreel
