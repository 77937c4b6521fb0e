// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/player_widget.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <array>

#include "ui/player/frame_view.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr std::array speeds{0.25, 0.5, 1.0, 2.0, 4.0};
constexpr double normalSpeed = 1.0;

}  // namespace

PlayerWidget::PlayerWidget(QWidget* parent)
    : QWidget(parent),
      m_view(new FrameView(this)),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_back(addButton("step-back", tr("One frame back"), tr("Left arrow"))),
      m_play(addButton("play", tr("Play"), tr("Space"))),
      m_forward(addButton("step-forward", tr("One frame on"), tr("Right arrow"))),
      m_loop(addButton("loop", tr("Play in a loop"), tr("L"))),
      m_speed(new QComboBox(this)),
      m_time(new QLabel(this)),
      m_controls(makeControls()) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(tightSpacing);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_controls);

    setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(m_slider);
    m_view->setAccessibleName(tr("Video"));
    m_slider->setAccessibleName(tr("Position in the video"));
    m_slider->setToolTip(tr("Drag to go to a frame"));
    m_speed->setAccessibleName(tr("Speed"));
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
    connect(&m_playback, &Playback::positionChanged, this, &PlayerWidget::showFrame);
    connect(&m_playback, &Playback::playingChanged, this, &PlayerWidget::showPlaying);
    setClip({});
}

void PlayerWidget::setClip(const Clip& clip) {
    m_clip = clip;
    const int count = static_cast<int>(clip.frames.size());
    m_slider->setRange(0, std::max(count - 1, 0));
    m_slider->setPageStep(std::max(count / 8, 1));
    m_controls->setEnabled(count > 0);
    m_playback.setLength(count, clip.framesPerSecond);
}

const QImage& PlayerWidget::shownFrame() const {
    return m_view->image();
}

void PlayerWidget::setPlaceholder(const QString& text) {
    m_view->setPlaceholder(text);
}

void PlayerWidget::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Space:
            m_playback.toggle();
            break;
        case Qt::Key_Left:
            m_playback.step(-1);
            break;
        case Qt::Key_Right:
            m_playback.step(1);
            break;
        case Qt::Key_Home:
            m_playback.seek(0);
            break;
        case Qt::Key_End:
            m_playback.seek(m_playback.length() - 1);
            break;
        case Qt::Key_L:
            m_loop->toggle();
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

QToolButton* PlayerWidget::addButton(const char* icon, const QString& name, const QString& keys) {
    auto* button = new QToolButton(this);
    button->setIcon(themedIcon(QLatin1String(icon)));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(tr("%1 (%2)", "action and its key").arg(name, keys));
    return button;
}

QWidget* PlayerWidget::makeControls() {
    auto* controls = new QWidget(this);
    auto* row = new QHBoxLayout(controls);
    row->setContentsMargins(tightSpacing, 0, tightSpacing, 0);
    row->setSpacing(tightSpacing);
    for (QToolButton* button : {m_back, m_play, m_forward})
        row->addWidget(button);
    row->addWidget(m_slider, 1);
    row->addWidget(m_time);
    row->addWidget(m_loop);
    row->addWidget(m_speed);
    return controls;
}

void PlayerWidget::fillSpeeds() {
    for (const double speed : speeds)
        m_speed->addItem(QStringLiteral("%1×").arg(speed), speed);
    m_speed->setCurrentIndex(m_speed->findData(normalSpeed));
}

void PlayerWidget::showFrame(int frame) {
    m_slider->setValue(frame);
    m_view->setImage(m_clip.isEmpty() ? QImage() : m_clip.frames.at(frame));
    m_time->setText(m_clip.isEmpty() ? QString()
                                     : tr("Frame %1 of %2 · %3 s")
                                           .arg(frame + 1)
                                           .arg(m_clip.frames.size())
                                           .arg(frame / m_clip.framesPerSecond, 0, 'f', 2));
}

void PlayerWidget::showPlaying(bool playing) {
    m_play->setIcon(themedIcon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    m_play->setAccessibleName(playing ? tr("Pause") : tr("Play"));
    m_play->setToolTip(tr("%1 (%2)", "action and its key").arg(m_play->accessibleName(), tr("Space")));
}

}  // namespace meshreel
