// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRect>
#include <QSize>

class QEvent;
class QKeyEvent;

namespace meshreel {

/// Which part of a picture a widget shows, and how large. Fitted at first; the wheel zooms about the pointer,
/// dragging moves, a double click fits again; so do +, -, the arrow keys with Shift, and 0.
class PictureZoom {
  public:
    /// 1 is fitted.
    [[nodiscard]] double factor() const { return m_factor; }
    [[nodiscard]] bool isFitted() const { return m_factor == 1; }
    void fit();
    /// By `ratio`, keeping the point of the picture that is at `at` where it is.
    void zoom(double ratio, QPointF at, QSize picture, QSize widget);
    void move(QPointF by, QSize picture, QSize widget);

    /// Where the whole picture is drawn, in the widget's coordinates.
    [[nodiscard]] QRectF target(QSize picture, QSize widget) const;

    /// Takes wheel, drag and double click in the part `pane` of a widget, where the picture is drawn; true
    /// when what is shown changed.
    bool takeEvent(const QEvent& event, QSize picture, const QRect& pane);
    /// Takes plus and minus, 0, and the arrow keys with Shift; true when it was one of them.
    bool takeKey(const QKeyEvent& event, QSize picture, QSize widget);

  private:
    bool takeArrow(int key, QSize picture, QSize widget);
    void keepInSight(QSize picture, QSize widget);

    double m_factor = 1;
    QPointF m_offset;  ///< of the picture's centre from the widget's
    QPointF m_last;    ///< of the pointer while dragging
};

}  // namespace meshreel
