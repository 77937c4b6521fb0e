// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSlider>
#include <QPoint>
#include <vector>

#include "engine/mesh/mesh_layout.h"

namespace meshreel {

/// A handle at an edge of the drawn mesh: dragging it outwards puts more devices along its axis, the arrow
/// keys do the same. It stops at legal numbers only. Right and down are more, whatever the language: drawings
/// are not mirrored.
class AxisHandle : public QAbstractSlider {
    Q_OBJECT

  public:
    /// At the right edge the handle is drawn upright and moves sideways; at the lower edge it is level and
    /// moves up and down.
    enum class Edge { Right, Lower };

    AxisHandle(MeshAxis axis, Edge edge, QWidget* parent);

    /// `legal` is ascending and holds `extent`.
    void setExtents(const std::vector<int>& legal, int extent);
    [[nodiscard]] int extent() const { return m_extent; }
    [[nodiscard]] const std::vector<int>& legalExtents() const { return m_legal; }
    [[nodiscard]] MeshAxis axis() const { return m_axis; }
    [[nodiscard]] Edge edge() const { return m_edge; }
    [[nodiscard]] bool isDragged() const { return m_dragged; }
    /// Where the pointer is while it is dragged, in legal numbers; otherwise extent().
    [[nodiscard]] int shownExtent() const { return m_dragged ? m_aimed : m_extent; }
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    /// Another number while dragging; again with extent() when a drag ends, however it ends.
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
    /// The legal number nearest to `asked` on its side of extent().
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
    QPoint m_grip;  ///< of the drag's begin, global
};

}  // namespace meshreel
