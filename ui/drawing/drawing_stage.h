// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QList>
#include <QPointF>
#include <QWidget>
#include <cstdint>

#include "engine/media/drawing.h"
#include "ui/drawing/drawing_hand.h"
#include "ui/player/frame_view.h"

class QKeyEvent;
class QMouseEvent;

namespace meshreel {

class DrawingDocument;

/// The picture that is drawn on: the frame of the clip, the mask over it, and the lines of what is drawn. The
/// wheel zooms, the middle button moves the picture; so do +, -, the arrow keys with Shift, and 0. Arrow keys
/// move what is chosen by a pixel, with Ctrl by ten; where nothing is chosen they go to other frames.
class DrawingStage : public QWidget {
    Q_OBJECT

  public:
    /// Both outlive it.
    DrawingStage(DrawingDocument& document, DrawingHand& hand, QWidget* parent = nullptr);

    /// One picture for all frames, or one for each; none is a grey ground.
    void setBackdrop(QList<QImage> frames);
    [[nodiscard]] bool hasBackdrop() const { return !m_backdrop.isEmpty(); }
    /// The mask alone, white on black.
    void setMaskOnly(bool maskOnly);
    void setTool(DrawingTool tool);

    /// Where the drawing is shown now.
    [[nodiscard]] StageView view() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    /// Frames to go on, or back.
    void stepRequested(int frames);
    /// Files were dropped on it.
    void dropped(const QStringList& files);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    [[nodiscard]] QSize pictureSize() const;
    [[nodiscard]] double reach() const;
    [[nodiscard]] bool takeArrow(const QKeyEvent& event);
    void paintBackdrop(QPainter& painter, const QRectF& target) const;
    void paintMask(QPainter& painter, const QRectF& target);
    void describe();

    DrawingDocument& m_document;
    DrawingHand& m_hand;
    PictureZoom m_zoom;
    QList<QImage> m_backdrop;
    bool m_maskOnly = false;
    Qt::MouseButton m_held = Qt::NoButton;
    QPointF m_last;  ///< of the pointer, while it moves the picture
    QImage m_mask;   ///< of the revision and frame below
    int m_maskRevision = -1;
    std::int64_t m_maskFrame = -1;
    QString m_refusal;  ///< why the mask cannot be shown
};

}  // namespace meshreel
