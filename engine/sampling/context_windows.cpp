// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/context_windows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "engine/sampling/noise.h"

namespace meshreel {
namespace {

constexpr std::array schedules{
    WindowScheduleRow{"static", WindowSchedule::Static,
                      "the same windows in every step; the last one ends with the clip"},
    WindowScheduleRow{"uniform", WindowSchedule::Uniform,
                      "windows that begin elsewhere in each step, so that their borders blur"},
    WindowScheduleRow{"looped", WindowSchedule::Looped,
                      "as uniform, with windows from the end into the beginning: for clips that are looped"},
};

constexpr std::array fuses{
    WindowFuseRow{"pyramid", WindowFuse::Pyramid, "the middle of a window counts most"},
    WindowFuseRow{"linear", WindowFuse::Linear, "windows fade into each other over the overlap"},
    WindowFuseRow{"flat", WindowFuse::Flat, "the mean of all windows"},
};

/// The bits of the step after the point, reversed: 0, 1/2, 1/4, 3/4, 1/8 … (van der Corput's sequence).
double orderedHalving(int step) {
    double fraction = 0;
    double half = 0.5;
    for (auto bits = static_cast<unsigned>(step); bits != 0; bits >>= 1U, half /= 2)
        fraction += (bits & 1U) != 0 ? half : 0;
    return fraction;
}

WindowFrames neighbours(std::int64_t first, std::int64_t length) {
    WindowFrames window(static_cast<std::size_t>(length));
    std::iota(window.begin(), window.end(), first);
    return window;
}

std::vector<WindowFrames> listStatic(const ContextWindows& windows) {
    std::vector<WindowFrames> list;
    for (std::int64_t first = 0;; first += windows.length - windows.overlap) {
        const bool isLast = first + windows.length >= windows.frames;
        list.push_back(neighbours(isLast ? windows.frames - windows.length : first, windows.length));
        if (isLast)
            return list;
    }
}

/// Windows of every level around the clip as if it were a ring, from where the step begins.
std::vector<WindowFrames> listAround(const ContextWindows& windows, int step, bool closed) {
    const double ratio = static_cast<double>(windows.frames) / static_cast<double>(windows.length);
    const int levels = std::min(windows.levels, static_cast<int>(std::ceil(std::log2(ratio))) + 1);
    const double shift = orderedHalving(step);
    // As Python rounds: halves to the even number.
    const auto pad = static_cast<std::int64_t>(std::nearbyint(static_cast<double>(windows.frames) * shift));
    std::vector<WindowFrames> list;
    for (int level = 0; level < levels; ++level) {
        const std::int64_t distance = std::int64_t{1} << level;
        const std::int64_t end = windows.frames + pad - (closed ? 0 : windows.overlap);
        std::int64_t first = static_cast<std::int64_t>(shift * static_cast<double>(distance)) + pad;
        for (; first < end; first += windows.length * distance - windows.overlap) {
            WindowFrames window;
            for (std::int64_t place = 0; place < windows.length; ++place)
                window.push_back((first + place * distance) % windows.frames);
            list.push_back(std::move(window));
        }
    }
    return list;
}

bool contains(const WindowFrames& window, std::int64_t frame) {
    return std::ranges::find(window, frame) != window.end();
}

/// Where a window goes on at the beginning of the clip; its end where it does not.
WindowFrames::const_iterator findTurn(const WindowFrames& window) {
    const auto before = std::ranges::adjacent_find(window, std::ranges::greater());
    return before == window.end() ? before : std::next(before);
}

/// The window's frames, as far apart as they are, so that the last of them is the clip's.
WindowFrames movedToEnd(const WindowFrames& window, std::int64_t frames) {
    WindowFrames moved;
    for (const std::int64_t frame : window)
        moved.push_back((frame - window.front() + frames) % frames);
    const std::int64_t distance = frames - 1 - moved.back();
    for (std::int64_t& frame : moved)
        frame += distance;
    return moved;
}

/// Windows that turn around are moved to the clip's end, and what they showed of its beginning gets a window
/// of its own unless the next one has it.
std::vector<WindowFrames> listUniform(const ContextWindows& windows, int step) {
    std::vector<WindowFrames> list = listAround(windows, step, false);
    for (std::size_t index = 0; index < list.size(); ++index) {
        const auto turn = findTurn(list[index]);
        if (turn == list[index].end())
            continue;
        const std::int64_t first = *turn;
        list[index] = movedToEnd(list[index], windows.frames);
        if (!contains(list[(index + 1) % list.size()], first))
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                        neighbours(first, windows.length));
    }
    std::vector<WindowFrames> different;
    for (WindowFrames& window : list)
        if (std::ranges::find(different, window) == different.end())
            different.push_back(std::move(window));
    return different;
}

/// Shares of a window whose sides are ramps over the overlap where another window goes on.
std::vector<double> linearWeights(const ContextWindows& windows, const WindowFrames& window) {
    // Not 0, so that a frame that only ramps' feet show has a weight.
    constexpr double foot = 1e-37;
    std::vector<double> weights(window.size(), 1.0);
    const auto count = static_cast<std::size_t>(windows.overlap);
    std::vector<double> ramp(count, foot);
    for (std::size_t place = 1; place < count; ++place)
        ramp[place] = foot + (1 - foot) * static_cast<double>(place) / static_cast<double>(count - 1);
    const bool ring = windows.schedule == WindowSchedule::Looped;
    if (ring || std::ranges::min(window) > 0)
        std::ranges::copy(ramp, weights.begin());
    if (ring || std::ranges::max(window) < windows.frames - 1)
        for (std::size_t place = 0; place < count; ++place) {
            double& weight = weights[weights.size() - 1 - place];
            weight = std::min(weight, ramp[place]);
        }
    return weights;
}

}  // namespace

