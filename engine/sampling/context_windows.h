// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Which frames of a long clip are denoised together.
enum class WindowSchedule : std::uint8_t {
    Static,   ///< the same windows in every step, each a little behind the one before
    Uniform,  ///< those of each step begin elsewhere, so that no border stays in its place
    Looped,   ///< as Uniform, and windows reach over the end into the beginning
};

/// How the predictions of windows are weighed where they overlap.
enum class WindowFuse : std::uint8_t {
    Pyramid,  ///< the more, the nearer to the window's middle
    Linear,   ///< ramps over the overlap
    Flat,     ///< all alike
};

/// One value of the project key `context_schedule`.
struct WindowScheduleRow {
    std::string_view name;
    WindowSchedule schedule;
    std::string_view help;
};

/// One value of the project key `context_fuse`.
struct WindowFuseRow {
    std::string_view name;
    WindowFuse fuse;
    std::string_view help;
};

std::span<const WindowScheduleRow> windowSchedules();
std::span<const WindowFuseRow> windowFuses();
const WindowScheduleRow& rowOf(WindowSchedule schedule);
const WindowFuseRow& rowOf(WindowFuse fuse);
/// Null when there is none.
const WindowScheduleRow* findWindowSchedule(std::string_view name);
const WindowFuseRow* findWindowFuse(std::string_view name);

/// Frames of a window in their order, counted from 0.
using WindowFrames = std::vector<std::int64_t>;

/// How a clip is seen through windows. All counts are latent frames.
struct ContextWindows {
    WindowSchedule schedule = WindowSchedule::Static;
    WindowFuse fuse = WindowFuse::Pyramid;
    std::int64_t frames = 0;    ///< of the clip; more than `length`
    std::int64_t length = 0;    ///< of each window
    std::int64_t overlap = 0;   ///< less than `length`
    int levels = 1;             ///< beside neighbouring frames every second, every fourth … to levels − 1
    bool freeNoise = false;     ///< later frames begin with the shuffled noise of earlier ones
    bool retainsFirst = false;  ///< every window's first frame is conditioned as the clip's first is
    std::int64_t leading = 0;   ///< frames of references before the clip's, which every window has

    /// Returns the windows of a step, counted from 0, in the order in which they are computed: each of
    /// `length` frames, and every frame of the clip in one of them at least. A function of nothing else, so
    /// that a run goes on from any step.
    [[nodiscard]] std::vector<WindowFrames> ofStep(int step) const;

    /// Returns frames of the clip by their places in what is denoised, with those of references.
    [[nodiscard]] WindowFrames placed(const WindowFrames& clipFrames) const;

    /// Returns the frames that are denoised with each window.
    [[nodiscard]] std::int64_t passFrames() const { return leading + length; }

    /// Returns whether all steps have the same windows.
    [[nodiscard]] bool recur() const { return schedule == WindowSchedule::Static; }

    friend bool operator==(const ContextWindows&, const ContextWindows&) = default;
};

/// Returns the most levels, `wanted` at most, whose windows fit into the clip.
int fittingLevels(std::int64_t frames, std::int64_t length, std::int64_t wanted);

/// Returns what each frame of each window counts in the fused prediction. Of one frame they add up to 1, and
/// to exactly 1 where one window has it alone.
std::vector<std::vector<float>> windowShares(const ContextWindows& windows,
                                             std::span<const WindowFrames> ofStep);

/// Frames that one pass of the transformer is given.
struct SharedWindow {
    WindowFrames frames;        ///< by their places in what is denoised
    std::vector<float> shares;  ///< what each counts in the fused prediction; of references all alike
    double centre = 0;          ///< its middle, as a part of the clip: in [0, 1)

    /// Returns which of so many prompts that follow each other it is given, as ComfyUI spreads them.
    [[nodiscard]] std::size_t promptOf(std::size_t prompts) const;
};

/// Returns the windows of a step as they are computed and fused.
std::vector<SharedWindow> sharedWindows(const ContextWindows& windows, int step);

/// Returns which frame's noise each frame begins with, as FreeNoise has it: behind the first window those of
/// the frames one window before, shuffled by torch's generator with this seed.
std::vector<std::int64_t> freeNoiseOrder(const ContextWindows& windows, std::uint64_t seed);

/// Returns these frames of a clip f32 […, frames, height, width], in their order.
Tensor framesOf(const Tensor& clip, const WindowFrames& frames);

/// Adds a window f32 […, frames, height, width], each frame times its share, to those frames of a clip.
void addWindow(Tensor& clip, const Tensor& window, const WindowFrames& frames, std::span<const float> shares);

// Exposed for tests and golden cases.

/// Returns the windows as ComfyUI lists them, with as many levels as are given: windows of the last level may
/// be longer than the clip, and then name frames twice or beyond its end. `closed`: looped windows go on to
/// the frame that they began with.
std::vector<WindowFrames> listWindows(const ContextWindows& windows, int step, bool closed);

/// Returns the weights of one window's frames before they are divided by their sums.
std::vector<double> windowWeights(const ContextWindows& windows, const WindowFrames& window);

}  // namespace meshreel
