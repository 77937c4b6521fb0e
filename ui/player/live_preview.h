// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/player/clip.h"
#include "ui/player/playback.h"

class QLabel;

namespace meshreel {

class FrameView;

/// What the latents look like while they are denoised: a small moving picture, new after each step.
class LivePreview : public QWidget {
    Q_OBJECT

  public:
    explicit LivePreview(QWidget* parent = nullptr);

    /// Plays on from the frame the last preview stood at.
    void setClip(const Clip& clip);
    void clear();
    [[nodiscard]] const QImage& shownFrame() const;

  protected:
    void hideEvent(QHideEvent* event) override;

  private:
    void showFrame(int frame);

    Clip m_clip;
    Playback m_playback;
    FrameView* m_view;
    QLabel* m_caption;
};

}  // namespace meshreel