std::span<const WindowScheduleRow> windowSchedules() {
    return schedules;
}

std::span<const WindowFuseRow> windowFuses() {
    return fuses;
}

const WindowScheduleRow& rowOf(WindowSchedule schedule) {
    return *std::ranges::find(schedules, schedule, &WindowScheduleRow::schedule);
}

const WindowFuseRow& rowOf(WindowFuse fuse) {
    return *std::ranges::find(fuses, fuse, &WindowFuseRow::fuse);
}

const WindowScheduleRow* findWindowSchedule(std::string_view name) {
    const auto found = std::ranges::find(schedules, name, &WindowScheduleRow::name);
    return found == schedules.end() ? nullptr : &*found;
}

const WindowFuseRow* findWindowFuse(std::string_view name) {
    const auto found = std::ranges::find(fuses, name, &WindowFuseRow::name);
    return found == fuses.end() ? nullptr : &*found;
}

int fittingLevels(std::int64_t frames, std::int64_t length, std::int64_t wanted) {
    int levels = 1;
    while (levels < wanted && length << levels <= frames)
        ++levels;
    return levels;
}

std::vector<WindowFrames> listWindows(const ContextWindows& windows, int step, bool closed) {
    if (windows.frames <= windows.length)
        return {neighbours(0, windows.frames)};
    switch (windows.schedule) {
        case WindowSchedule::Static:
            return listStatic(windows);
        case WindowSchedule::Uniform:
            return listUniform(windows, step);
        case WindowSchedule::Looped:
            break;
    }
    return listAround(windows, step, closed);
}

std::vector<WindowFrames> ContextWindows::ofStep(int step) const {
    std::vector<WindowFrames> list = listWindows(*this, step, true);
    // ComfyUI's uniform windows of several levels leave frames out in rare steps.
    std::vector<bool> seen(static_cast<std::size_t>(frames), false);
    const auto see = [&seen](const WindowFrames& window) {
        for (const std::int64_t frame : window)
            seen[static_cast<std::size_t>(frame)] = true;
    };
    std::ranges::for_each(list, see);
    for (std::int64_t frame = 0; frame < frames; ++frame)
        if (!seen[static_cast<std::size_t>(frame)]) {
            list.push_back(neighbours(std::min(frame, frames - length), length));
            see(list.back());
        }
    return list;
}

WindowFrames ContextWindows::placed(const WindowFrames& clipFrames) const {
    WindowFrames frames = neighbours(0, leading);
    for (const std::int64_t frame : clipFrames)
        frames.push_back(leading + frame);
    return frames;
}

std::vector<double> windowWeights(const ContextWindows& windows, const WindowFrames& window) {
    if (windows.fuse == WindowFuse::Linear)
        return linearWeights(windows, window);
    std::vector<double> weights(window.size(), 1.0);
    if (windows.fuse == WindowFuse::Pyramid)
        for (std::size_t place = 0; place < weights.size(); ++place)
            weights[place] = static_cast<double>(std::min(place + 1, weights.size() - place));
    return weights;
}

