// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/figures.h"

#include <array>

#include "engine/studies/evaluation/clip.h"
#include "engine/studies/evaluation/scene_vocabulary.h"

namespace meshreel {
namespace {

using Clips = std::span<const EvaluatedClip>;

/// Percentage of the clips with `counts` for which `isRight`.
template <typename Counts, typename IsRight>
std::optional<double> percentage(Clips clips, const Counts& counts, const IsRight& isRight) {
    double all = 0.0;
    double right = 0.0;
    for (const EvaluatedClip& clip : clips) {
        if (!counts(clip))
            continue;
        all += 1.0;
        right += isRight(clip) ? 1.0 : 0.0;
    }
    if (all == 0.0)
        return std::nullopt;
    return 100.0 * right / all;
}

template <typename IsRight>
std::optional<double> percentage(Clips clips, const IsRight& isRight) {
    return percentage(
        clips, [](const EvaluatedClip&) { return true; }, isRight);
}

bool travels(const EvaluatedClip& clip) {
    return isDirection(clip.wanted.motion);
}

std::optional<double> rightColours(Clips clips) {
    return percentage(clips, [](const EvaluatedClip& c) { return c.found.colour == c.wanted.color; });
}

std::optional<double> rightBackgrounds(Clips clips) {
    return percentage(clips,
                      [](const EvaluatedClip& c) { return c.found.background == c.wanted.background; });
}

std::optional<double> rightDirections(Clips clips) {
    return percentage(clips, travels, hasWantedMotion);
}

/// All directions are one kind.
std::optional<double> kindsOfMotion(Clips clips) {
    return percentage(clips, [](const EvaluatedClip& c) {
        return travels(c) ? isDirection(c.found.motion) : hasWantedMotion(c);
    });
}

std::optional<double> rightShapes(Clips clips) {
    return percentage(clips, [](const EvaluatedClip& c) { return c.found.shape == c.wanted.shape; });
}

std::optional<double> edges(Clips clips) {
    std::vector<double> widths;
    for (const EvaluatedClip& clip : clips)
        if (clip.found.edgeWidth > 0.0)
            widths.push_back(clip.found.edgeWidth);
    if (widths.empty())
        return std::nullopt;
    return upperMedianOf(std::move(widths));
}

std::optional<double> flicker(Clips clips) {
    if (clips.empty())
        return std::nullopt;
    double sum = 0.0;
    for (const EvaluatedClip& clip : clips)
        sum += clip.found.flicker;
    return sum / static_cast<double>(clips.size());
}

std::optional<double> firstFrames(Clips clips) {
    double sum = 0.0;
    double count = 0.0;
    for (const EvaluatedClip& clip : clips)
        if (clip.found.firstFrameKept) {
            sum += *clip.found.firstFrameKept;
            count += 1.0;
        }
    return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

constexpr FigureRow firstFrameRow{"first_frame", "First frame kept", "dB", Bound::AtLeast, 28.0, firstFrames};

// The goals of edges and flicker stand beside drawn clips, which have 1 to 2 pixels and 0 levels.
constexpr std::array<FigureRow, 8> rows{{
    {"color", "Colour", "%", Bound::AtLeast, 97.0, rightColours},
    {"background", "Background", "%", Bound::AtLeast, 97.0, rightBackgrounds},
    {"direction", "Direction of motion", "%", Bound::AtLeast, 95.0, rightDirections},
    {"motion", "Kind of motion", "%", Bound::AtLeast, 90.0, kindsOfMotion},
    {"shape", "Shape", "%", Bound::AtLeast, 90.0, rightShapes},
    {"edge_width", "Width of edges", "px", Bound::AtMost, 2.5, edges},
    {"flicker", "Flicker of the background", "levels", Bound::AtMost, 1.0, flicker},
    firstFrameRow,
}};

}  // namespace

std::span<const FigureRow> figureRows() {
    return rows;
}

bool Figure::reached() const {
    if (!value)
        return false;
    return row->bound == Bound::AtLeast ? *value >= row->goal : *value <= row->goal;
}

std::vector<Figure> measureFigures(std::span<const EvaluatedClip> clips) {
    std::vector<Figure> figures;
    for (const FigureRow& row : rows) {
        const std::optional<double> value = row.measure(clips);
        if (value || row.key != firstFrameRow.key)
            figures.push_back({&row, value});
    }
    return figures;
}

bool hasWantedMotion(const EvaluatedClip& clip) {
    return clip.found.motion == clip.wanted.motion;
}

}  // namespace meshreel
