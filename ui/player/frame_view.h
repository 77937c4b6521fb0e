// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>

#include "ui/player/picture_zoom.h"

namespace meshreel {

/// One picture, as large as fits with its proportions kept or larger; a line of text where there is none.
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
