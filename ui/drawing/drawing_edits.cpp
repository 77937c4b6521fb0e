// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/drawing_edits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace meshreel {

namespace {

constexpr double copyShift = 12;  ///< pixels, of a copy from its original

template <typename Of>
auto& itemsOf(Of& drawing) {
    if constexpr (std::is_same_v<std::remove_const_t<Of>, MaskDrawing>)
        return drawing.shapes;
    else
        return drawing.tracks;
}

template <typename Item>
auto& keysOf(Item& item) {
    if constexpr (std::is_same_v<std::remove_const_t<Item>, MaskShape>)
        return item.poses;
    else
        return item.nodes;
}

MaskPose keyNow(const MaskShape& shape, std::int64_t frame) {
    return poseAt(shape, static_cast<double>(frame));
}

TrackNode keyNow(const DrawnTrack& track, std::int64_t frame) {
    const auto time = static_cast<double>(frame);
    const DrawnPoint place = roundedPoint(placeAt(track, time));
    return {.frame = frame,
            .x = place.x,
            .y = place.y,
            .easing = track.nodes[betweenKeys(track.nodes, time).before].easing};
}

/// `act` of the list of items.
template <typename Of, typename Act>
auto onItems(Of& drawing, const Act& act) {
    return std::visit([&act](auto& of) { return act(itemsOf(of)); }, drawing);
}

/// `act` of one item.
template <typename Of, typename Act>
auto onItem(Of& drawing, int item, const Act& act) {
    return std::visit([&act, item](auto& of) { return act(itemsOf(of)[static_cast<std::size_t>(item)]); },
                      drawing);
}

/// Changes an item's keyframe at a frame, or all of them.
template <typename Item, typename Change>
void changeKeys(Item& item, std::int64_t frame, EditScope scope, const Change& change) {
    if (scope == EditScope::Clip) {
        for (auto& key : keysOf(item))
            change(key);
        return;
    }
    auto key = keyNow(item, frame);
    change(key);
    putKey(keysOf(item), key);
}

}  // namespace

DrawingKind kindOfDrawing(const Drawing& drawing) {
    return std::holds_alternative<MaskDrawing>(drawing) ? DrawingKind::Mask : DrawingKind::Tracks;
}

const DrawingCanvas& canvasOf(const Drawing& drawing) {
    const auto* mask = std::get_if<MaskDrawing>(&drawing);
    return mask != nullptr ? mask->canvas : std::get<TrackDrawing>(drawing).canvas;
}

int itemCount(const Drawing& drawing) {
    return onItems(drawing, [](const auto& items) { return static_cast<int>(items.size()); });
}

Drawing fittedTo(Drawing drawing, const DrawingCanvas& canvas) {
    return std::visit([&canvas](auto& of) { return Drawing(fittedTo(std::move(of), canvas)); }, drawing);
}

std::vector<std::int64_t> keyframesOf(const Drawing& drawing, int item) {
    return onItem(drawing, item, [](const auto& of) {
        std::vector<std::int64_t> frames;
        for (const auto& key : keysOf(of))
            frames.push_back(key.frame);
        return frames;
    });
}

std::optional<Easing> easingAt(const Drawing& drawing, int item, std::int64_t frame) {
    return onItem(drawing, item, [frame](const auto& of) -> std::optional<Easing> {
        for (const auto& key : keysOf(of))
            if (key.frame == frame)
                return key.easing;
        return std::nullopt;
    });
}

void setEasing(Drawing& drawing, int item, std::int64_t frame, Easing easing) {
    onItem(drawing, item, [frame, easing](auto& of) {
        for (auto& key : keysOf(of))
            if (key.frame == frame)
                key.easing = easing;
    });
}

void addKeyframe(Drawing& drawing, int item, std::int64_t frame) {
    onItem(drawing, item, [frame](auto& of) { putKey(keysOf(of), keyNow(of, frame)); });
}

void removeKeyframe(Drawing& drawing, int item, std::int64_t frame) {
    onItem(drawing, item, [frame](auto& of) {
        auto& keys = keysOf(of);
        if (const auto found = keyAt(keys, frame); keys.size() > 1 && found != keys.end())
            keys.erase(found);
    });
}

void moveKeyframe(Drawing& drawing, int item, std::int64_t from, std::int64_t to) {
    onItem(drawing, item, [from, to](auto& of) { moveKey(keysOf(of), from, to); });
}

void moveItem(Drawing& drawing, int item, std::int64_t frame, DrawnPoint by, EditScope scope) {
    onItem(drawing, item, [&](auto& of) {
        changeKeys(of, frame, scope, [by](auto& key) {
            key.x = roundedPixel(key.x + by.x);
            key.y = roundedPixel(key.y + by.y);
        });
    });
}

void removeItem(Drawing& drawing, int item) {
    onItems(drawing, [item](auto& items) { items.erase(items.begin() + item); });
}

void duplicateItem(Drawing& drawing, int item) {
    onItems(drawing, [item](auto& items) {
        auto copy = items[static_cast<std::size_t>(item)];
        for (auto& key : keysOf(copy)) {
            key.x += copyShift;
            key.y += copyShift;
        }
        items.insert(items.begin() + item + 1, std::move(copy));
    });
}

void swapItems(Drawing& drawing, int one, int other) {
    onItems(drawing, [one, other](auto& items) {
        std::swap(items[static_cast<std::size_t>(one)], items[static_cast<std::size_t>(other)]);
    });
}

void fillBounds(MaskShape& shape, std::int64_t frame, const DrawnBounds& bounds, EditScope scope) {
    const MaskPose now = keyNow(shape, frame);
    const MaskPose wanted = poseWithin(shape, now, bounds);
    changeKeys(shape, frame, scope, [&](MaskPose& pose) {
        pose.x = roundedPixel(pose.x + wanted.x - now.x);
        pose.y = roundedPixel(pose.y + wanted.y - now.y);
        pose.width = withinScales(pose.width * wanted.width / now.width);
        pose.height = withinScales(pose.height * wanted.height / now.height);
    });
}

void setStrength(MaskShape& shape, std::int64_t frame, double strength, EditScope scope) {
    changeKeys(shape, frame, scope, [strength](MaskPose& pose) { pose.strength = strength; });
}

void setPlace(DrawnTrack& track, std::int64_t frame, DrawnPoint place, EditScope scope) {
    const DrawnPoint now = placeAt(track, static_cast<double>(frame));
    changeKeys(track, frame, scope, [&](TrackNode& node) {
        node.x = scope == EditScope::Frame ? roundedPixel(place.x) : roundedPixel(node.x + place.x - now.x);
        node.y = scope == EditScope::Frame ? roundedPixel(place.y) : roundedPixel(node.y + place.y - now.y);
    });
}

double roundedPixel(double value) {
    constexpr double parts = 100;
    return std::round(value * parts) / parts;
}

DrawnPoint roundedPoint(DrawnPoint point) {
    return {roundedPixel(point.x), roundedPixel(point.y)};
}

}  // namespace meshreel
