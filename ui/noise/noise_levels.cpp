// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/noise/noise_levels.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>

#include "engine/planning/run_plan.h"

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

std::optional<double> boundaryOf(const RunPlan& plan) {
    if (plan.model.experts() == 1)
        return std::nullopt;
    return plan.project.boundaryRatio > 0 ? plan.project.boundaryRatio : plan.model.boundaryRatio;
}

/// "steps 1 to 9", "step 3".
QString stepsText(int first, int last) {
    return first == last ? NoiseTexts::tr("step %1").arg(first)
                         : NoiseTexts::tr("steps %1 to %2").arg(first).arg(last);
}

/// "High noise: steps 1 to 9, guidance 4." of each stretch of one expert.
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

NoiseLevels noiseLevelsOf(const RunPlan& plan) {
    const std::unique_ptr<Scheduler> scheduler = plan.makeScheduler();
    NoiseLevels levels{.steps = {},
                       .unshifted = {},
                       .flowShift = plan.model.scheduler.flowShift,
                       .boundary = boundaryOf(plan),
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
                 .guidance = plan.guidanceOf(stretch.expert),
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

}  // namespace meshreel
