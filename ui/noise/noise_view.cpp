// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/noise/noise_view.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/planning/applied_values.h"
#include "engine/planning/run_plan.h"
#include "engine/sampling/scheduler.h"
#include "engine/sampling/step_caches.h"
#include "engine/timing/step_record.h"
#include "ui/charts/chart_style.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int lowNoiseExpert = 2;

struct NoiseTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::NoiseTexts)
};

QString decimal(double value, int digits) {
    return QLocale().toString(value, 'f', digits);
}

/// Levels of the same schedule without its flow shift.
std::vector<double> unshiftedLevels(const RunPlan& plan, std::size_t steps) {
    if (plan.model.scheduler.flowShift == 1 || !plan.sigmas.empty())
        return {};
    SchedulerConfig config = plan.model.scheduler;
    config.flowShift = 1;
    const std::unique_ptr<Scheduler> scheduler = makeScheduler(config);
    scheduler->setTimesteps(static_cast<int>(plan.project.numInferenceSteps));
    std::vector<double> levels;
    for (const double timestep : scheduler->timesteps())
        levels.push_back(timestep / config.numTrainTimesteps);
    if (levels.size() < steps)
        return {};
    levels.erase(levels.begin(), levels.end() - static_cast<std::ptrdiff_t>(steps));  // those dropped first
    return levels;
}

/// "steps 1 to 9", "step 3".
QString stepsText(int first, int last) {
    return first == last ? NoiseTexts::tr("step %1").arg(first)
                         : NoiseTexts::tr("steps %1 to %2").arg(first).arg(last);
}

/// Returns "High noise: steps 1 to 9, guidance 4." for each stretch of one expert.
QStringList stretchSentences(const NoiseLevels& levels) {
    QStringList sentences;
    for (std::size_t begin = 0; begin < levels.steps.size();) {
        const NoiseStep& first = levels.steps[begin];
        std::size_t end = begin;
        while (end < levels.steps.size() && levels.steps[end].expert == first.expert)
            ++end;
        QString expert = expertText(levels, first.expert);
        expert[0] = expert[0].toUpper();
        const QString steps = stepsText(static_cast<int>(begin) + 1, static_cast<int>(end));
        sentences += first.guidance > 1
                         ? NoiseTexts::tr("%1: %2, guidance %3.", "expert, steps, guidance")
                               .arg(expert, steps, QLocale().toString(first.guidance))
                         : NoiseTexts::tr("%1: %2, without guidance.", "expert, steps").arg(expert, steps);
        begin = end;
    }
    return sentences;
}

}  // namespace

NoiseLevels computeNoiseLevels(const RunPlan& plan) {
    const std::unique_ptr<Scheduler> scheduler = plan.makeScheduler();
    NoiseLevels levels{.steps = {},
                       .unshifted = {},
                       .flowShift = plan.model.scheduler.flowShift,
                       .boundary = boundaryRatio(plan),
                       .scheduler = QString::fromStdString(plan.model.scheduler.className)};
    if (const SchedulerKind* kind = findSchedulerKind(plan.model.scheduler.className))
        levels.scheduler = QString::fromStdString(std::string(kind->name));
    for (const ExpertSteps& stretch : plan.experts)
        for (int step = stretch.firstStep; step < stretch.endStep; ++step) {
            const auto index = static_cast<std::size_t>(step);
            levels.steps.push_back(
                {.level = scheduler->timesteps()[index] / plan.model.scheduler.numTrainTimesteps,
                 .sigma = scheduler->sigmas()[index],
                 .expert = stretch.expert,
                 .guidance = plan.guidanceFor(stretch.expert),
                 .shortened = plan.stepCache.kind != StepCacheKind::None &&
                              plan.stepCache.workOf(step) != StepWork::Everything});
        }
    levels.unshifted = unshiftedLevels(plan, levels.steps.size());
    return levels;
}

QString expertText(const NoiseLevels& levels, int expert) {
    if (!levels.boundary)
        return NoiseTexts::tr("transformer");
    return expert == lowNoiseExpert ? NoiseTexts::tr("low noise") : NoiseTexts::tr("high noise");
}

QString noiseSentences(const NoiseLevels& levels) {
    QStringList sentences{NoiseTexts::tr("Scheduler %1, flow shift %2.")
                              .arg(levels.scheduler, QLocale().toString(levels.flowShift))};
    sentences += stretchSentences(levels);
    if (!levels.unshifted.empty())
        sentences += NoiseTexts::tr("Dotted: the same without the shift.");
    const auto shortened = std::ranges::count_if(levels.steps, &NoiseStep::shortened);
    if (shortened > 0)
        sentences += NoiseTexts::tr("A step cache may shorten %n steps (hollow).", nullptr,
                                    static_cast<int>(shortened));
    return sentences.join(QLatin1Char(' '));
}

