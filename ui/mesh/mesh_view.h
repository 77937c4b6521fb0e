// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/mesh/attention_walk.h"
#include "ui/mesh/mesh_drawing.h"

namespace meshreel {

/// Draws the devices of a mesh, their groups, and one step of an attention. The device under the pointer, or
/// the one chosen with the arrow keys, is marked with all that it exchanges with.
class MeshView : public QWidget {
    Q_OBJECT

  public:
    explicit MeshView(QWidget* parent = nullptr);

    void setPicture(const MeshPicture& picture);
    void setStep(const WalkStep& step);
    /// -1 marks none.
    void chooseDevice(int device);
    [[nodiscard]] int chosenDevice() const { return m_chosen; }
    [[nodiscard]] const MeshDrawing& drawing() const { return m_drawing; }
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void deviceChosen(int device);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void layOut();
    void paintGroups(QPainter& painter) const;
    void paintCell(QPainter& painter, int device) const;
    void paintWords(QPainter& painter, int device, const QRectF& room) const;
    void paintKeys(QPainter& painter, const QRectF& cell, const std::vector<int>& keys) const;
    void paintTransfers(QPainter& painter) const;

    MeshPicture m_picture;
    MeshDrawing m_drawing;
    WalkStep m_step;
    int m_chosen = -1;
};

}  // namespace meshreel
