// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QKeyEvent;
class QLabel;
class QSlider;
class QToolButton;

namespace meshreel {

class Playback;

/// The buttons, slider and keys of a player: play, scrub, loop, step, speed.
class PlaybackControls : public QWidget {
    Q_OBJECT

  public:
    explicit PlaybackControls(Playback& playback, QWidget* parent = nullptr);

    /// Goes to the first frame of a clip of `frames` pictures; 0 is an empty clip.
    void setLength(int frames, double framesPerSecond);
    /// Whether the key was one of a player's.
    bool takeKey(const QKeyEvent& event);
    /// Beside the speed.
    void addButton(QToolButton* button);

  private:
    QToolButton* makeButton(const char* icon, const QString& name, const QString& keys);
    void layOut();
    void fillSpeeds();
    void showPosition(int frame);
    void showPlaying(bool playing);

    Playback& m_playback;
    QSlider* m_slider;
    QToolButton* m_back;
    QToolButton* m_play;
    QToolButton* m_forward;
    QToolButton* m_loop;
    QComboBox* m_speed;
    QLabel* m_time;
    QHBoxLayout* m_row;
    double m_framesPerSecond = 1;
};

}  // namespace meshreel