QString noiseStepText(const NoiseLevels& levels, int step) {
    const NoiseStep& shown = levels.steps.at(static_cast<std::size_t>(step));
    QStringList lines{
        NoiseTexts::tr("Step %1 of %2").arg(step + 1).arg(levels.steps.size()),
        NoiseTexts::tr("Noise level %1, sigma %2").arg(decimal(shown.level, 3), decimal(shown.sigma, 4)),
        NoiseTexts::tr("Computed by: %1", "transformer or expert").arg(expertText(levels, shown.expert)),
        shown.guidance > 1 ? NoiseTexts::tr("Guidance %1").arg(QLocale().toString(shown.guidance))
                           : NoiseTexts::tr("Without guidance")};
    if (shown.shortened)
        lines += NoiseTexts::tr("May be shortened by the step cache");
    return lines.join(QLatin1Char('\n'));
}

int NoiseDrawing::stepAt(double x) const {
    if (points.empty() || x < plot.left() || x >= plot.right())
        return -1;
    return static_cast<int>(
        std::floor((x - plot.left()) / plot.width() * static_cast<double>(points.size())));
}

NoiseDrawing drawNoise(const NoiseLevels& levels, const QRectF& plot) {
    NoiseDrawing drawing{.plot = plot, .points = {}, .unshifted = {}, .stretches = {}};
    const double column = plot.width() / static_cast<double>(levels.steps.size());
    const auto placeOf = [&](std::size_t step, double level) {
        return QPointF(plot.left() + (static_cast<double>(step) + 1.0 / 2) * column, drawing.levelY(level));
    };
    for (std::size_t step = 0; step < levels.steps.size(); ++step) {
        const int expert = levels.steps[step].expert;
        drawing.points.push_back(placeOf(step, levels.steps[step].level));
        const double left = plot.left() + static_cast<double>(step) * column;
        if (drawing.stretches.empty() || drawing.stretches.back().expert != expert)
            drawing.stretches.push_back({expert, QRectF(left, plot.top(), 0, plot.height())});
        drawing.stretches.back().area.setRight(left + column);
    }
    for (std::size_t step = 0; step < levels.unshifted.size(); ++step)
        drawing.unshifted.push_back(placeOf(step, levels.unshifted[step]));
    if (levels.boundary)
        drawing.boundary = drawing.levelY(*levels.boundary);
    return drawing;
}

namespace {

constexpr int tintAlpha = 30;
constexpr int gridAlpha = 36;
constexpr double lineWidth = 2;
constexpr double dotRadius = 3.5;
constexpr double smallDotRadius = 1.5;
constexpr double crowdedColumn = 10;  ///< pixels below which dots are small
constexpr double labelDistance = 44;  ///< pixels between numbers of steps
constexpr int gridLines = 4;

QColor withAlpha(QColor color, int alpha) {
    color.setAlpha(alpha);
    return color;
}

QColor inkOf(int expert, const QPalette& palette) {
    const QColor ink = ChartStyle::series(expert - 1);
    constexpr int lighter = 140;
    return isDark(palette) ? ink.lighter(lighter) : ink;
}

}  // namespace

NoiseView::NoiseView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Noise levels of the steps"));
    setWhatsThis(tr("The arrow keys, Home and End choose a step, Escape none."));
}

void NoiseView::setLevels(NoiseLevels levels) {
    m_levels = std::move(levels);
    if (m_chosen >= static_cast<int>(m_levels.steps.size()))
        chooseStep(-1);
    update();
}

void NoiseView::chooseStep(int step) {
    if (step == m_chosen)
        return;
    m_chosen = step;
    emit stepChosen(step);
    update();
}

NoiseDrawing NoiseView::drawing() const {
    const double line = fontMetrics().height();
    const double numbers = fontMetrics().horizontalAdvance(QLocale().toString(1.0, 'f', 2)) + tightSpacing;
    return drawNoise(m_levels,
                     QRectF(rect()).adjusted(numbers, line + spacing, -spacing, -2 * line - tightSpacing));
}

QSize NoiseView::minimumSizeHint() const {
    return {260, 160};
}

void NoiseView::paintEvent(QPaintEvent* /*event*/) {
    if (m_levels.steps.empty())
        return;
    const NoiseDrawing shown = drawing();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(shown.plot, palette().color(QPalette::Base));
    paintStretches(painter, shown);
    paintAxes(painter, shown);
    paintBoundary(painter, shown);
    paintLevels(painter, shown);
    paintChosen(painter, shown);
    paintFocus(painter, *this);
}

void NoiseView::paintStretches(QPainter& painter, const NoiseDrawing& drawing) const {
    if (!m_levels.boundary)
        return;
    for (const NoiseDrawing::Stretch& stretch : drawing.stretches) {
        const QColor ink = inkOf(stretch.expert, palette());
        painter.fillRect(stretch.area, withAlpha(ink, tintAlpha));
        painter.setPen(ink);
        painter.drawText(QRectF(stretch.area.left(), 0, stretch.area.width(), drawing.plot.top()),
                         Qt::AlignCenter | Qt::TextDontClip, expertText(m_levels, stretch.expert));
    }
}

