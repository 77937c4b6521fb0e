// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QCoreApplication>
#include <QFont>
#include <QFontMetrics>
#include <QPalette>
#include <QString>
#include <vector>

#include "ui/mesh/attention_walk.h"
#include "ui/mesh/mesh_drawing.h"
#include "ui/mesh/mesh_picture.h"

class QPainter;
class QPalette;

namespace meshreel {

/// How devices and keys of a ring index are painted.
struct RingLook {
    QColor color;
    Qt::BrushStyle hatch = Qt::NoBrush;  ///< lines over the colour
    QColor hatchColor = {};

    friend bool operator==(const RingLook&, const RingLook&) = default;
};

/// Returns hues that colour-blind people can distinguish; repeated ones are closer to the colour of the
/// palette's text, then hatched: no look is closer to the background than the hues themselves. 70 looks in
/// all.
RingLook ringLook(int ring, const QPalette& palette);

/// Returns the contrast from 1 (equal) to 21 (black and white), as WCAG 2.1 defines it.
double measureContrast(const QColor& one, const QColor& other);

/// Black or white, whichever reads better on this ground.
QColor wordsOn(const QColor& ground);

/// What is visible of a mesh: its devices in their places, a step of an attention, and the device looked at.
struct PaintedMesh {
    const MeshPicture& picture;
    const MeshDrawing& drawing;
    const WalkStep& step;
    int chosen = -1;  ///< -1: none
};

/// Paints a mesh in the font of the painter.
class MeshPainter {
    Q_DECLARE_TR_FUNCTIONS(meshreel::MeshPainter)

  public:
    MeshPainter(QPainter& painter, const QPalette& palette, const PaintedMesh& mesh);

    void paint();
    /// Paints without what passes between them.
    void paintDevices();

  private:
    [[nodiscard]] bool isRelated(int device) const;
    void paintGroups() const;
    void paintCell(int device) const;
    [[nodiscard]] bool isExchanged() const;  ///< tokens for heads, during the step
    [[nodiscard]] QString headsText(const PicturedDevice& device) const;
    [[nodiscard]] QString tokensText(const PicturedDevice& device) const;
    void paintWords(int device, const QRectF& room) const;
    void paintNumber(int device, const QRectF& room) const;
    void paintPlace(const PicturedDevice& device, const QRectF& room) const;
    void paintPins(const QRectF& cell, const QColor& color) const;
    void paintKeys(const QRectF& cell, const std::vector<int>& keys) const;
    void paintTransfers() const;

    QPainter& m_painter;
    QPalette m_palette;
    PaintedMesh m_mesh;
    QFont m_font;
    QFont m_bold;
    QFontMetrics m_metrics;
    // Width of the widest text of all devices, so that all cells show the same.
    int m_headsWidth = 0;
    int m_tokensWidth = 0;
    int m_numberWidth = 0;
};

/// Where the devices of another mesh would be, and in words what it is.
void paintMeshOutline(QPainter& painter, const QPalette& palette, const MeshDrawing& outline,
                      const QString& words);

}  // namespace meshreel
