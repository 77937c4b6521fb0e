// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/stage_strip.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFontMetrics>
#include <QLocale>
#include <QPainter>
#include <QStringList>
#include <QStyle>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/units.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

struct StageTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunStages)
};

QString percentText(double part) {
    return StageTexts::tr("%1 %", "percentage").arg(QLocale().toString(part * percent, 'f', 0));
}

}  // namespace

RunStages::RunStages()
    : m_stages({LiveStage{Phase::Load}, LiveStage{Phase::Compile}, LiveStage{Phase::Conditioning},
                LiveStage{Phase::Denoise}, LiveStage{Phase::Decode}, LiveStage{Phase::Format}}) {}

void RunStages::follow(const RunEvent& event) {
    handle(
        event, [this](const PhaseStarted& started) { begin(started.phase); },
        [this](const FoundInCache& found) { at(found.phase).wasInCache = true; },
        [this](const PhaseFinished& finished) {
            at(finished.phase).state = LiveStage::State::Done;
            at(finished.phase).seconds = finished.seconds;
        },
        [this](const Progress& progress) { setProgress(progress); });
}

void RunStages::begin(Phase phase) {
    for (LiveStage& stage : m_stages)
        if (stage.phase < phase && stage.state == LiveStage::State::Ahead)
            stage.state = LiveStage::State::PassedOver;
    at(phase).state = LiveStage::State::Going;
}

void RunStages::setProgress(const Progress& progress) {
    m_progress = progress;
    for (LiveStage& stage : m_stages) {
        if (stage.phase == Phase::Denoise && progress.steps > 0)
            stage.part = static_cast<double>(progress.stepsDone) / progress.steps;
        if (stage.phase == Phase::Decode)
            stage.part = progress.decoded;
    }
}

void RunStages::end() {
    for (LiveStage& stage : m_stages)
        if (stage.state == LiveStage::State::Going)
            stage.state = LiveStage::State::Stopped;
    m_progress.secondsLeft.reset();
}

QString RunStages::title(Phase phase) {
    switch (phase) {
        case Phase::Load:
            return StageTexts::tr("Load", "stage of a run");
        case Phase::Compile:
            return StageTexts::tr("Compile", "stage of a run");
        case Phase::Conditioning:
            return StageTexts::tr("Condition", "stage of a run");
        case Phase::Denoise:
            return StageTexts::tr("Steps", "stage of a run");
        case Phase::Decode:
            return StageTexts::tr("Decode", "stage of a run");
        case Phase::Format:
            return StageTexts::tr("Format", "stage of a run");
    }
    return {};
}

QString RunStages::value(const LiveStage& stage, double elapsed) const {
    switch (stage.state) {
        case LiveStage::State::Ahead:
            return {};
        case LiveStage::State::PassedOver:
            return QStringLiteral("–");
        case LiveStage::State::Done:
            return stage.wasInCache ? StageTexts::tr("cached", "result of a stage, very short")
                                    : shortDurationText(stage.seconds);
        case LiveStage::State::Going:
        case LiveStage::State::Stopped:
            break;
    }
    if (stage.phase == Phase::Denoise && m_progress.steps > 0)
        return StageTexts::tr("%1/%2", "steps done, steps").arg(m_progress.stepsDone).arg(m_progress.steps);
    if (stage.phase == Phase::Decode)
        return percentText(m_progress.decoded);
    return elapsed < 1 ? QString() : shortDurationText(elapsed);
}

QString RunStages::sentence(const LiveStage& stage) const {
    const QString name = title(stage.phase);
    switch (stage.state) {
        case LiveStage::State::Ahead:
            return StageTexts::tr("%1: still to come", "stage").arg(name);
        case LiveStage::State::PassedOver:
            return StageTexts::tr("%1: nothing to do", "stage").arg(name);
        case LiveStage::State::Done:
            return (stage.wasInCache
                        ? StageTexts::tr("%1: done in %2, kept from an earlier run", "stage, duration")
                        : StageTexts::tr("%1: done in %2", "stage, duration"))
                .arg(name, durationText(stage.seconds));
        case LiveStage::State::Going:
        case LiveStage::State::Stopped:
            break;
    }
    const bool goes = stage.state == LiveStage::State::Going;
    if (stage.phase == Phase::Denoise && m_progress.steps > 0)
        return (goes ? StageTexts::tr("%1: %2 of %3 done", "stage, steps")
                     : StageTexts::tr("%1: stopped after %2 of %3", "stage, steps"))
            .arg(name)
            .arg(m_progress.stepsDone)
            .arg(m_progress.steps);
    if (stage.phase == Phase::Decode)
        return (goes ? StageTexts::tr("%1: %2 done", "stage, percentage")
                     : StageTexts::tr("%1: stopped after %2", "stage, percentage"))
            .arg(name, percentText(m_progress.decoded));
    return (goes ? StageTexts::tr("%1: in progress", "stage") : StageTexts::tr("%1: stopped", "stage"))
        .arg(name);
}

QStringList RunStages::sentences() const {
    QStringList all;
    for (const LiveStage& stage : m_stages)
        all += sentence(stage);
    if (m_progress.secondsLeft)
        all += StageTexts::tr("About %1 left", "duration").arg(durationText(*m_progress.secondsLeft));
    return all;
}

namespace {

constexpr double fontScale = 0.85;
constexpr int gap = 6;
constexpr int stripBarHeight = 4;
constexpr double stripRadius = stripBarHeight / 2.0;
constexpr int stripTroughAlpha = 28;
constexpr int unknownPartAlpha = 110;
constexpr int dimmedAlpha = 170;
constexpr int tickMilliseconds = 1000;

QColor withAlpha(QColor colour, int alpha) {
    colour.setAlpha(alpha);
    return colour;
}

}  // namespace

