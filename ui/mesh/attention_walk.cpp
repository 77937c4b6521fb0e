// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/attention_walk.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/attention/attention_mode.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

struct AttentionWalk {
    Q_DECLARE_TR_FUNCTIONS(meshreel::AttentionWalk)
};

using Kind = WalkStep::Kind;

/// Every device of a group sends to every other of it.
std::vector<WalkTransfer> amongGroups(const MeshPicture& picture, std::vector<int> PicturedDevice::*group) {
    std::vector<WalkTransfer> transfers;
    for (const PicturedDevice& device : picture.devices)
        for (const int other : device.*group)
            if (other != device.number)
                transfers.push_back({device.number, other});
    return transfers;
}

/// Ring indices of the keys that a device at `ring` of `size` works on in hop `hop`.
std::vector<int> visited(int ring, int size, int hop, Rotation rotation) {
    if (rotation != Rotation::BidirectionalRing)
        return {(ring - hop + size) % size};
    if (hop == 0)
        return {ring};
    std::vector<int> indices;
    for (const int index : {ring - hop, ring + hop})
        if (index >= 0 && index < size)
            indices.push_back(index);
    return indices;
}

/// What goes to the next devices while hop `hop` is computed, for the hop after it.
std::vector<WalkTransfer> onTheirWay(const MeshPicture& picture, int hop) {
    std::vector<WalkTransfer> transfers;
    const int size = picture.split.ring;
    const bool bothWays = picture.attention.rotation == Rotation::BidirectionalRing;
    for (const PicturedDevice& device : picture.devices) {
        const auto at = [&](int ring) { return device.ringGroup[static_cast<std::size_t>(ring)]; };
        if (!bothWays) {
            transfers.push_back({device.number, at((device.ring + 1) % size)});
            continue;
        }
        // A shard from `hop` places away travels on in its direction as long as there are devices.
        if (device.ring - hop >= 0 && device.ring + 1 < size)
            transfers.push_back({device.number, at(device.ring + 1)});
        if (device.ring + hop < size && device.ring > 0)
            transfers.push_back({device.number, at(device.ring - 1)});
    }
    return transfers;
}

std::vector<std::vector<int>> nobody(const MeshPicture& picture) {
    return std::vector<std::vector<int>>(picture.devices.size());
}

WalkStep startTime(const MeshPicture& picture) {
    return {Kind::Start,
            AttentionWalk::tr("Before"),
            picture.layout.shape().context == 1
                ? AttentionWalk::tr("Every device holds all tokens of its heads.")
                : AttentionWalk::tr(
                      "Every device holds queries, keys and values of its own tokens, for all its heads."),
            nobody(picture),
            {}};
}

WalkStep makeExchange(const MeshPicture& picture, Kind kind) {
    const QString groups = AttentionWalk::tr("groups of %1 devices").arg(picture.split.ulysses);
    return {kind,
            kind == Kind::ToHeads ? AttentionWalk::tr("All-to-all: tokens for heads")
                                  : AttentionWalk::tr("All-to-all: heads for tokens"),
            kind == Kind::ToHeads
                ? AttentionWalk::tr("In %1, each takes its part of the heads of all tokens of the group.")
                      .arg(groups)
                : AttentionWalk::tr("In %1, each gets the results of its own tokens back, for all heads.")
                      .arg(groups),
            nobody(picture), amongGroups(picture, &PicturedDevice::ulyssesGroup)};
}

WalkStep hopStep(const MeshPicture& picture, int hop) {
    const int size = picture.split.ring;
    WalkStep step{Kind::Compute, AttentionWalk::tr("Rotation %1 of %2").arg(hop + 1).arg(size), {}, {}, {}};
    for (const PicturedDevice& device : picture.devices)
        step.keys.push_back(visited(device.ring, size, hop, picture.attention.rotation));
    if (hop + 1 < size)
        step.transfers = onTheirWay(picture, hop);
    step.sentence =
        hop == 0 ? AttentionWalk::tr(
                       "Each computes with its own keys and values while the next ones are on their way.")
                 : AttentionWalk::tr("Each adds what the keys and values from %n place(s) away give.",
                                     nullptr, hop);
    return step;
}

WalkStep computeStep(const MeshPicture& picture) {
    WalkStep step{Kind::Compute,
                  AttentionWalk::tr("Compute"),
                  AttentionWalk::tr("Each computes its queries with all keys and values of its heads."),
                  {},
                  {}};
    std::vector<int> all;
    for (int ring = 0; ring < picture.split.ring; ++ring)
        all.push_back(ring);
    step.keys.assign(picture.devices.size(), all);
    return step;
}

}  // namespace

std::vector<WalkStep> walkAttention(const MeshPicture& picture) {
    std::vector<WalkStep> steps{startTime(picture)};
    if (picture.split.ulysses > 1)
        steps.push_back(makeExchange(picture, Kind::ToHeads));
    if (picture.gathers())
        steps.push_back({Kind::Gather, AttentionWalk::tr("Gather keys and values"),
                         AttentionWalk::tr("Each device receives the keys and values of all others."),
                         nobody(picture), amongGroups(picture, &PicturedDevice::ringGroup)});
    if (picture.gathers() || picture.split.ring == 1)
        steps.push_back(computeStep(picture));
    else
        for (int hop = 0; hop < picture.split.ring; ++hop)
            steps.push_back(hopStep(picture, hop));
    if (picture.split.ulysses > 1)
        steps.push_back(makeExchange(picture, Kind::ToTokens));
    steps.push_back({Kind::End,
                     AttentionWalk::tr("After"),
                     AttentionWalk::tr("Every device holds the finished attention of its own tokens."),
                     nobody(picture),
                     {}});
    return steps;
}

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

#include "moc_attention_walk.cpp"
