// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/player/playback.h"
#include "ui/values/media.h"

class QKeyEvent;
class QLabel;
class QMenu;

namespace meshreel {

class ClipExporter;
class FrameView;
class PlaybackControls;
class PlayerWidget;

/// The picture of a player on a whole screen, with the player's keys. Deletes itself when it is closed.
class FullScreenView : public QWidget {
    Q_OBJECT

  public:
    explicit FullScreenView(PlayerWidget& player);

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    PlayerWidget& m_player;
    FrameView* m_view;
};

/// Shows a clip with the controls of a player, zoomed if wanted, and writes it or a frame of it elsewhere.
class PlayerWidget : public QWidget {
    Q_OBJECT

  public:
    explicit PlayerWidget(QWidget* parent = nullptr);

    /// Starts at the first frame; keeps playing when it was.
    void setClip(const Clip& clip);
    [[nodiscard]] const Clip& clip() const { return m_clip; }
    [[nodiscard]] Playback& playback() { return m_playback; }
    [[nodiscard]] const QImage& shownFrame() const;
    [[nodiscard]] FrameView& view() const { return *m_view; }
    /// Whether the key was one of the player's.
    bool takeKey(const QKeyEvent& event);
    [[nodiscard]] ClipExporter& exporter() const { return *m_exporter; }

    void setPlaceholder(const QString& text);
    /// The clip alone on its whole screen, until Escape or F; the player's keys work there.
    void showFullScreenView();

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void addExportButton();
    void fillExportMenu(QMenu* menu);
    void showFrame(int frame);

    Clip m_clip;
    Playback m_playback;
    FrameView* m_view;
    PlaybackControls* m_controls;
    ClipExporter* m_exporter;
};

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
    QSize m_pictureSize;        ///< of decoded frames; empty: as each comes
    Playback m_playback;
    FrameView* m_view;
    QLabel* m_caption;
};

}  // namespace meshreel
