// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QKeyEvent;
class QLabel;
class QSlider;
class QToolButton;

namespace meshreel {

/// Position in a clip and its course in time; knows nothing of pictures.
class Playback : public QObject {
    Q_OBJECT

  public:
    explicit Playback(QObject* parent = nullptr);

    /// Goes to the first frame of a clip of `frames` pictures; 0 is an empty clip.
    void setLength(int frames, double framesPerSecond);
    [[nodiscard]] int length() const { return m_length; }
    [[nodiscard]] int position() const { return m_position; }
    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }
    [[nodiscard]] bool loops() const { return m_loops; }
    [[nodiscard]] double speed() const { return m_speed; }

    void setLoops(bool loops) { m_loops = loops; }
    /// 1 is the clip's own rate.
    void setSpeed(double speed);

    /// Plays, from the start when the clip is at its end.
    void play();
    void pause();
    void toggle();
    /// Clamped to the clip; playing continues from there.
    void seek(int frame);
    /// Pauses and moves; wraps around when looping.
    void step(int frames);

  signals:
    void positionChanged(int frame);
    void playingChanged(bool playing);

  private:
    void advance();
    void moveTo(int frame);
    void updateInterval();

    QTimer m_timer;
    int m_length = 0;
    int m_position = 0;
    double m_framesPerSecond = 1;
    double m_speed = 1;
    bool m_loops = true;
};

/// The buttons, slider and keys of a player: play, scrub, loop, step, speed.
class PlaybackControls : public QWidget {
    Q_OBJECT

  public:
    explicit PlaybackControls(Playback& playback, QWidget* parent = nullptr);

    /// Goes to the first frame of a clip of `frames` pictures; 0 is an empty clip.
    void setLength(int frames, double framesPerSecond);
    /// Returns whether the key was one of a player's.
    bool takeKey(const QKeyEvent& event);
    /// Adds a button beside the speed.
    void addButton(QToolButton* button);

  protected:
    void resizeEvent(QResizeEvent* event) override;

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
