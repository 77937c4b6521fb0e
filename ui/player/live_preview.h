// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QSize>
#include <QString>
#include <QWidget>

#include "ui/player/playback.h"
#include "ui/values/clip.h"

class QLabel;

namespace meshreel {

class FrameView;

/// A run's video as far as it is known: what the latents look like, new after each step, and frame by frame
/// in its place what the VAE makes of them.
class LivePreview : public QWidget {
    Q_OBJECT

  public:
    explicit LivePreview(QWidget* parent = nullptr);

    /// Plays on from the frame the last preview stood at.
    void setClip(const Clip& clip);
    /// Decoded frames come in order.
    void addDecoded(const ClipPart& part);
    void clear();
    /// The run has ended; nothing takes the place of what is shown.
    void end();
    [[nodiscard]] const QImage& shownFrame() const;

    [[nodiscard]] int length() const { return m_playback.length(); }
    [[nodiscard]] int position() const { return m_playback.position(); }
    void seek(int frame) { m_playback.seek(frame); }

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    void makeRoomFor(const ClipPart& part);
    void playFrom(int position);
    void showFrame(int frame);
    void tellState();
    [[nodiscard]] QString caption() const;

    Clip m_clip;
    bool m_hasEnded = false;
    bool m_hasLatents = false;  ///< frames that are not decoded yet show the preview
    int m_decoded = 0;          ///< frames, the first ones
    int m_total = 0;            ///< frames of the video, once some are decoded
    QSize m_pictureSize;        ///< size of decoded frames; empty: as each comes
    Playback m_playback;
    FrameView* m_view;
    QLabel* m_caption;
};

}  // namespace meshreel
