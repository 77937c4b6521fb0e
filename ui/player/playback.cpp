// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/playback.h"

#include <algorithm>
#include <cmath>

namespace meshreel {

namespace {

constexpr double millisecondsPerSecond = 1000.0;

}  // namespace

Playback::Playback(QObject* parent) : QObject(parent) {
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &Playback::advance);
}

void Playback::setLength(int frames, double framesPerSecond) {
    m_length = frames;
    m_framesPerSecond = framesPerSecond > 0 ? framesPerSecond : 1;
    updateInterval();
    if (m_length < 2)
        pause();
    m_position = 0;
    emit positionChanged(0);
}

void Playback::setSpeed(double speed) {
    m_speed = speed;
    updateInterval();
}

void Playback::play() {
    if (m_length < 2 || isPlaying())
        return;
    if (m_position == m_length - 1)
        moveTo(0);
    m_timer.start();
    emit playingChanged(true);
}

void Playback::pause() {
    if (!isPlaying())
        return;
    m_timer.stop();
    emit playingChanged(false);
}

void Playback::toggle() {
    if (isPlaying())
        pause();
    else
        play();
}

void Playback::seek(int frame) {
    moveTo(std::clamp(frame, 0, std::max(m_length - 1, 0)));
}

void Playback::step(int frames) {
    pause();
    if (m_length == 0)
        return;
    const int target = m_position + frames;
    seek(m_loops ? ((target % m_length) + m_length) % m_length : target);
}

void Playback::advance() {
    if (m_position + 1 < m_length)
        moveTo(m_position + 1);
    else if (m_loops)
        moveTo(0);
    else
        pause();
}

void Playback::moveTo(int frame) {
    if (frame == m_position)
        return;
    m_position = frame;
    emit positionChanged(frame);
}

void Playback::updateInterval() {
    m_timer.setInterval(static_cast<int>(std::lround(millisecondsPerSecond / (m_framesPerSecond * m_speed))));
}

}  // namespace meshreel
