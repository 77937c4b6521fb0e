// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>

#include "ui/player/picture_zoom.h"

namespace meshreel {

/// Two pictures, zoomed and moved together: beside each other, one wiped over the other, or their difference.
class ClipPairView : public QWidget {
    Q_OBJECT

  public:
    enum class Mode { SideBySide, Wipe, Difference };

    explicit ClipPairView(QWidget* parent = nullptr);

    void setMode(Mode mode);
    [[nodiscard]] Mode mode() const { return m_mode; }
    void setNames(const QString& first, const QString& second);
    /// Null pictures stay empty.
    void setPictures(const QImage& first, const QImage& second, const QImage& difference);
    /// Of the view's width; left of it is the first picture.
    void setWipe(double share);
    [[nodiscard]] double wipe() const { return m_wipe; }

    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] QSize paneSize() const;
    /// On the right side by side, the whole view otherwise.
    [[nodiscard]] QRect secondPane() const;
    /// The one in which the pointer is.
    [[nodiscard]] QRect paneUnder(const QEvent& event) const;
    [[nodiscard]] bool dragsWipe(const QEvent& event) const;
    void paintPane(QPainter& painter, const QRect& pane, const QImage& picture, const QString& name) const;
    void paintWipe(QPainter& painter) const;

    Mode m_mode = Mode::SideBySide;
    PictureZoom m_zoom;
    QImage m_first;
    QImage m_second;
    QImage m_difference;
    QString m_firstName;
    QString m_secondName;
    double m_wipe = 0.5;
};

}  // namespace meshreel