std::vector<std::vector<float>> windowShares(const ContextWindows& windows,
                                             std::span<const WindowFrames> ofStep) {
    std::vector<double> sums(static_cast<std::size_t>(windows.frames), 0.0);
    std::vector<std::vector<double>> weights;
    for (const WindowFrames& window : ofStep) {
        weights.push_back(windowWeights(windows, window));
        for (std::size_t place = 0; place < window.size(); ++place)
            sums[static_cast<std::size_t>(window[place])] += weights.back()[place];
    }
    std::vector<std::vector<float>> shares;
    for (std::size_t index = 0; index < ofStep.size(); ++index) {
        std::vector<float> own;
        for (std::size_t place = 0; place < weights[index].size(); ++place)
            own.push_back(static_cast<float>(weights[index][place] /
                                             sums[static_cast<std::size_t>(ofStep[index][place])]));
        shares.push_back(std::move(own));
    }
    return shares;
}

std::size_t SharedWindow::promptOf(std::size_t prompts) const {
    const auto place = static_cast<std::size_t>(centre * static_cast<double>(prompts));
    return std::min(place, prompts - 1);
}

std::vector<SharedWindow> sharedWindows(const ContextWindows& windows, int step) {
    const std::vector<WindowFrames> list = windows.ofStep(step);
    std::vector<std::vector<float>> shares = windowShares(windows, list);
    const float ofReference = 1.0F / static_cast<float>(list.size());
    std::vector<SharedWindow> shared;
    for (std::size_t index = 0; index < list.size(); ++index) {
        std::vector<float> own(static_cast<std::size_t>(windows.leading), ofReference);
        std::ranges::copy(shares[index], std::back_inserter(own));
        const auto [first, last] = std::ranges::minmax(list[index]);
        shared.push_back(
            {.frames = windows.placed(list[index]),
             .shares = std::move(own),
             .centre = static_cast<double>(first + last) / (2.0 * static_cast<double>(windows.frames))});
    }
    return shared;
}

std::vector<std::int64_t> freeNoiseOrder(const ContextWindows& windows, std::uint64_t seed) {
    WindowFrames order = neighbours(0, windows.frames);
    const std::int64_t distance = windows.length - windows.overlap;
    TorchGenerator generator(seed);
    for (std::int64_t from = 0; from + windows.length < windows.frames; from += distance) {
        const std::int64_t to = from + windows.length;
        const std::vector<std::int64_t> shuffled =
            generator.permutation(std::min(distance, windows.frames - to));
        for (std::size_t place = 0; place < shuffled.size(); ++place)
            order[static_cast<std::size_t>(to) + place] =
                order[static_cast<std::size_t>(from + shuffled[place])];
    }
    return order;
}

namespace {

/// Places of the frames [plane][frame] of a tensor f32 […, frames, height, width].
struct FramePlanes {
    explicit FramePlanes(const Shape& shape)
        : frames(shape[shape.rank() - 3]),
          area(shape[shape.rank() - 2] * shape[shape.rank() - 1]),
          planes(frames * area == 0 ? 0 : shape.elements() / (frames * area)) {}

    template <typename T>
    [[nodiscard]] std::span<T> of(std::span<T> values, std::int64_t plane, std::int64_t frame) const {
        return values.subspan(static_cast<std::size_t>((plane * frames + frame) * area),
                              static_cast<std::size_t>(area));
    }

    std::int64_t frames;
    std::int64_t area;
    std::int64_t planes;
};

}  // namespace

Tensor framesOf(const Tensor& clip, const WindowFrames& frames) {
    const FramePlanes from(clip.shape());
    Tensor result = Tensor::empty(clip.shape().with(clip.shape().rank() - 3, std::ssize(frames)));
    const FramePlanes to(result.shape());
    const std::span<const float> values = clip.data<float>();
    const std::span<float> own = result.data<float>();
    for (std::int64_t plane = 0; plane < to.planes; ++plane)
        for (std::int64_t place = 0; place < to.frames; ++place)
            std::ranges::copy(from.of(values, plane, frames[static_cast<std::size_t>(place)]),
                              to.of(own, plane, place).begin());
    return result;
}

void addWindow(Tensor& clip, const Tensor& window, const WindowFrames& frames,
               std::span<const float> shares) {
    const FramePlanes from(window.shape());
    const FramePlanes to(clip.shape());
    const std::span<const float> values = window.data<float>();
    const std::span<float> sums = clip.data<float>();
    for (std::int64_t plane = 0; plane < from.planes; ++plane)
        for (std::size_t place = 0; place < frames.size(); ++place) {
            const auto added = from.of(values, plane, static_cast<std::int64_t>(place));
            const auto sum = to.of(sums, plane, frames[place]);
            std::ranges::transform(sum, added, sum.begin(), [share = shares[place]](float one, float other) {
                return one + share * other;
            });
        }
}

}  // namespace meshreel
