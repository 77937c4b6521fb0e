// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/playback.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/units.h"
#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"

namespace meshreel {

namespace {}  // namespace

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

namespace {

constexpr std::array speeds{0.25, 0.5, 1.0, 2.0, 4.0};
constexpr double normalSpeed = 1.0;
constexpr int pages = 8;         ///< of the slider
constexpr int leastSlider = 60;  ///< pixels

}  // namespace

PlaybackControls::PlaybackControls(Playback& playback, QWidget* parent)
    : QWidget(parent),
      m_playback(playback),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_back(makeButton("step-back", tr("One frame back"), tr("Left arrow"))),
      m_play(makeButton("play", tr("Play"), tr("Space"))),
      m_forward(makeButton("step-forward", tr("One frame on"), tr("Right arrow"))),
      m_loop(makeButton("loop", tr("Play in a loop"), tr("L"))),
      m_speed(new QComboBox(this)),
      m_time(new QLabel(this)),
      m_row(new QHBoxLayout(this)) {
    setLayoutDirection(Qt::LeftToRight);  // time runs to the right, whatever the language
    layOut();
    m_slider->setAccessibleName(tr("Position in the video"));
    m_slider->setToolTip(tr("Drag to go to a frame"));
    m_slider->setMinimumWidth(leastSlider);
    nameControl(*m_speed, tr("Speed"));
    m_speed->setToolTip(tr("Speed"));
    m_loop->setCheckable(true);
    m_loop->setChecked(m_playback.loops());
    fillSpeeds();

    connect(m_back, &QToolButton::clicked, &m_playback, [this] { m_playback.step(-1); });
    connect(m_play, &QToolButton::clicked, &m_playback, &Playback::toggle);
    connect(m_forward, &QToolButton::clicked, &m_playback, [this] { m_playback.step(1); });
    connect(m_loop, &QToolButton::toggled, &m_playback, &Playback::setLoops);
    connect(m_speed, &QComboBox::currentIndexChanged, &m_playback,
            [this] { m_playback.setSpeed(m_speed->currentData().toDouble()); });
    connect(m_slider, &QSlider::valueChanged, &m_playback, &Playback::seek);
    connect(&m_playback, &Playback::positionChanged, this, &PlaybackControls::showPosition);
    connect(&m_playback, &Playback::playingChanged, this, &PlaybackControls::showPlaying);
}

void PlaybackControls::setLength(int frames, double framesPerSecond) {
    m_framesPerSecond = framesPerSecond;
    m_slider->setRange(0, std::max(frames - 1, 0));
    m_slider->setPageStep(std::max(frames / pages, 1));
    setEnabled(frames > 0);
    m_playback.setLength(frames, framesPerSecond);
}

bool PlaybackControls::takeKey(const QKeyEvent& event) {
    if ((event.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier)
        return false;
    switch (event.key()) {
        case Qt::Key_Space:
            m_playback.toggle();
            return true;
        case Qt::Key_Left:
            m_playback.step(-1);
            return true;
        case Qt::Key_Right:
            m_playback.step(1);
            return true;
        case Qt::Key_Home:
            m_playback.seek(0);
            return true;
        case Qt::Key_End:
            m_playback.seek(m_playback.length() - 1);
            return true;
        case Qt::Key_L:
            m_loop->toggle();
            return true;
        default:
            return false;
    }
}

void PlaybackControls::addButton(QToolButton* button) {
    m_row->addWidget(button);
}

QToolButton* PlaybackControls::makeButton(const char* icon, const QString& name, const QString& keys) {
    auto* button = new QToolButton(this);
    button->setIcon(themedIcon(QLatin1String(icon)));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(tr("%1 (%2)", "action and its key").arg(name, keys));
    return button;
}

void PlaybackControls::layOut() {
    m_row->setContentsMargins(tightSpacing, 0, tightSpacing, 0);
    m_row->setSpacing(tightSpacing);
    for (QToolButton* button : {m_back, m_play, m_forward})
        m_row->addWidget(button);
    m_row->addWidget(m_slider, 1);
    m_row->addWidget(m_time);
    m_row->addWidget(m_loop);
    m_row->addWidget(m_speed);
}

void PlaybackControls::fillSpeeds() {
    for (const double speed : speeds)
        m_speed->addItem(QStringLiteral("%1×").arg(QLocale().toString(speed)), speed);
    m_speed->setCurrentIndex(m_speed->findData(normalSpeed));
}

void PlaybackControls::showPosition(int frame) {
    m_slider->setValue(frame);
    if (m_playback.length() == 0)
        return m_time->clear();
    const QString whole = tr("Frame %1 of %2 · %3 s")
                              .arg(frame + 1)
                              .arg(m_playback.length())
                              .arg(QLocale().toString(frame / m_framesPerSecond, 'f', 2));
    const QString brief = QStringLiteral("%1/%2").arg(frame + 1).arg(m_playback.length());
    const QFontMetrics letters = m_time->fontMetrics();
    m_time->setMinimumWidth(letters.horizontalAdvance(brief));
    const int others = m_row->minimumSize().width() - m_time->minimumWidth();
    m_time->setText(others + letters.horizontalAdvance(whole) <= width() ? whole : brief);
    m_time->setToolTip(whole);
}

void PlaybackControls::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showPosition(m_playback.position());  // in words, if there is room for them
}

void PlaybackControls::showPlaying(bool playing) {
    m_play->setIcon(themedIcon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    m_play->setAccessibleName(playing ? tr("Pause") : tr("Play"));
    m_play->setToolTip(tr("%1 (%2)", "action and its key").arg(m_play->accessibleName(), tr("Space")));
}

}  // namespace meshreel

#include "moc_playback.cpp"
