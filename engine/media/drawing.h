// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace meshreel {

/// A place in pixels of a drawing, from its upper left corner: (0.5, 0.5) is the middle of the first pixel.
struct DrawnPoint {
    double x = 0;
    double y = 0;

    friend bool operator==(const DrawnPoint&, const DrawnPoint&) = default;
};

/// The upright rectangle around points.
struct DrawnBounds {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;

    [[nodiscard]] double width() const { return right - left; }
    [[nodiscard]] double height() const { return bottom - top; }
    [[nodiscard]] DrawnPoint centre() const { return {(left + right) / 2, (top + bottom) / 2}; }

    friend bool operator==(const DrawnBounds&, const DrawnBounds&) = default;
};

/// Of at least one point.
DrawnBounds boundsOf(std::span<const DrawnPoint> points);

/// Returns how far a place is from the straight way between two others.
double distanceToWay(DrawnPoint from, DrawnPoint to, DrawnPoint place);

/// The clip that a drawing was made for: what is drawn is in its pixels and frames.
struct DrawingCanvas {
    std::int64_t width = 832;
    std::int64_t height = 480;
    std::int64_t frames = 81;
    double fps = 16;

    friend bool operator==(const DrawingCanvas&, const DrawingCanvas&) = default;
};

/// How a value goes from one keyframe to the next.
enum class Easing : std::uint8_t {
    Linear,
    In,     ///< slow at first: p²
    Out,    ///< slow at last: 1 - (1-p)²
    InOut,  ///< slow at both ends: 2p² in the first half, 1 - 2(1-p)² in the second
    Hold,   ///< stays, and jumps at the next keyframe
};

struct EasingRow {
    Easing easing;
    std::string_view name;  ///< as files spell it
};

/// Returns the rows in the order of Easing.
std::span<const EasingRow> easings();

/// Returns which part of the way is done at `part` of the time, both from 0 to 1.
double eased(Easing easing, double part);

/// Where a time lies among keyframes.
struct BetweenKeys {
    std::size_t before = 0;
    std::size_t behind = 0;  ///< the same before the first keyframe and from the last one on
    double part = 0;         ///< of the way from the one to the other, eased
};

/// `keys` have a frame and the easing of the way behind them, are in the order of their frames, no two of one
/// frame, and are never empty.
template <typename Key>
BetweenKeys betweenKeys(const std::vector<Key>& keys, double frame) {
    const std::size_t last = keys.size() - 1;
    if (frame <= static_cast<double>(keys.front().frame))
        return {};
    if (frame >= static_cast<double>(keys.back().frame))
        return {.before = last, .behind = last, .part = 0};
    std::size_t behind = 1;
    while (static_cast<double>(keys[behind].frame) <= frame)
        ++behind;
    const Key& from = keys[behind - 1];
    const auto length = static_cast<double>(keys[behind].frame - from.frame);
    return {.before = behind - 1,
            .behind = behind,
            .part = eased(from.easing, (frame - static_cast<double>(from.frame)) / length)};
}

/// Returns where the keyframe of a frame is; the end for none.
template <typename Key>
auto keyAt(std::vector<Key>& keys, std::int64_t frame) {
    return std::ranges::find(keys, frame, &Key::frame);
}

/// Puts a keyframe into its place, for the one that was at its frame.
template <typename Key>
void putKey(std::vector<Key>& keys, const Key& key) {
    const auto place = std::ranges::lower_bound(keys, key.frame, {}, &Key::frame);
    if (place != keys.end() && place->frame == key.frame)
        *place = key;
    else
        keys.insert(place, key);
}

/// Moves a keyframe to another frame, in place of the one that was there.
template <typename Key>
void moveKey(std::vector<Key>& keys, std::int64_t from, std::int64_t to) {
    const auto found = keyAt(keys, from);
    if (found == keys.end() || from == to)
        return;
    Key key = *found;
    keys.erase(found);
    key.frame = to;
    putKey(keys, key);
}

/// Returns the frame of another clip at the time of a frame of one. It may be behind the clip's end.
std::int64_t frameOnCanvas(std::int64_t frame, const DrawingCanvas& from, const DrawingCanvas& to);

}  // namespace meshreel
