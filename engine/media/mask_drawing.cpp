// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/mask_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::array maskShapeRows{
    MaskShapeRow{.kind = MaskShapeKind::Box, .name = "box", .fewest = 2, .most = 2},
    MaskShapeRow{.kind = MaskShapeKind::Ellipse, .name = "ellipse", .fewest = 2, .most = 2},
    MaskShapeRow{.kind = MaskShapeKind::Polygon, .name = "polygon", .fewest = 3, .most = 0},
    MaskShapeRow{.kind = MaskShapeKind::Stroke, .name = "stroke", .fewest = 1, .most = 0}};

constexpr bool maskShapesAreInOrder() {
    for (std::size_t row = 0; row < maskShapeRows.size(); ++row)
        if (static_cast<std::size_t>(maskShapeRows[row].kind) != row)
            return false;
    return true;
}
static_assert(maskShapesAreInOrder());

/// Distances that a frame computes at most: some seconds of work. A stroke of 1,000 points across a picture
/// of 1280 x 720 with a brush of 100 pixels takes 0.05 billion.
constexpr double mostDistances = 2e9;

[[noreturn]] void refuseCost(std::int64_t width, std::int64_t height, const std::string& where) {
    throw Error(
        ErrorKind::Input,
        sentence("the shapes of this drawing have too many points for a picture of {} x {}", width, height),
        where, sentence("Draw fewer or shorter strokes"));
}

/// A shape without any extent in one direction is as thin as this, in pixels.
constexpr double thinnest = 1e-3;

/// Pixels of a rectangle: columns [left, right) of rows [top, bottom).
struct PixelArea {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = 0;
    std::int64_t bottom = 0;

    [[nodiscard]] std::int64_t width() const { return std::max<std::int64_t>(0, right - left); }
    [[nodiscard]] std::int64_t height() const { return std::max<std::int64_t>(0, bottom - top); }
    [[nodiscard]] double pixels() const {
        return static_cast<double>(width()) * static_cast<double>(height());
    }
};

PixelArea pixelsAround(const DrawnBounds& bounds, double margin, const PixelArea& within) {
    const auto between = [](double value, std::int64_t least, std::int64_t most) {
        return static_cast<std::int64_t>(
            std::clamp(value, static_cast<double>(least), static_cast<double>(most)));
    };
    return {.left = between(std::floor(bounds.left - margin), within.left, within.right),
            .top = between(std::floor(bounds.top - margin), within.top, within.bottom),
            .right = between(std::ceil(bounds.right + margin), within.left, within.right),
            .bottom = between(std::ceil(bounds.bottom + margin), within.top, within.bottom)};
}

double lengthOf(double x, double y) {
    return std::sqrt(x * x + y * y);
}

double rampOf(double softness) {
    return std::max(softness, 1.0);
}

float coverage(double distance, double softness) {
    return static_cast<float>(std::clamp(0.5 - distance / rampOf(softness), 0.0, 1.0));
}

/// From an upright box; negative inside.
double distanceToBox(const DrawnBounds& box, DrawnPoint place) {
    const DrawnPoint centre = box.centre();
    const double across = std::abs(place.x - centre.x) - box.width() / 2;
    const double down = std::abs(place.y - centre.y) - box.height() / 2;
    return lengthOf(std::max(across, 0.0), std::max(down, 0.0)) + std::min(std::max(across, down), 0.0);
}

/// From an ellipse, to first order: exact for circles and on the outline.
double distanceToEllipse(const DrawnBounds& box, DrawnPoint place) {
    const DrawnPoint centre = box.centre();
    const double across = std::max(box.width() / 2, thinnest);
    const double down = std::max(box.height() / 2, thinnest);
    const double x = (place.x - centre.x) / across;
    const double y = (place.y - centre.y) / down;
    const double radius = lengthOf(x, y);
    const double slope = lengthOf(x / across, y / down);
    return slope > 0 ? radius * (radius - 1) / slope : -std::min(across, down);
}

/// The edges of a polygon, or the ways of a stroke; a stroke of one point is one way without length.
struct EdgeList {
    const std::vector<DrawnPoint>& points;
    bool closed;

    [[nodiscard]] std::size_t count() const {
        return closed ? points.size() : std::max<std::size_t>(1, points.size() - 1);
    }
    [[nodiscard]] std::pair<DrawnPoint, DrawnPoint> at(std::size_t edge) const {
        return {points[edge],
                points[std::min(edge + 1, closed ? points.size() : points.size() - 1) % points.size()]};
    }
};

