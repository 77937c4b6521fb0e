// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/walk_transport.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int millisecondsPerStep = 1200;

}  // namespace

WalkTransport::WalkTransport(QWidget* parent)
    : QWidget(parent),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_play(makeButton("play", tr("Play the steps"))),
      m_title(new QLabel(this)),
      m_sentence(new QLabel(this)) {
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_sentence->setWordWrap(true);
    m_play->setCheckable(true);
    m_slider->setAccessibleName(tr("Step of the attention"));
    m_slider->setPageStep(1);
    QToolButton* back = makeButton("step-back", tr("Step before"));
    QToolButton* forward = makeButton("step-forward", tr("Next step"));
    connect(back, &QToolButton::clicked, this, [this] { goToStep(m_slider->value() - 1); });
    connect(forward, &QToolButton::clicked, this, [this] { goToStep(m_slider->value() + 1); });
    connect(m_play, &QToolButton::toggled, this, &WalkTransport::play);
    connect(m_slider, &QSlider::valueChanged, this, &WalkTransport::showStep);
    m_clock.setInterval(millisecondsPerStep);
    connect(&m_clock, &QTimer::timeout, this, [this] { goToStep((m_slider->value() + 1) % stepCount()); });

    auto* steps = new QWidget(this);
    steps->setLayoutDirection(Qt::LeftToRight);  // time runs to the right, whatever the language
    auto* row = new QHBoxLayout(steps);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    for (QWidget* widget : std::initializer_list<QWidget*>{back, m_play, forward})
        row->addWidget(widget);
    row->addWidget(m_slider, 1);
    row->addWidget(m_title, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(steps);
    column->addWidget(m_sentence);
}

QToolButton* WalkTransport::makeButton(const char* icon, const QString& name) {
    auto* button = new QToolButton(this);
    button->setIcon(themedIcon(QLatin1String(icon)));
    button->setAutoRaise(true);
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

void WalkTransport::setSteps(std::vector<WalkStep> steps) {
    m_steps = std::move(steps);
    m_slider->setRange(0, stepCount() - 1);
    showStep();
}

void WalkTransport::goToStep(int step) {
    m_slider->setValue(std::clamp(step, 0, stepCount() - 1));
}

void WalkTransport::showStep() {
    if (m_steps.empty())
        return;
    const WalkStep& step =
        m_steps[static_cast<std::size_t>(std::clamp(m_slider->value(), 0, stepCount() - 1))];
    m_title->setText(step.title);
    m_sentence->setText(step.sentence);
    emit stepShown(step);
}

void WalkTransport::play(bool playing) {
    m_play->setIcon(themedIcon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    if (playing)
        m_clock.start();
    else
        m_clock.stop();
}

}  // namespace meshreel
