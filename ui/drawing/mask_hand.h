// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/media/drawing.h"
#include "engine/media/mask_drawing.h"
#include "ui/drawing/drawing_hand.h"

namespace meshreel {

class DrawingDocument;

/// What shapes are drawn with until they are changed.
struct ShapeStyle {
    double radius = 24;  ///< of the brush, in pixels
    double softness = 4;
    bool cuts = false;
};

/// Draws boxes, ellipses, polygons and strokes, moves them, and scales them by the corners of the chosen one.
class MaskHand : public DrawingHand {
    Q_DECLARE_TR_FUNCTIONS(meshreel::MaskHand)

  public:
    explicit MaskHand(DrawingDocument& document) : m_document(document) {}

    [[nodiscard]] const ShapeStyle& style() const { return m_style; }
    void setStyle(const ShapeStyle& style) { m_style = style; }

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
    enum class Doing : std::uint8_t { Nothing, Moving, Scaling, Stretching, Brushing };

    [[nodiscard]] MaskShape styled(MaskShapeKind kind, std::vector<DrawnPoint> points) const;
    void pressToChoose(DrawnPoint place, double reach);
    void addCorner(DrawnPoint place, double reach);
    void showWith(const MaskShape& shape);
    void showChanged(DrawnPoint place, bool even);
    [[nodiscard]] QString addTitle(MaskShapeKind kind) const;
    void paintShape(QPainter& painter, const StageView& view, int item, const QPalette& palette) const;
    void paintGhosts(QPainter& painter, const StageView& view, const QPalette& palette) const;

    DrawingDocument& m_document;
    ShapeStyle m_style;
    Doing m_doing = Doing::Nothing;
    int m_item = -1;                    ///< that is moved or scaled
    DrawnPoint m_from;                  ///< where the button was pressed
    DrawnPoint m_fixed;                 ///< the corner that stays while a shape is scaled
    std::vector<DrawnPoint> m_points;   ///< of a stroke that is drawn
    std::vector<DrawnPoint> m_corners;  ///< of a polygon that is clicked
    DrawnPoint m_pointer;               ///< where the next corner would be
};

/// Returns the corners of a box in their order around it.
std::array<DrawnPoint, 4> cornersOf(const DrawnBounds& bounds);

}  // namespace meshreel
