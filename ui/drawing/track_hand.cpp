// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/track_hand.h"

#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QString>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "engine/media/drawing.h"
#include "ui/drawing/drawing_document.h"
#include "ui/drawing/drawing_edits.h"

namespace meshreel {

namespace {

constexpr double wayTolerance = 2;  ///< pixels, of a way that is drawn freely
constexpr double pictureShare = 0.25;
constexpr int stepsOfWay = 16;  ///< between two nodes of a curve

double apart(DrawnPoint one, DrawnPoint other) {
    return std::hypot(one.x - other.x, one.y - other.y);
}

double distanceToTrack(const DrawnTrack& track, DrawnPoint place) {
    const std::vector<DrawnPoint> way = wayOf(track);
    double nearest = apart(way.front(), place);
    for (std::size_t at = 1; at < way.size(); ++at)
        nearest = std::min(nearest, distanceToWay(way[at - 1], way[at], place));
    return nearest;
}

/// Returns whether a track's point is in sight.
bool isSeenAt(const DrawnTrack& track, std::int64_t frame) {
    return !track.leaves || frame <= track.nodes.back().frame;
}

}  // namespace

std::vector<DrawnPoint> wayOf(const DrawnTrack& track) {
    std::vector<DrawnPoint> way{{track.nodes.front().x, track.nodes.front().y}};
    // Without easing, which changes the speed along the way and not the way.
    DrawnTrack even = track;
    for (TrackNode& node : even.nodes)
        node.easing = Easing::Linear;
    for (std::size_t node = 1; node < even.nodes.size(); ++node) {
        const auto from = static_cast<double>(even.nodes[node - 1].frame);
        const double length = static_cast<double>(even.nodes[node].frame) - from;
        const int steps = track.smooth ? stepsOfWay : 1;
        for (int step = 1; step <= steps; ++step)
            way.push_back(placeAt(even, from + length * step / steps));
    }
    return way;
}

void TrackHand::press(DrawnPoint place, double reach) {
    m_from = place;
    m_reach = reach;
    if (tool() != DrawingTool::Track)
        return pressToChoose(place, reach);
    m_doing = Doing::Pressing;
    m_way = {roundedPoint(place)};
    m_corners.push_back(roundedPoint(place));
    m_pointer = place;
}

/// The point of the chosen track first, then its nodes, then any track.
void TrackHand::pressToChoose(DrawnPoint place, double reach) {
    const DrawnTrack* chosen = m_document.chosenTrack();
    if (chosen != nullptr && isSeenAt(*chosen, m_document.frame()) &&
        apart(placeAt(*chosen, static_cast<double>(m_document.frame())), place) <= reach) {
        m_doing = Doing::MovingPoint;
    } else if (const std::optional<std::size_t> node = nodeAt(place, reach)) {
        m_node = *node;
        m_doing = Doing::MovingNode;
    } else {
        m_document.choose(trackAt(place, reach));
        if (m_document.chosen() < 0)
            return;
        m_doing = Doing::MovingTrack;
    }
    m_item = m_document.chosen();
    m_document.begin();
}

std::optional<std::size_t> TrackHand::nodeAt(DrawnPoint place, double reach) const {
    const DrawnTrack* chosen = m_document.chosenTrack();
    if (chosen == nullptr)
        return std::nullopt;
    for (std::size_t node = 0; node < chosen->nodes.size(); ++node)
        if (apart({chosen->nodes[node].x, chosen->nodes[node].y}, place) <= reach)
            return node;
    return std::nullopt;
}

int TrackHand::trackAt(DrawnPoint place, double reach) const {
    const std::vector<DrawnTrack>& tracks = m_document.tracks()->tracks;
    int nearest = -1;
    double most = reach;
    for (int item = 0; item < m_document.count(); ++item)
        if (const double distance = distanceToTrack(tracks[static_cast<std::size_t>(item)], place);
            distance <= most) {
            most = distance;
            nearest = item;
        }
    return nearest;
}

void TrackHand::drag(DrawnPoint place, bool /*even*/) {
    switch (m_doing) {
        case Doing::Nothing:
            return hover(place);
        case Doing::Pressing:
            // A click that shook is a click. A way is drawn where none is clicked already.
            if (m_corners.size() > 1 || apart(m_from, place) <= m_reach)
                return;
            m_corners.clear();
            m_doing = Doing::Drawing;
            [[fallthrough]];
        case Doing::Drawing:
            m_way.push_back(roundedPoint(place));
            return;
        case Doing::MovingPoint:
        case Doing::MovingNode:
        case Doing::MovingTrack:
            return showMoved(place);
    }
}

void TrackHand::showMoved(DrawnPoint place) {
    if (!m_document.isLive()) {
        m_doing = Doing::Nothing;  // it was undone meanwhile
        return;
    }
    Drawing drawing = m_document.before();
    const DrawnPoint by{place.x - m_from.x, place.y - m_from.y};
    DrawnTrack& track = std::get<TrackDrawing>(drawing).tracks[static_cast<std::size_t>(m_item)];
    if (m_doing == Doing::MovingTrack || m_document.scope() == EditScope::Clip) {
        moveItem(drawing, m_item, m_document.frame(), by, EditScope::Clip);
    } else if (m_doing == Doing::MovingNode) {
        TrackNode& node = track.nodes[m_node];
        node.x = roundedPixel(node.x + by.x);
        node.y = roundedPixel(node.y + by.y);
    } else {
        const DrawnPoint now = placeAt(track, static_cast<double>(m_document.frame()));
        setPlace(track, m_document.frame(), {now.x + by.x, now.y + by.y}, EditScope::Frame);
    }
    m_document.setLive(std::move(drawing), m_item);
}

void TrackHand::release() {
    switch (std::exchange(m_doing, Doing::Nothing)) {
        case Doing::Nothing:
        case Doing::Pressing:
            return;
        case Doing::Drawing:
            return m_document.add(tr("Draw a track"),
                                  trackAlong(thinnedWay(std::exchange(m_way, {}), wayTolerance),
                                             m_document.canvas(), m_smooth));
        case Doing::MovingPoint:
        case Doing::MovingNode:
            return m_document.finish(tr("Move a point"));
        case Doing::MovingTrack:
            return m_document.finish(tr("Move a track"));
    }
}

void TrackHand::hover(DrawnPoint place) {
    m_pointer = place;
}

bool TrackHand::finish() {
    if (m_corners.empty())
        return false;
    m_doing = Doing::Nothing;
    std::vector<DrawnPoint> corners = std::exchange(m_corners, {});
    const auto doubled = std::ranges::unique(corners);
    corners.erase(doubled.begin(), doubled.end());
    m_document.add(tr("Draw a track"), trackAlong(corners, m_document.canvas(), m_smooth));
    return true;
}

bool TrackHand::cancel() {
    const bool wasBusy = isBusy();
    m_doing = Doing::Nothing;
    m_corners.clear();
    m_way.clear();
    m_document.cancel();
    return wasBusy;
}

bool TrackHand::stepBack() {
    if (m_corners.empty())
        return false;
    m_corners.pop_back();
    return true;
}

void TrackHand::addInMiddle() {
    cancel();
    const DrawingCanvas& canvas = m_document.canvas();
    const double across = static_cast<double>(canvas.width);
    const double y = static_cast<double>(canvas.height) / 2;
    const double half = across * pictureShare / 2;
    m_document.add(tr("Draw a track"),
                   trackAlong(std::array{DrawnPoint{across / 2 - half, y}, DrawnPoint{across / 2 + half, y}},
                              canvas, m_smooth));
}

void TrackHand::paint(QPainter& painter, const StageView& view, const QPalette& palette) const {
    for (int item = 0; item < m_document.count(); ++item)
        if (item != m_document.chosen())
            paintTrack(painter, view, item, palette);
    if (m_document.chosen() >= 0)
        paintTrack(painter, view, m_document.chosen(), palette);
    std::vector<DrawnPoint> begun = m_doing == Doing::Drawing ? m_way : m_corners;
    if (begun.empty())
        return;
    if (m_doing != Doing::Drawing)
        begun.push_back(m_pointer);
    QPainterPath path;
    path.moveTo(view.toScreen(begun.front()));
    for (const DrawnPoint& point : begun)
        path.lineTo(view.toScreen(point));
    strokeSeen(painter, path, chosenInk(palette), Qt::SolidLine);
    for (const DrawnPoint& corner : m_corners)
        paintGrip(painter, view.toScreen(corner), Qt::white, true);
}

void TrackHand::paintTrack(QPainter& painter, const StageView& view, int item,
                           const QPalette& palette) const {
    const DrawnTrack& track = m_document.tracks()->tracks[static_cast<std::size_t>(item)];
    const bool isChosen = item == m_document.chosen();
    const QColor ink = isChosen ? chosenInk(palette) : QColor(Qt::white);
    const std::vector<DrawnPoint> way = wayOf(track);
    QPainterPath path;
    path.moveTo(view.toScreen(way.front()));
    for (const DrawnPoint& point : way)
        path.lineTo(view.toScreen(point));
    strokeSeen(painter, path, ink, Qt::SolidLine);
    if (isChosen)
        for (const TrackNode& node : track.nodes)
            paintGrip(painter, view.toScreen({node.x, node.y}), Qt::white, false);
    if (isSeenAt(track, m_document.frame()))
        paintGrip(painter, view.toScreen(placeAt(track, static_cast<double>(m_document.frame()))), ink, true);
}

}  // namespace meshreel