std::vector<int> cellWidths(std::vector<int> wanted, int room) {
    int left = room - std::accumulate(wanted.begin(), wanted.end(), 0);
    while (left < 0) {
        const auto widest = std::ranges::max_element(wanted);
        if (*widest == 0)
            break;
        --*widest;
        ++left;
    }
    const auto count = static_cast<int>(wanted.size());
    for (int i = 0; i < count && left > 0; ++i)
        wanted[static_cast<std::size_t>(i)] += left / count + (i < left % count ? 1 : 0);
    return wanted;
}

StageStrip::StageStrip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Stages of the run"));
    m_tick.setInterval(tickMilliseconds);
    connect(&m_tick, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    refresh();
}

void StageStrip::begin() {
    m_stages = {};
    m_tick.start();
    refresh();
}

void StageStrip::follow(const RunEvent& event) {
    m_stages.follow(event);
    if (std::holds_alternative<PhaseStarted>(event))
        m_sinceStart.start();
    refresh();
}

void StageStrip::end() {
    m_stages.end();
    m_tick.stop();
    refresh();
}

void StageStrip::refresh() {
    const QStringList sentences = m_stages.sentences();
    setToolTip(asPlainText(sentences.join(QLatin1Char('\n'))));
    setAccessibleDescription(sentences.join(QStringLiteral(". ")));
    update();
}

QSize StageStrip::sizeHint() const {
    const int line = QFontMetrics(stageFont({})).height();
    constexpr int usualWidth = 300;
    return {usualWidth, stripBarHeight + tightSpacing + line};
}

QSize StageStrip::minimumSizeHint() const {
    return {0, sizeHint().height()};
}

void StageStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        updateGeometry();
    QWidget::changeEvent(event);
}

QFont StageStrip::stageFont(const LiveStage& stage) const {
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * fontScale);
    small.setBold(stage.state == LiveStage::State::Going);
    return small;
}

QString StageStrip::valueOf(const LiveStage& stage) const {
    const double elapsed =
        m_sinceStart.isValid() ? static_cast<double>(m_sinceStart.elapsed()) / millisecondsPerSecond : 0;
    return m_stages.value(stage, elapsed);
}

std::vector<QRect> StageStrip::cells() const {
    std::vector<int> wanted;
    for (const LiveStage& stage : m_stages.stages()) {
        const QFontMetrics metrics(stageFont(stage));
        // The usual value counts before it is there, so that cells keep their places.
        wanted.push_back(metrics.horizontalAdvance(RunStages::title(stage.phase)) + tightSpacing +
                         std::max(metrics.horizontalAdvance(valueOf(stage)),
                                  metrics.horizontalAdvance(QStringLiteral("00:00"))));
    }
    const auto gaps = static_cast<int>(wanted.size() - 1) * gap;
    std::vector<QRect> cells;
    int left = 0;
    for (const int cell : cellWidths(std::move(wanted), width() - gaps)) {
        const QRect place(left, 0, cell, height());
        cells.push_back(QStyle::visualRect(layoutDirection(), rect(), place));
        left += cell + gap;
    }
    return cells;
}

void StageStrip::drawStage(QPainter& painter, const LiveStage& stage, const QRect& cell) const {
    const bool going = stage.state == LiveStage::State::Going;
    const bool dim = stage.state == LiveStage::State::Ahead || stage.state == LiveStage::State::PassedOver;
    const QColor ink = palette().color(QPalette::WindowText);
    const QColor filling = palette().color(QPalette::Highlight);
    QRect bar(cell.left(), cell.top(), cell.width(), stripBarHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(withAlpha(ink, stripTroughAlpha));
    painter.drawRoundedRect(bar, stripRadius, stripRadius);
    if (!dim) {
        const bool partKnown = stage.state == LiveStage::State::Done || stage.part;
        const double part = stage.state == LiveStage::State::Done ? 1 : stage.part.value_or(1);
        QRect filled = bar;
        filled.setWidth(static_cast<int>(std::lround(part * bar.width())));
        painter.setBrush(partKnown ? filling : withAlpha(filling, unknownPartAlpha));
        painter.drawRoundedRect(QStyle::visualRect(layoutDirection(), bar, filled), stripRadius, stripRadius);
    }

    painter.setFont(stageFont(stage));
    const QFontMetrics metrics(painter.font());
    const int line = metrics.height();
    QRect text(cell.left(), bar.bottom() + 1 + tightSpacing, cell.width(), line);
    const auto alignment = QStyle::visualAlignment(layoutDirection(), Qt::AlignLeading | Qt::AlignVCenter);
    // The value stays whole; the title gives way.
    const QString value = valueOf(stage);
    const int valueWidth = value.isEmpty() ? 0 : metrics.horizontalAdvance(value) + tightSpacing;
    const QString title = metrics.elidedText(RunStages::title(stage.phase), Qt::ElideRight,
                                             std::max(0, text.width() - valueWidth));
    const int titleWidth = metrics.horizontalAdvance(title);
    const auto draw = [&](const QString& words, int left, const QColor& colour) {
        QRect place = text;
        place.setLeft(text.left() + left);
        painter.setPen(colour);
        painter.drawText(QStyle::visualRect(layoutDirection(), text, place), static_cast<int>(alignment),
                         words);
    };
    draw(title, 0, dim ? withAlpha(mutedColor(palette()), dimmedAlpha) : ink);
    draw(value, titleWidth == 0 ? 0 : titleWidth + tightSpacing, going ? ink : mutedColor(palette()));
}

void StageStrip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const std::vector<QRect> places = cells();
    for (std::size_t i = 0; i < places.size(); ++i)
        drawStage(painter, m_stages.stages()[i], places[i]);
}

}  // namespace meshreel

#include "moc_stage_strip.cpp"
