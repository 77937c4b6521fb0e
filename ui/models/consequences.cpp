// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/consequences.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/planning/run_plan.h"
#include "engine/planning/run_work.h"
#include "engine/planning/work.h"
#include "ui/models/key_texts.h"
#include "ui/models/predicted_texts.h"

namespace meshreel {

namespace {

constexpr double percent = 100;

struct Consequences {
    Q_DECLARE_TR_FUNCTIONS(meshreel::Consequences)
};

QString bytesText(std::uint64_t bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 1);
}

Consequence tokensOf(const RunPlan& plan) {
    const Shape& latents = plan.latentShape;
    const WanTransformerConfig& model = plan.model.transformer;
    const QLocale locale;
    return {.title = Consequences::tr("Tokens"),
            .value = locale.toString(static_cast<qlonglong>(plan.tokens)),
            .remark = Consequences::tr("%1 frames of %2 × %3", "of tokens: time, height, width")
                          .arg(latents[2] / model.patch[0])
                          .arg(latents[3] / model.patch[1])
                          .arg(latents[4] / model.patch[2]),
            .detail = Consequences::tr(
                "Length of the transformer's sequence. Self-attention works on the square of it.")};
}

Consequence workOf(const RunPlan& plan) {
    const double pass = plan.flops.transformerPass;
    const double attention = selfAttentionFlops(plan.model.transformer, plan.tokens);
    return {.title = Consequences::tr("Work per step"),
            .value = flopText(plan.flops.step),
            .remark = Consequences::tr("%1 % self-attention").arg(std::lround(percent * attention / pass)),
            .detail =
                Consequences::tr("%1 for all %2 steps%3.", "work, steps, reason")
                    .arg(flopText(plan.flops.denoising))
                    .arg(plan.project.numInferenceSteps)
                    .arg(plan.guided ? Consequences::tr("; guidance computes each step twice") : QString())};
}

Consequence memoryOf(const RunPlan& plan) {
    const std::vector<StageNeed> needs = stageNeedsOf(plan);
    const auto most = std::ranges::max_element(needs, {}, &StageNeed::share);
    QStringList lines;
    for (const StageNeed& need : needs)
        lines += Consequences::tr("%1: %2", "stage and its memory").arg(need.stage, need.bytes);
    return {.title = Consequences::tr("Memory"),
            .value = most->bytes,
            .remark = Consequences::tr("of %1, most: %2", "memory, stage")
                          .arg(bytesText(plan.memory.available), most->stage.toLower()),
            .detail = lines.join(QLatin1Char('\n')),
            .alarming = most->share > 1,
            .isMemory = true};
}

Consequence exchangeOf(const RunPlan& plan) {
    std::uint64_t sum = 0;
    QStringList lines;
    for (const MeshTraffic& traffic : trafficPerStep(plan)) {
        const auto bytes = static_cast<std::uint64_t>(traffic.bytes);
        sum += bytes;
        lines += Consequences::tr("%1: %2", "purpose and bytes")
                     .arg(engineText(traffic.purpose), bytesText(bytes));
    }
    return {.title = Consequences::tr("Exchange per step"),
            .value = bytesText(sum),
            .remark = Consequences::tr("between %n devices", nullptr, plan.layout.devices()),
            .detail = Consequences::tr("What the busiest device receives from the others.") +
                      QLatin1Char('\n') + lines.join(QLatin1Char('\n'))};
}

}  // namespace

QString flopText(double operations) {
    constexpr std::array prefixes{"", "k", "M", "G", "T", "P", "E"};
    constexpr double kilo = 1000;
    std::size_t prefix = 0;
    while (operations >= kilo && prefix + 1 < prefixes.size()) {
        operations /= kilo;
        ++prefix;
    }
    const int decimals = operations < 10 ? 2 : operations < 100 ? 1 : 0;
    return QStringLiteral("%1 %2FLOP")
        .arg(QLocale().toString(operations, 'f', decimals), QLatin1String(prefixes[prefix]));
}

std::vector<StageNeed> stageNeedsOf(const RunPlan& plan) {
    const MemoryEstimate& memory = plan.memory;
    const auto available = static_cast<double>(std::max<std::uint64_t>(1, memory.available));
    const auto need = [available](const QString& stage, const StageMemory& bytes) {
        return StageNeed{stage, static_cast<double>(bytes.total()) / available, bytesText(bytes.total())};
    };
    return {need(Consequences::tr("Loading"), memory.loading),
            need(Consequences::tr("Prompt"), memory.conditioning),
            need(Consequences::tr("Denoising"), memory.denoising),
            need(Consequences::tr("Decoding"), memory.decoding)};
}

Consequence timeOf(const Prediction& prediction, const MachineRates& rates) {
    return {.title = Consequences::tr("Time"),
            .value = Consequences::tr("%1 a step", "duration").arg(roughDuration(prediction.step.seconds)),
            .remark = predictedTotalText(prediction.total),
            .detail = predictionDetail(prediction, rates)};
}

Consequence unknownTime() {
    return {
        .title = Consequences::tr("Time"),
        .value = Consequences::tr("not known"),
        .remark = Consequences::tr("runs on several machines"),
        .detail = Consequences::tr(
            "Seconds are predicted for this machine alone: the network between machines is not measured.")};
}

std::vector<Consequence> consequencesOf(const RunPlan& plan) {
    std::vector<Consequence> all{tokensOf(plan), workOf(plan), memoryOf(plan)};
    if (plan.layout.devices() > 1)
        all.push_back(exchangeOf(plan));
    return all;
}

}  // namespace meshreel