void NoiseView::paintAxes(QPainter& painter, const NoiseDrawing& drawing) const {
    const double line = fontMetrics().height();
    const QColor grid = withAlpha(palette().color(QPalette::WindowText), gridAlpha);
    for (int i = 0; i <= gridLines; ++i) {
        const double level = static_cast<double>(i) / gridLines;
        const double y = drawing.levelY(level);
        painter.setPen(grid);
        painter.drawLine(QPointF(drawing.plot.left(), y), QPointF(drawing.plot.right(), y));
        painter.setPen(mutedColor(palette()));
        painter.drawText(QRectF(0, y - line / 2, drawing.plot.left() - tightSpacing, line),
                         Qt::AlignAbsolute | Qt::AlignRight | Qt::AlignVCenter,
                         QLocale().toString(level, 'f', 2));
    }
    const double column = drawing.plot.width() / static_cast<double>(drawing.points.size());
    const auto every = std::max<std::size_t>(1, static_cast<std::size_t>(labelDistance / column));
    for (std::size_t step = 0; step < drawing.points.size(); step += every)
        painter.drawText(QRectF(drawing.points[step].x() - labelDistance / 2, drawing.plot.bottom() + 2,
                                labelDistance, line),
                         Qt::AlignCenter, QString::number(step + 1));
    painter.drawText(
        QRectF(drawing.plot.left(), drawing.plot.bottom() + line, drawing.plot.width(), line + tightSpacing),
        Qt::AlignCenter, tr("Step"));
}

void NoiseView::paintBoundary(QPainter& painter, const NoiseDrawing& drawing) const {
    if (drawing.boundary < 0)
        return;
    painter.setPen(QPen(palette().color(QPalette::WindowText), 1, Qt::DashLine));
    painter.drawLine(QPointF(drawing.plot.left(), drawing.boundary),
                     QPointF(drawing.plot.right(), drawing.boundary));
    const double line = fontMetrics().height();
    painter.drawText(
        QRectF(drawing.plot.left(), drawing.boundary - line - 1, drawing.plot.width() - tightSpacing, line),
        Qt::AlignAbsolute | Qt::AlignRight | Qt::AlignVCenter,
        tr("boundary %1").arg(QLocale().toString(*m_levels.boundary)));
}

void NoiseView::paintLevels(QPainter& painter, const NoiseDrawing& drawing) const {
    if (!drawing.unshifted.empty()) {
        painter.setPen(QPen(mutedColor(palette()), 1, Qt::DotLine));
        painter.drawPolyline(QPolygonF(QList<QPointF>(drawing.unshifted.begin(), drawing.unshifted.end())));
    }
    const double column = drawing.plot.width() / static_cast<double>(drawing.points.size());
    const double radius = column < crowdedColumn ? smallDotRadius : dotRadius;
    for (std::size_t step = 0; step < drawing.points.size(); ++step) {
        const QColor ink = inkOf(m_levels.steps[step].expert, palette());
        painter.setPen(QPen(ink, lineWidth));
        if (step > 0)
            painter.drawLine(drawing.points[step - 1], drawing.points[step]);
    }
    for (std::size_t step = 0; step < drawing.points.size(); ++step) {
        const QColor ink = inkOf(m_levels.steps[step].expert, palette());
        painter.setPen(QPen(ink, 1));
        painter.setBrush(m_levels.steps[step].shortened ? palette().color(QPalette::Base) : ink);
        painter.drawEllipse(drawing.points[step], radius, radius);
    }
}

void NoiseView::paintChosen(QPainter& painter, const NoiseDrawing& drawing) const {
    if (m_chosen < 0)
        return;
    const QPointF place = drawing.points[static_cast<std::size_t>(m_chosen)];
    painter.setPen(QPen(palette().color(QPalette::WindowText), 1));
    painter.drawLine(QPointF(place.x(), drawing.plot.top()), QPointF(place.x(), drawing.plot.bottom()));
    painter.setBrush(palette().color(QPalette::WindowText));
    painter.drawEllipse(place, dotRadius + 1, dotRadius + 1);
}

void NoiseView::mouseMoveEvent(QMouseEvent* event) {
    chooseStep(drawing().stepAt(event->position().x()));
}

void NoiseView::leaveEvent(QEvent* /*event*/) {
    chooseStep(-1);
}

void NoiseView::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_levels.steps.size()) - 1;
    switch (event->key()) {
        case Qt::Key_Left:
            return chooseStep(std::clamp(m_chosen - 1, std::min(0, last), last));
        case Qt::Key_Right:
            return chooseStep(std::clamp(m_chosen + 1, std::min(0, last), last));
        case Qt::Key_Home:
            return chooseStep(std::min(0, last));
        case Qt::Key_End:
            return chooseStep(last);
        case Qt::Key_Escape:
            return chooseStep(-1);
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace meshreel

#include "moc_noise_view.cpp"
