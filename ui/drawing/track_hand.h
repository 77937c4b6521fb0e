// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/media/drawing.h"
#include "engine/media/track_drawing.h"
#include "ui/drawing/drawing_hand.h"

namespace meshreel {

class DrawingDocument;

/// Draws tracks: clicks set the places that a point passes, dragging draws its way freely. Moves nodes, whole
/// tracks, and the point at the frame that is shown.
class TrackHand : public DrawingHand {
    Q_DECLARE_TR_FUNCTIONS(meshreel::TrackHand)

  public:
    explicit TrackHand(DrawingDocument& document) : m_document(document) {}

    /// Whether the next track is a curve.
    void setSmooth(bool smooth) { m_smooth = smooth; }

    void press(DrawnPoint place, double reach) override;
    void drag(DrawnPoint place, bool even) override;
    void release() override;
    void hover(DrawnPoint place) override;
    bool finish() override;
    [[nodiscard]] bool isBusy() const override { return m_doing != Doing::Nothing || !m_corners.empty(); }
    bool cancel() override;
    bool stepBack() override;
    void addInMiddle() override;
    void paint(QPainter& painter, const StageView& view, const QPalette& palette) const override;

  private:
    enum class Doing : std::uint8_t { Nothing, Pressing, Drawing, MovingPoint, MovingNode, MovingTrack };

    void pressToChoose(DrawnPoint place, double reach);
    [[nodiscard]] std::optional<std::size_t> nodeAt(DrawnPoint place, double reach) const;
    [[nodiscard]] int trackAt(DrawnPoint place, double reach) const;
    void showMoved(DrawnPoint place);
    void paintTrack(QPainter& painter, const StageView& view, int item, const QPalette& palette) const;

    DrawingDocument& m_document;
    bool m_smooth = true;
    Doing m_doing = Doing::Nothing;
    DrawnPoint m_from;
    double m_reach = 0;
    int m_item = -1;                    ///< that is moved, or whose point is
    std::size_t m_node = 0;             ///< that is moved
    std::vector<DrawnPoint> m_corners;  ///< of a track that is clicked
    std::vector<DrawnPoint> m_way;      ///< of a track that is drawn
    DrawnPoint m_pointer;
};

/// Returns the way of a track from its first node to its last one.
std::vector<DrawnPoint> wayOf(const DrawnTrack& track);

}  // namespace meshreel
