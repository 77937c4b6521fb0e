// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/player/clip.h"
#include "ui/player/playback.h"

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace meshreel {

class FrameView;

/// Shows a clip with the controls of a player: play, scrub, loop, step, speed.
class PlayerWidget : public QWidget {
    Q_OBJECT

  public:
    explicit PlayerWidget(QWidget* parent = nullptr);

    /// Starts at the first frame; keeps playing when it was.
    void setClip(const Clip& clip);
    [[nodiscard]] const Clip& clip() const { return m_clip; }
    [[nodiscard]] Playback& playback() { return m_playback; }
    [[nodiscard]] const QImage& shownFrame() const;

    void setPlaceholder(const QString& text);

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QToolButton* addButton(const char* icon, const QString& name, const QString& keys);
    QWidget* makeControls();
    void fillSpeeds();
    void showFrame(int frame);
    void showPlaying(bool playing);

    Clip m_clip;
    Playback m_playback;
    FrameView* m_view;
    QSlider* m_slider;
    QToolButton* m_back;
    QToolButton* m_play;
    QToolButton* m_forward;
    QToolButton* m_loop;
    QComboBox* m_speed;
    QLabel* m_time;
    QWidget* m_controls;
};

}  // namespace meshreel
