// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <cstdint>

#include "engine/media/drawing.h"

class QColor;
class QPainter;
class QPainterPath;
class QPalette;

namespace meshreel {

/// What the pointer does on the picture.
enum class DrawingTool : std::uint8_t { Choose, Brush, Box, Ellipse, Polygon, Track };

/// Where a drawing is shown, in the widget's coordinates.
struct StageView {
    QRectF target;  ///< of the whole canvas
    DrawingCanvas canvas;

    [[nodiscard]] QPointF toScreen(DrawnPoint point) const {
        return {target.left() + point.x * target.width() / static_cast<double>(canvas.width),
                target.top() + point.y * target.height() / static_cast<double>(canvas.height)};
    }
    [[nodiscard]] DrawnPoint toCanvas(QPointF place) const {
        return {(place.x() - target.left()) * static_cast<double>(canvas.width) / target.width(),
                (place.y() - target.top()) * static_cast<double>(canvas.height) / target.height()};
    }
    /// Returns what a length on the screen is in pixels of the drawing.
    [[nodiscard]] double ofScreen(double length) const {
        return length * static_cast<double>(canvas.width) / target.width();
    }
};

/// What pointer and keys do to a drawing: one kind for masks, one for tracks. Places are in pixels of the
/// drawing, `reach` is how far from something a pointer still means it.
class DrawingHand {
  public:
    DrawingHand() = default;
    virtual ~DrawingHand() = default;
    DrawingHand(const DrawingHand&) = delete;
    DrawingHand& operator=(const DrawingHand&) = delete;

    [[nodiscard]] DrawingTool tool() const { return m_tool; }
    /// Ends what is going on.
    void setTool(DrawingTool tool) {
        cancel();
        m_tool = tool;
    }

    virtual void press(DrawnPoint place, double reach) = 0;
    /// With the button held. `even`: as wide as high.
    virtual void drag(DrawnPoint place, bool even) = 0;
    virtual void release() = 0;
    /// Where the pointer is while no button is held.
    virtual void hover(DrawnPoint /*place*/) {}
    /// Ends what is made of several clicks; false when nothing is.
    virtual bool finish() = 0;
    /// Returns whether something is begun that is no item yet, or an item is held.
    [[nodiscard]] virtual bool isBusy() const = 0;
    /// Drops what is going on; false when nothing is.
    virtual bool cancel() = 0;
    /// Takes the last click back; false when there is none.
    virtual bool stepBack() = 0;
    /// Makes an item of the tool's kind in the middle of the picture.
    virtual void addInMiddle() = 0;

    /// The lines over the picture.
    virtual void paint(QPainter& painter, const StageView& view, const QPalette& palette) const = 0;

  private:
    DrawingTool m_tool = DrawingTool::Choose;
};

/// A line that is seen on any picture: `ink` on a dark one that is wider.
void strokeSeen(QPainter& painter, const QPainterPath& path, const QColor& ink, Qt::PenStyle style);
/// A dot, a handle or a node, seen likewise.
void paintGrip(QPainter& painter, QPointF middle, const QColor& fill, bool round);

/// Returns the colour of what is chosen, on pictures.
QColor chosenInk(const QPalette& palette);

}  // namespace meshreel