double distanceToEdges(const EdgeList& edges, DrawnPoint place) {
    double nearest = std::numeric_limits<double>::max();
    for (std::size_t edge = 0; edge < edges.count(); ++edge) {
        const auto [from, to] = edges.at(edge);
        nearest = std::min(nearest, distanceToWay(from, to, place));
    }
    return nearest;
}

/// Where a row is crossed by a polygon's edges, from left to right. An edge holds its upper end and not its
/// lower one, so that a corner counts once.
std::vector<double> crossingsOf(const std::vector<DrawnPoint>& corners, double y) {
    std::vector<double> crossings;
    const EdgeList edges{corners, true};
    for (std::size_t edge = 0; edge < edges.count(); ++edge) {
        const auto [from, to] = edges.at(edge);
        if ((from.y <= y) != (to.y <= y))
            crossings.push_back(from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x));
    }
    std::ranges::sort(crossings);
    return crossings;
}

bool isInside(const std::vector<DrawnPoint>& corners, DrawnPoint place) {
    const std::vector<double> crossings = crossingsOf(corners, place.y);
    return std::ranges::count_if(crossings, [&](double x) { return x <= place.x; }) % 2 == 1;
}

/// The mask of a frame while its shapes are laid on it.
class MaskPlane {
  public:
    explicit MaskPlane(const DrawingCanvas& canvas)
        : m_all{.left = 0, .top = 0, .right = canvas.width, .bottom = canvas.height},
          m_values(static_cast<std::size_t>(canvas.width * canvas.height), 0.0F) {}

    void lay(const MaskShape& shape, const MaskPose& pose) {
        const std::vector<DrawnPoint> points = placedPoints(shape, pose);
        const DrawnBounds bounds = boundsOf(points);
        switch (shape.kind) {
            case MaskShapeKind::Box:
                return layBy(shape, pose, bounds, distanceToBox);
            case MaskShapeKind::Ellipse:
                return layBy(shape, pose, bounds, distanceToEllipse);
            case MaskShapeKind::Polygon:
            case MaskShapeKind::Stroke:
                return layEdges(shape, pose, points);
        }
    }

    [[nodiscard]] Tensor bytes(bool inverted) const {
        constexpr float white = 255;
        Tensor mask = Tensor::empty({m_all.bottom, m_all.right}, DType::U8);
        std::ranges::transform(m_values, mask.data<std::uint8_t>().begin(), [inverted](float value) {
            return static_cast<std::uint8_t>(std::lround((inverted ? 1 - value : value) * white));
        });
        return mask;
    }

  private:
    void put(const MaskShape& shape, const MaskPose& pose, std::int64_t x, std::int64_t y, float covered) {
        float& value = m_values[static_cast<std::size_t>(y * m_all.right + x)];
        const float own = covered * static_cast<float>(pose.strength);
        value = shape.cuts ? std::min(value, 1 - own) : std::max(value, own);
    }

    /// Shapes whose distance is a formula.
    template <typename Distance>
    void layBy(const MaskShape& shape, const MaskPose& pose, const DrawnBounds& bounds,
               const Distance& distance) {
        const PixelArea area = pixelsAround(bounds, rampOf(shape.softness) / 2, m_all);
        count(area.pixels());
        for (std::int64_t y = area.top; y < area.bottom; ++y)
            for (std::int64_t x = area.left; x < area.right; ++x)
                put(shape, pose, x, y, coverage(distance(bounds, middleOf(x, y)), shape.softness));
    }

    /// Looks for the distance to an edge only where it is near, and else whether a place is inside.
    void layEdges(const MaskShape& shape, const MaskPose& pose, const std::vector<DrawnPoint>& points) {
        const bool isStroke = shape.kind == MaskShapeKind::Stroke;
        const double radius = isStroke ? placedRadius(shape, pose) : 0;
        const double reach = radius + rampOf(shape.softness) / 2;
        const PixelArea area = pixelsAround(boundsOf(points), reach, m_all);
        if (area.pixels() == 0)
            return;
        std::vector<float> distances(static_cast<std::size_t>(area.pixels()), static_cast<float>(reach));
        const EdgeList edges{points, !isStroke};
        for (std::size_t edge = 0; edge < edges.count(); ++edge)
            count(pixelsNear(edges.at(edge), reach, area).pixels());
        if (!isStroke)
            count(static_cast<double>(edges.count()) * static_cast<double>(area.height()));
        for (std::size_t edge = 0; edge < edges.count(); ++edge)
            nearEdge(edges.at(edge), reach, area, distances);
        for (std::int64_t y = area.top; y < area.bottom; ++y) {
            const std::vector<double> crossings =
                isStroke ? std::vector<double>() : crossingsOf(points, middleOf(0, y).y);
            std::size_t crossed = 0;
            for (std::int64_t x = area.left; x < area.right; ++x) {
                while (crossed < crossings.size() && crossings[crossed] <= middleOf(x, y).x)
                    ++crossed;
                const auto away = static_cast<double>(distances[placeIn(area, x, y)]);
                const double distance = isStroke ? away - radius : crossed % 2 == 1 ? -away : away;
                put(shape, pose, x, y, coverage(distance, shape.softness));
            }
        }
    }

