// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/studies/evaluation/clip_findings.h"
#include "engine/studies/evaluation/held_out_prompts.h"

namespace meshreel {

/// One video of an evaluation.
struct EvaluatedClip {
    HeldOutPrompt wanted;
    ClipFindings found;
};

enum class Bound { AtLeast, AtMost };

/// What is measured over all videos of an evaluation, and what a good model reaches.
struct FigureRow {
    std::string_view key;
    std::string_view title;
    std::string_view unit;
    Bound bound;
    double goal;
    /// Absent when no video tells.
    std::optional<double> (*measure)(std::span<const EvaluatedClip> clips);
};

std::span<const FigureRow> figureRows();

struct Figure {
    const FigureRow* row = nullptr;
    std::optional<double> value;

    /// False without a value.
    [[nodiscard]] bool reached() const;
};

/// One for each of figureRows(); that of first frames only when the videos were made of pictures.
std::vector<Figure> measureFigures(std::span<const EvaluatedClip> clips);

/// Whether the video shows the motion that was wanted.
bool hasWantedMotion(const EvaluatedClip& clip);

}  // namespace meshreel
