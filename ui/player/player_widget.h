// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/player/playback.h"
#include "ui/values/clip.h"

class QKeyEvent;
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
    /// Returns whether the key was one of the player's.
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

}  // namespace meshreel
