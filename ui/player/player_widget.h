// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/player/playback.h"
#include "ui/values/clip.h"

class QMenu;

namespace meshreel {

class ClipExporter;
class FrameView;
class PlaybackControls;

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
    [[nodiscard]] ClipExporter& exporter() const { return *m_exporter; }

    void setPlaceholder(const QString& text);

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