    static PixelArea pixelsNear(const std::pair<DrawnPoint, DrawnPoint>& edge, double reach,
                                const PixelArea& area) {
        return pixelsAround(boundsOf(std::array{edge.first, edge.second}), reach, area);
    }

    static void nearEdge(const std::pair<DrawnPoint, DrawnPoint>& edge, double reach, const PixelArea& area,
                         std::vector<float>& distances) {
        const PixelArea near = pixelsNear(edge, reach, area);
        for (std::int64_t y = near.top; y < near.bottom; ++y)
            for (std::int64_t x = near.left; x < near.right; ++x) {
                float& nearest = distances[placeIn(area, x, y)];
                const double distance = distanceToWay(edge.first, edge.second, middleOf(x, y));
                nearest = std::min(nearest, static_cast<float>(distance));
            }
    }

    /// Before the work is done.
    void count(double distances) {
        m_distances += distances;
        if (m_distances > mostDistances)
            refuseCost(m_all.right, m_all.bottom, {});
    }

    static DrawnPoint middleOf(std::int64_t x, std::int64_t y) {
        return {static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
    }

    static std::size_t placeIn(const PixelArea& area, std::int64_t x, std::int64_t y) {
        return static_cast<std::size_t>((y - area.top) * area.width() + x - area.left);
    }

    PixelArea m_all;
    std::vector<float> m_values;
    double m_distances = 0;
};

/// What a shape's keyframes make of it at most.
struct LargestPose {
    double width = 0;
    double height = 0;
    double radius = 0;
    DrawnBounds bounds;  ///< around all that it covers, without its soft edge
};

LargestPose largestPose(const MaskShape& shape) {
    const DrawnBounds own = boundsOf(shape.points);
    LargestPose largest;
    for (const MaskPose& pose : shape.poses) {
        largest.width = std::max(largest.width, pose.width);
        largest.height = std::max(largest.height, pose.height);
        const double x = own.centre().x + pose.x;
        const double y = own.centre().y + pose.y;
        const double across = own.width() * pose.width / 2;
        const double down = own.height() * pose.height / 2;
        const DrawnBounds at{x - across, y - down, x + across, y + down};
        const bool isFirst = &pose == &shape.poses.front();
        largest.bounds = {isFirst ? at.left : std::min(largest.bounds.left, at.left),
                          isFirst ? at.top : std::min(largest.bounds.top, at.top),
                          isFirst ? at.right : std::max(largest.bounds.right, at.right),
                          isFirst ? at.bottom : std::max(largest.bounds.bottom, at.bottom)};
    }
    largest.radius = shape.radius * std::sqrt(largest.width * largest.height);
    return largest;
}

/// Distances that a frame computes for a shape, or fewer: MaskPlane counts those that it does.
double mostDistancesOf(const MaskShape& shape, const PixelArea& canvas) {
    constexpr double rounding = 2;  // pixels that are touched at both ends
    const LargestPose largest = largestPose(shape);
    const bool isStroke = shape.kind == MaskShapeKind::Stroke;
    const double reach = (isStroke ? largest.radius : 0) + rampOf(shape.softness) / 2;
    const PixelArea area = pixelsAround(largest.bounds, reach, canvas);
    if (!isStroke && shape.kind != MaskShapeKind::Polygon)
        return area.pixels();
    const auto pixels = [&](double extent, double scale, std::int64_t most) {
        return std::min(std::abs(extent) * scale + 2 * reach + rounding, static_cast<double>(most));
    };
    const EdgeList edges{shape.points, !isStroke};
    double distances = isStroke ? 0 : static_cast<double>(edges.count()) * static_cast<double>(area.height());
    for (std::size_t edge = 0; edge < edges.count(); ++edge) {
        const auto [from, to] = edges.at(edge);
        distances += pixels(to.x - from.x, largest.width, area.width()) *
                     pixels(to.y - from.y, largest.height, area.height());
    }
    return distances;
}

double partWay(double from, double to, double part) {
    return from + (to - from) * part;
}

}  // namespace

