// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSlider>
#include <QPoint>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "engine/mesh/mesh_layout.h"
#include "engine/planning/mesh_search.h"
#include "ui/mesh/attention_walk.h"
#include "ui/mesh/mesh_drawing.h"
#include "ui/mesh/mesh_picture.h"

namespace meshreel {

/// A handle at an edge of the drawn mesh: dragging it outwards puts more devices along its axis, the arrow
/// keys do the same. It stops at legal numbers only. Right and down are more, whatever the language: drawings
/// are not mirrored.
class AxisHandle : public QAbstractSlider {
    Q_OBJECT

  public:
    /// At the right edge the handle is drawn vertically and moves sideways; at the lower edge it is
    /// horizontal and moves up and down.
    enum class Edge { Right, Lower };

    AxisHandle(MeshAxis axis, Edge edge, QWidget* parent);

    /// `legal` is ascending and holds `extent`.
    void setExtents(const std::vector<int>& legal, int extent);
    [[nodiscard]] int extent() const { return m_extent; }
    [[nodiscard]] const std::vector<int>& legalExtents() const { return m_legal; }
    [[nodiscard]] MeshAxis axis() const { return m_axis; }
    [[nodiscard]] Edge edge() const { return m_edge; }
    [[nodiscard]] bool isDragged() const { return m_dragged; }
    /// Returns where the pointer is while it is dragged, in legal numbers; otherwise extent().
    [[nodiscard]] int shownExtent() const { return m_dragged ? m_aimed : m_extent; }
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    /// Another number while dragging; sent again with extent() when a drag ends, however it ends.
    void aimed(int extent);
    /// Released, or chosen with a key.
    void chosen(int extent);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    [[nodiscard]] QString words() const;
    /// Returns the legal number nearest to `asked` on its side of extent().
    [[nodiscard]] int legalBeyond(int asked) const;
    void take(int extent);
    void endDrag();
    void describe();

    MeshAxis m_axis;
    Edge m_edge;
    std::vector<int> m_legal{1};
    int m_extent = 1;
    int m_aimed = 1;
    bool m_dragged = false;
    QPoint m_grip;  ///< where the drag began, global
};

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
    /// Returns what a drag would make; null while there is none.
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
    [[nodiscard]] const AxisChoice* findChoice(MeshAxis axis, int extent) const;
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
    MeshDrawing m_outline;  ///< drawing of m_aimed
};

}  // namespace meshreel
