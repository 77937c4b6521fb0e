// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QPointF>
#include <QRect>
#include <QSize>
#include <QWidget>

class QEvent;
class QKeyEvent;

namespace meshreel {

/// Which part of a picture a widget shows, and how large. Fitted at first; the wheel zooms at the pointer,
/// dragging moves, a double click fits again; so do +, -, the arrow keys with Shift, and 0.
class PictureZoom {
  public:
    /// 1 is fitted.
    [[nodiscard]] double factor() const { return m_factor; }
    [[nodiscard]] bool isFitted() const { return m_factor == 1; }
    void fit();
    /// Zooms by `ratio`, keeping the point of the picture that is at `at` in place.
    void zoom(double ratio, QPointF at, QSize picture, QSize widget);
    void move(QPointF by, QSize picture, QSize widget);

    /// Returns where the whole picture is drawn, in the widget's coordinates.
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
    QPointF m_offset;  ///< from the widget's centre to the picture's
    QPointF m_last;    ///< position of the pointer while dragging
};

/// Shows one picture, as large as fits with its proportions kept or larger; a line of text without one.
class FrameView : public QWidget {
    Q_OBJECT

  public:
    explicit FrameView(QWidget* parent = nullptr);

    void setImage(const QImage& image);
    [[nodiscard]] const QImage& image() const { return m_image; }
    void setPlaceholder(const QString& text);

    /// Zooms, moves or fits; true when the key asks for that and there is a picture.
    bool takeKey(const QKeyEvent& event);
    [[nodiscard]] const PictureZoom& pictureZoom() const { return m_zoom; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void paintPicture(QPainter& painter) const;
    void paintPlaceholder(QPainter& painter) const;

    PictureZoom m_zoom;
    QImage m_image;
    QString m_placeholder;
};

}  // namespace meshreel
