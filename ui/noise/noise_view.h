// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/noise/noise_drawing.h"

namespace meshreel {

/// The noise level of every step, tinted by the expert that computes it, with the boundary between them. The
/// step under the pointer, or the one chosen with the arrow keys, is marked.
class NoiseView : public QWidget {
    Q_OBJECT

  public:
    explicit NoiseView(QWidget* parent = nullptr);

    void setLevels(NoiseLevels levels);
    /// -1 marks none.
    void chooseStep(int step);
    [[nodiscard]] int chosenStep() const { return m_chosen; }
    [[nodiscard]] NoiseDrawing drawing() const;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void stepChosen(int step);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void paintStretches(QPainter& painter, const NoiseDrawing& drawing) const;
    void paintAxes(QPainter& painter, const NoiseDrawing& drawing) const;
    void paintBoundary(QPainter& painter, const NoiseDrawing& drawing) const;
    void paintLevels(QPainter& painter, const NoiseDrawing& drawing) const;
    void paintChosen(QPainter& painter, const NoiseDrawing& drawing) const;

    NoiseLevels m_levels;
    int m_chosen = -1;
};

}  // namespace meshreel
