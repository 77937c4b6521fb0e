// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "ui/mesh/attention_walk.h"
#include "ui/mesh/axis_choices.h"
#include "ui/mesh/mesh_drawing.h"

namespace meshreel {

class AxisHandle;

/// Draws the devices of a mesh, their groups and hosts, and one step of an attention. The device under the
/// pointer, or the one chosen with the arrow keys, is marked with all that it exchanges with. Handles at the
/// edges put more or fewer devices along an axis; what a drag would make is outlined meanwhile.
class MeshView : public QWidget {
    Q_OBJECT

  public:
    explicit MeshView(QWidget* parent = nullptr);

    void setPicture(const MeshPicture& picture);
    void setStep(const WalkStep& step);
    /// What the handles stop at; until then those of a new picture move nothing.
    void setChoices(AxisChoices choices);
    /// -1 marks none.
    void chooseDevice(int device);
    [[nodiscard]] int chosenDevice() const { return m_chosen; }
    [[nodiscard]] const MeshDrawing& drawing() const { return m_drawing; }
    [[nodiscard]] AxisHandle& handle(MeshAxis axis) const;
    /// What a drag would make; null while there is none.
    [[nodiscard]] const AxisChoice* aimedChoice() const { return m_aimed ? &*m_aimed : nullptr; }
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void deviceChosen(int device);
    /// A handle was moved.
    void extentChosen(const meshreel::AxisChoice& choice);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void layOut();
    void placeHandles();
    void resetHandles();
    void resetHandle(AxisHandle& handle) const;
    [[nodiscard]] const AxisChoice* choiceOf(MeshAxis axis, int extent) const;
    void aim(const AxisHandle& handle, int extent);
    void choose(AxisHandle& handle, int extent);
    [[nodiscard]] QRectF drawingArea() const;

    MeshPicture m_picture;
    MeshDrawing m_drawing;
    WalkStep m_step;
    int m_chosen = -1;
    std::array<AxisHandle*, meshAxes.size()> m_handles{};
    AxisChoices m_choices;
    std::optional<AxisChoice> m_aimed;
    MeshDrawing m_outline;  ///< of m_aimed
};

}  // namespace meshreel