std::span<const MaskShapeRow> maskShapes() {
    return maskShapeRows;
}

const MaskShapeRow& rowOf(MaskShapeKind kind) {
    return maskShapeRows.at(static_cast<std::size_t>(kind));
}

bool MaskDrawing::moves() const {
    return std::ranges::any_of(shapes, [](const MaskShape& shape) { return shape.poses.size() > 1; });
}

MaskPose poseAt(const MaskShape& shape, double frame) {
    const BetweenKeys between = betweenKeys(shape.poses, frame);
    const MaskPose& from = shape.poses[between.before];
    const MaskPose& to = shape.poses[between.behind];
    return {.frame = static_cast<std::int64_t>(std::llround(frame)),
            .x = partWay(from.x, to.x, between.part),
            .y = partWay(from.y, to.y, between.part),
            .width = partWay(from.width, to.width, between.part),
            .height = partWay(from.height, to.height, between.part),
            .strength = partWay(from.strength, to.strength, between.part),
            .easing = from.easing};
}

std::vector<DrawnPoint> placedPoints(const MaskShape& shape, const MaskPose& pose) {
    const DrawnPoint centre = boundsOf(shape.points).centre();
    std::vector<DrawnPoint> placed;
    placed.reserve(shape.points.size());
    for (const DrawnPoint& point : shape.points)
        placed.push_back({centre.x + pose.x + (point.x - centre.x) * pose.width,
                          centre.y + pose.y + (point.y - centre.y) * pose.height});
    return placed;
}

double placedRadius(const MaskShape& shape, const MaskPose& pose) {
    return shape.radius * std::sqrt(pose.width * pose.height);
}

MaskPose poseWithin(const MaskShape& shape, MaskPose pose, const DrawnBounds& bounds) {
    const DrawnBounds own = boundsOf(shape.points);
    pose.x = bounds.centre().x - own.centre().x;
    pose.y = bounds.centre().y - own.centre().y;
    if (own.width() > 0)
        pose.width = withinScales(bounds.width() / own.width());
    if (own.height() > 0)
        pose.height = withinScales(bounds.height() / own.height());
    return pose;
}

double withinScales(double scale) {
    return std::clamp(scale, 1 / largestScale, largestScale);
}

bool touches(const MaskShape& shape, const MaskPose& pose, DrawnPoint place, double reach) {
    const std::vector<DrawnPoint> points = placedPoints(shape, pose);
    switch (shape.kind) {
        case MaskShapeKind::Box:
            return distanceToBox(boundsOf(points), place) <= reach;
        case MaskShapeKind::Ellipse:
            return distanceToEllipse(boundsOf(points), place) <= reach;
        case MaskShapeKind::Polygon:
            return isInside(points, place) || distanceToEdges({points, true}, place) <= reach;
        case MaskShapeKind::Stroke:
            break;
    }
    return distanceToEdges({points, false}, place) - placedRadius(shape, pose) <= reach;
}

Tensor renderMask(const MaskDrawing& drawing, std::int64_t frame) {
    MaskPlane plane(drawing.canvas);
    for (const MaskShape& shape : drawing.shapes)
        plane.lay(shape, poseAt(shape, static_cast<double>(frame)));
    return plane.bytes(drawing.inverted);
}

void requireRenderable(const MaskDrawing& drawing, const std::string& where) {
    const PixelArea canvas{
        .left = 0, .top = 0, .right = drawing.canvas.width, .bottom = drawing.canvas.height};
    double distances = 0;
    for (const MaskShape& shape : drawing.shapes)
        distances += mostDistancesOf(shape, canvas);
    if (distances > mostDistances)
        refuseCost(canvas.right, canvas.bottom, where);
}

MaskDrawing fittedTo(MaskDrawing drawing, const DrawingCanvas& canvas) {
    const DrawingCanvas from = std::exchange(drawing.canvas, canvas);
    const double across = static_cast<double>(canvas.width) / static_cast<double>(from.width);
    const double down = static_cast<double>(canvas.height) / static_cast<double>(from.height);
    const double mean = std::sqrt(across * down);
    for (MaskShape& shape : drawing.shapes) {
        for (DrawnPoint& point : shape.points)
            point = {point.x * across, point.y * down};
        shape.radius *= mean;
        shape.softness *= mean;
        std::vector<MaskPose> poses;
        for (MaskPose pose : shape.poses) {
            pose.frame = frameOnCanvas(pose.frame, from, canvas);
            pose.x *= across;
            pose.y *= down;
            putKey(poses, pose);
        }
        shape.poses = std::move(poses);
    }
    return drawing;
}

}  // namespace meshreel
