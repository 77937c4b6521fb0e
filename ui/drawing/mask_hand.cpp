// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/mask_hand.h"

#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QPen>
#include <QString>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include "engine/media/drawing.h"
#include "engine/media/track_drawing.h"
#include "ui/drawing/drawing_document.h"
#include "ui/drawing/drawing_edits.h"

namespace meshreel {

namespace {

constexpr double leastExtent = 1;  ///< pixels, of what counts as a box and of what a shape is scaled to
constexpr double strokeTolerance = 0.5;
constexpr double partOfPicture = 0.25;

DrawnBounds boundsBetween(DrawnPoint one, DrawnPoint other) {
    return boundsOf(std::array{roundedPoint(one), roundedPoint(other)});
}

/// A corner as far from `from` across as down.
DrawnPoint evenCorner(DrawnPoint from, DrawnPoint to) {
    const double side = std::max(std::abs(to.x - from.x), std::abs(to.y - from.y));
    return {from.x + std::copysign(side, to.x - from.x), from.y + std::copysign(side, to.y - from.y)};
}

/// A corner at least a pixel from the one that stays.
DrawnPoint apartFrom(DrawnPoint fixed, DrawnPoint corner) {
    const auto apart = [](double from, double to) {
        return std::abs(to - from) < leastExtent ? from + std::copysign(leastExtent, to - from) : to;
    };
    return {apart(fixed.x, corner.x), apart(fixed.y, corner.y)};
}

double distanceBetween(DrawnPoint one, DrawnPoint other) {
    return std::hypot(one.x - other.x, one.y - other.y);
}

/// The outline of a shape; of a stroke that of its brush along the way.
QPainterPath outlineOf(const MaskShape& shape, const MaskPose& pose, const StageView& view) {
    const std::vector<DrawnPoint> points = placedPoints(shape, pose);
    const DrawnBounds bounds = boundsOf(points);
    const QRectF box(view.toScreen({bounds.left, bounds.top}), view.toScreen({bounds.right, bounds.bottom}));
    QPainterPath path;
    switch (shape.kind) {
        case MaskShapeKind::Box:
            path.addRect(box);
            return path;
        case MaskShapeKind::Ellipse:
            path.addEllipse(box);
            return path;
        case MaskShapeKind::Polygon:
        case MaskShapeKind::Stroke:
            break;
    }
    path.moveTo(view.toScreen(points.front()));
    for (const DrawnPoint& point : points)
        path.lineTo(view.toScreen(point));
    if (shape.kind == MaskShapeKind::Polygon) {
        path.closeSubpath();
        return path;
    }
    const double width = 2 * placedRadius(shape, pose) / view.ofScreen(1);
    QPainterPathStroker brush(
        QPen(Qt::black, std::max(1.0, width), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (points.size() == 1) {
        QPainterPath dot;
        dot.addEllipse(view.toScreen(points.front()), width / 2, width / 2);
        return dot;
    }
    return brush.createStroke(path).simplified();
}

}  // namespace

std::array<DrawnPoint, 4> cornersOf(const DrawnBounds& bounds) {
    return {DrawnPoint{bounds.left, bounds.top}, DrawnPoint{bounds.right, bounds.top},
            DrawnPoint{bounds.right, bounds.bottom}, DrawnPoint{bounds.left, bounds.bottom}};
}

MaskShape MaskHand::styled(MaskShapeKind kind, std::vector<DrawnPoint> points) const {
    return {.kind = kind,
            .points = std::move(points),
            .radius = kind == MaskShapeKind::Stroke ? m_style.radius : 0,
            .softness = m_style.softness,
            .cuts = m_style.cuts,
            .poses = {MaskPose{.frame = m_document.frame()}}};
}

QString MaskHand::addTitle(MaskShapeKind kind) const {
    switch (kind) {
        case MaskShapeKind::Box:
            return tr("Draw a box");
        case MaskShapeKind::Ellipse:
            return tr("Draw an ellipse");
        case MaskShapeKind::Polygon:
            return tr("Draw a polygon");
        case MaskShapeKind::Stroke:
            break;
    }
    return tr("Draw a stroke");
}

void MaskHand::press(DrawnPoint place, double reach) {
    m_from = place;
    switch (tool()) {
        case DrawingTool::Choose:
        case DrawingTool::Track:
            return pressToChoose(place, reach);
        case DrawingTool::Polygon:
            return addCorner(place, reach);
        case DrawingTool::Brush:
            m_doing = Doing::Brushing;
            m_points = {roundedPoint(place)};
            m_document.begin();
            return showWith(styled(MaskShapeKind::Stroke, m_points));
        case DrawingTool::Box:
        case DrawingTool::Ellipse:
            m_doing = Doing::Stretching;
            return m_document.begin();
    }
}

void MaskHand::pressToChoose(DrawnPoint place, double reach) {
    const auto frame = static_cast<double>(m_document.frame());
    if (const MaskShape* chosen = m_document.chosenShape()) {
        const std::array<DrawnPoint, 4> corners =
            cornersOf(boundsOf(placedPoints(*chosen, poseAt(*chosen, frame))));
        const auto at = std::ranges::find_if(
            corners, [&](DrawnPoint corner) { return distanceBetween(corner, place) <= reach; });
        if (at != corners.end() && chosen->points.size() > 1) {
            m_fixed = corners.at(static_cast<std::size_t>(at - corners.begin() + 2) % corners.size());
            m_item = m_document.chosen();
            m_doing = Doing::Scaling;
            return m_document.begin();
        }
    }
    const std::vector<MaskShape>& shapes = m_document.mask()->shapes;
    int hit = m_document.count() - 1;
    while (hit >= 0) {
        const MaskShape& shape = shapes[static_cast<std::size_t>(hit)];
        if (touches(shape, poseAt(shape, frame), place, reach / 2))
            break;
        --hit;
    }
    m_document.choose(hit);
    if (hit < 0)
        return;
    m_item = hit;
    m_doing = Doing::Moving;
    m_document.begin();
}

void MaskHand::addCorner(DrawnPoint place, double reach) {
    const std::size_t fewest = rowOf(MaskShapeKind::Polygon).fewest;
    if (m_corners.size() >= fewest && distanceBetween(m_corners.front(), place) <= reach) {
        finish();
        return;
    }
    m_corners.push_back(roundedPoint(place));
    m_pointer = place;
}

void MaskHand::showWith(const MaskShape& shape) {
    MaskDrawing drawing = std::get<MaskDrawing>(m_document.before());
    drawing.shapes.push_back(shape);
    const int last = static_cast<int>(drawing.shapes.size()) - 1;
    m_document.setLive(std::move(drawing), last);
}

void MaskHand::drag(DrawnPoint place, bool even) {
    if (!m_document.isLive())
        m_doing = Doing::Nothing;  // it was undone meanwhile
    switch (m_doing) {
        case Doing::Nothing:
            return hover(place);
        case Doing::Brushing:
            m_points.push_back(roundedPoint(place));
            return showWith(styled(MaskShapeKind::Stroke, m_points));
        case Doing::Stretching: {
            const DrawnBounds bounds = boundsBetween(m_from, even ? evenCorner(m_from, place) : place);
            if (bounds.width() < leastExtent || bounds.height() < leastExtent)
                return m_document.setLive(m_document.before(), -1);
            return showWith(styled(tool() == DrawingTool::Box ? MaskShapeKind::Box : MaskShapeKind::Ellipse,
                                   {{bounds.left, bounds.top}, {bounds.right, bounds.bottom}}));
        }
        case Doing::Moving:
        case Doing::Scaling:
            return showChanged(place, even);
    }
}

void MaskHand::showChanged(DrawnPoint place, bool even) {
    Drawing drawing = m_document.before();
    if (m_doing == Doing::Moving) {
        moveItem(drawing, m_item, m_document.frame(), {place.x - m_from.x, place.y - m_from.y},
                 m_document.scope());
    } else {
        const DrawnPoint corner = apartFrom(m_fixed, even ? evenCorner(m_fixed, place) : place);
        fillBounds(std::get<MaskDrawing>(drawing).shapes[static_cast<std::size_t>(m_item)],
                   m_document.frame(), boundsBetween(m_fixed, corner), m_document.scope());
    }
    m_document.setLive(std::move(drawing), m_item);
}

void MaskHand::release() {
    switch (std::exchange(m_doing, Doing::Nothing)) {
        case Doing::Nothing:
            return;
        case Doing::Brushing:
            showWith(styled(MaskShapeKind::Stroke, thinnedWay(m_points, strokeTolerance)));
            return m_document.finish(addTitle(MaskShapeKind::Stroke));
        case Doing::Stretching:
            return m_document.finish(
                addTitle(tool() == DrawingTool::Box ? MaskShapeKind::Box : MaskShapeKind::Ellipse));
        case Doing::Moving:
            return m_document.finish(tr("Move a shape"));
        case Doing::Scaling:
            return m_document.finish(tr("Scale a shape"));
    }
}

void MaskHand::hover(DrawnPoint place) {
    m_pointer = place;
}

bool MaskHand::finish() {
    if (m_corners.empty())
        return false;
    std::vector<DrawnPoint> corners = std::exchange(m_corners, {});
    const auto doubled = std::ranges::unique(corners);
    corners.erase(doubled.begin(), doubled.end());
    if (corners.size() >= rowOf(MaskShapeKind::Polygon).fewest)
        m_document.add(addTitle(MaskShapeKind::Polygon), styled(MaskShapeKind::Polygon, std::move(corners)));
    return true;
}

bool MaskHand::cancel() {
    const bool wasBusy = isBusy();
    m_doing = Doing::Nothing;
    m_corners.clear();
    m_document.cancel();
    return wasBusy;
}

bool MaskHand::stepBack() {
    if (m_corners.empty())
        return false;
    m_corners.pop_back();
    return true;
}

void MaskHand::addInMiddle() {
    cancel();
    const DrawingCanvas& canvas = m_document.canvas();
    const double x = static_cast<double>(canvas.width) / 2;
    const double y = static_cast<double>(canvas.height) / 2;
    const double across = roundedPixel(x * partOfPicture * 2);
    const double down = roundedPixel(y * partOfPicture * 2);
    const DrawnPoint first{x - across / 2, y - down / 2};
    const DrawnPoint last{x + across / 2, y + down / 2};
    MaskShape shape;
    switch (tool()) {
        case DrawingTool::Ellipse:
            shape = styled(MaskShapeKind::Ellipse, {first, last});
            break;
        case DrawingTool::Polygon:
            shape = styled(MaskShapeKind::Polygon, {{x, first.y}, last, {first.x, last.y}});
            break;
        case DrawingTool::Brush:
            shape = styled(MaskShapeKind::Stroke, {{first.x, y}, {last.x, y}});
            break;
        case DrawingTool::Choose:
        case DrawingTool::Box:
        case DrawingTool::Track:
            shape = styled(MaskShapeKind::Box, {first, last});
            break;
    }
    m_document.add(addTitle(shape.kind), shape);
}

void MaskHand::paint(QPainter& painter, const StageView& view, const QPalette& palette) const {
    for (int item = 0; item < m_document.count(); ++item)
        if (item != m_document.chosen())
            paintShape(painter, view, item, palette);
    if (m_document.chosen() >= 0) {
        paintGhosts(painter, view, palette);
        paintShape(painter, view, m_document.chosen(), palette);
    }
    if (m_corners.empty())
        return;
    QPainterPath path;
    path.moveTo(view.toScreen(m_corners.front()));
    for (const DrawnPoint& corner : m_corners)
        path.lineTo(view.toScreen(corner));
    path.lineTo(view.toScreen(m_pointer));
    strokeSeen(painter, path, chosenInk(palette), Qt::SolidLine);
    for (const DrawnPoint& corner : m_corners)
        paintGrip(painter, view.toScreen(corner), Qt::white, true);
}

void MaskHand::paintShape(QPainter& painter, const StageView& view, int item, const QPalette& palette) const {
    const MaskShape& shape = m_document.mask()->shapes[static_cast<std::size_t>(item)];
    const MaskPose pose = poseAt(shape, static_cast<double>(m_document.frame()));
    const bool isChosen = item == m_document.chosen();
    strokeSeen(painter, outlineOf(shape, pose, view), isChosen ? chosenInk(palette) : QColor(Qt::white),
               shape.cuts ? Qt::DashLine : Qt::SolidLine);
    if (isChosen && shape.points.size() > 1 && tool() == DrawingTool::Choose)
        for (const DrawnPoint& corner : cornersOf(boundsOf(placedPoints(shape, pose))))
            paintGrip(painter, view.toScreen(corner), Qt::white, false);
}

/// Where the chosen shape is at its keyframes before and behind this frame.
void MaskHand::paintGhosts(QPainter& painter, const StageView& view, const QPalette& palette) const {
    const MaskShape& shape = *m_document.chosenShape();
    std::optional<MaskPose> before;
    std::optional<MaskPose> behind;
    for (const MaskPose& pose : shape.poses) {
        if (pose.frame < m_document.frame())
            before = pose;
        else if (pose.frame > m_document.frame() && !behind)
            behind = pose;
    }
    QColor ink = chosenInk(palette);
    constexpr int ghostOpacity = 150;
    ink.setAlpha(ghostOpacity);
    for (const std::optional<MaskPose>& pose : {before, behind})
        if (pose)
            strokeSeen(painter, outlineOf(shape, *pose, view), ink, Qt::DotLine);
}

}  // namespace meshreel
