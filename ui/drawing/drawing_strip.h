// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

class QKeyEvent;
class QMouseEvent;

namespace meshreel {

class DrawingDocument;

/// The clip as a strip of its frames: where it is shown, and the keyframes of the chosen item, which are
/// dragged along it. With the keyboard, Left and Right go to other frames, Up and Down to the keyframe before
/// and behind, Shift with Left and Right moves the keyframe of the frame, Delete removes it. Left is the
/// beginning, whatever the language.
class DrawingStrip : public QWidget {
    Q_OBJECT

  public:
    explicit DrawingStrip(DrawingDocument& document, QWidget* parent = nullptr);

    /// Returns the frame nearest to a place of the strip.
    [[nodiscard]] std::int64_t frameAt(double x) const;
    /// Returns where a frame is, in the middle of the rail.
    [[nodiscard]] QPointF placeOf(std::int64_t frame) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void seekRequested(int frame);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] std::optional<std::int64_t> keyframeAt(QPointF place) const;
    void goToNeighbour(bool behind);
    void moveBy(std::int64_t frames);
    void describe();

    DrawingDocument& m_document;
    std::optional<std::int64_t> m_dragged;  ///< the keyframe that is dragged
    std::int64_t m_aimed = 0;               ///< where it would go
    bool m_isSeeking = false;
};

}  // namespace meshreel
