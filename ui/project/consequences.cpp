// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/consequences.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/sentence.h"
#include "engine/base/units.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/work.h"
#include "engine/foresight/efficiencies.h"
#include "engine/foresight/mesh_foresight.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/models/wan/wan_config.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/target_hardware.h"
#include "engine/tensor/shape.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr double microsecond = 1e-6;
constexpr double millisecond = 1e-3;
constexpr double tenth = 0.1;  ///< of a unit, from which on it is used
constexpr double minute = 60;
constexpr double hour = 60 * minute;
constexpr double units = 2;  ///< from which on the larger unit is used

struct PredictedTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::PredictedTexts)
};

/// Returns the seconds of the unit in which a duration is shown.
double unitAt(double seconds) {
    if (seconds > 0 && seconds < tenth)
        return seconds < tenth * millisecond ? microsecond : millisecond;
    return seconds >= units * hour ? hour : seconds >= units * minute ? minute : 1;
}

/// Returns two digits, more if they are whole.
QString amountText(double amount) {
    const int decimals = amount == 0 ? 0 : amount < 1 ? 2 : amount < 10 ? 1 : 0;
    return QLocale().toString(amount, 'f', decimals);
}

QString withUnit(double seconds, double unit) {
    const QString amount = amountText(seconds / unit);
    return unit == hour          ? PredictedTexts::tr("%1 h").arg(amount)
           : unit == minute      ? PredictedTexts::tr("%1 min").arg(amount)
           : unit == millisecond ? PredictedTexts::tr("%1 ms").arg(amount)
           : unit == microsecond ? PredictedTexts::tr("%1 µs").arg(amount)
                                 : PredictedTexts::tr("%1 s").arg(amount);
}

/// In the unit of what is expected, shown once.
QString rangeText(const PredictedSeconds& predicted) {
    const double unit = unitAt(predicted.seconds);
    return PredictedTexts::tr("%1 to %2", "durations, the second with its unit")
        .arg(amountText(predicted.low / unit), withUnit(predicted.high, unit));
}

QString titleOf(RunStage stage) {
    switch (stage) {
        case RunStage::Preparing:
            return PredictedTexts::tr("Loading");
        case RunStage::Conditioning:
            return PredictedTexts::tr("Prompt");
        case RunStage::Denoising:
            return PredictedTexts::tr("Denoising");
        case RunStage::Decoding:
            return PredictedTexts::tr("Decoding");
    }
    return {};
}

}  // namespace

QString roughDuration(double seconds) {
    return withUnit(seconds, unitAt(seconds));
}

QString predictedText(const PredictedSeconds& predicted) {
    return PredictedTexts::tr("%1 (%2)", "duration and its range")
        .arg(roughDuration(predicted.seconds), rangeText(predicted));
}

QString predictedTotalText(const PredictedSeconds& predicted) {
    return PredictedTexts::tr("%1 in all (%2)", "duration and its range")
        .arg(roughDuration(predicted.seconds), rangeText(predicted));
}

QString predictionBasisText(const Prediction& prediction) {
    const auto runs = static_cast<int>(prediction.pastRuns);
    return prediction.byRunsAlone
               ? PredictedTexts::tr("from %n runs like this on this machine", nullptr, runs)
           : runs > 0 ? PredictedTexts::tr("from measured rates and %n runs like this", nullptr, runs)
                      : PredictedTexts::tr("from measured rates");
}

QString predictionDetail(const Prediction& prediction, const MachineRates& rates) {
    QStringList lines{
        PredictedTexts::tr("A step: %1", "duration").arg(predictedText(prediction.step)),
        PredictedTexts::tr("The first step: %1", "duration").arg(predictedText(prediction.firstStep))};
    for (const RunStage stage : runStages)
        lines += PredictedTexts::tr("%1: %2", "stage and duration")
                     .arg(titleOf(stage), predictedText(prediction.of(stage)));
    lines += PredictedTexts::tr("Four of five runs are expected within their range.");
    lines += prediction.byRunsAlone
                 ? PredictedTexts::tr(
                       "By %n runs like this one, and typical proportions of what they do not tell. Once "
                       "this machine was measured, the times of all others are known, too.",
                       nullptr, static_cast<int>(prediction.pastRuns))
             : prediction.pastRuns == 0
                 ? PredictedTexts::tr(
                       "By the rates of this machine, measured %1; no run like this one has been done.")
                       .arg(QString::fromStdString(rates.measured))
                 : PredictedTexts::tr("By the rates of this machine, measured %1, and %n runs like this one.",
                                      nullptr, static_cast<int>(prediction.pastRuns))
                       .arg(QString::fromStdString(rates.measured));
    return lines.join(QLatin1Char('\n'));
}

namespace {

struct Consequences {
    Q_DECLARE_TR_FUNCTIONS(meshreel::Consequences)
};

QString bytesText(std::uint64_t bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 1);
}

Consequence tokenCount(const RunPlan& plan) {
    const Shape& latents = plan.latentShape;
    const WanTransformerConfig& model = plan.model.transformer;
    const QLocale locale;
    return {.title = Consequences::tr("Tokens"),
            .value = locale.toString(static_cast<qlonglong>(plan.tokens)),
            .remark = Consequences::tr("%1 frames of %2 × %3", "of tokens: time, height, width")
                          .arg(plan.passFrames() / model.patch[0])
                          .arg(latents[3] / model.patch[1])
                          .arg(latents[4] / model.patch[2]),
            .detail = Consequences::tr(
                "Length of the transformer's sequence. Self-attention works on the square of it."),
            .isDetail = true};
}

QString guidanceRemark(const RunPlan& plan) {
    switch (plan.rowsOfVideo()) {
        case 1:
            return {};
        case 2:
            return Consequences::tr("; guidance computes each step twice");
        case 3:
            return Consequences::tr("; guidance by prompt and pictures computes each step three times");
        default:
            return Consequences::tr("; guidance by prompt, pictures and video computes each step four times");
    }
}

Consequence workOf(const RunPlan& plan) {
    const double pass = plan.flops.transformerPass;
    const double attention = selfAttentionFlops(plan.model.transformer, plan.tokens);
    return {.title = Consequences::tr("Work per step"),
            .value = flopText(plan.flops.step),
            .remark = Consequences::tr("%1 % self-attention").arg(std::lround(percent * attention / pass)),
            .detail = Consequences::tr("%1 for all %2 steps%3.", "work, steps, reason")
                          .arg(flopText(plan.flops.denoising))
                          .arg(plan.project.numInferenceSteps)
                          .arg(guidanceRemark(plan)),
            .isDetail = true};
}

/// The stages of a run, as parts of what is available.
class StageNeeds {
  public:
    explicit StageNeeds(std::uint64_t available)
        : m_available(static_cast<double>(std::max<std::uint64_t>(1, available))) {}

    void add(const QString& stage, std::uint64_t bytes) {
        m_needs.push_back({stage, static_cast<double>(bytes) / m_available, bytesText(bytes)});
    }

    [[nodiscard]] const std::vector<StageNeed>& all() const { return m_needs; }
    [[nodiscard]] const StageNeed& most() const {
        return *std::ranges::max_element(m_needs, {}, &StageNeed::share);
    }
    [[nodiscard]] QString lines() const {
        QStringList lines;
        for (const StageNeed& need : m_needs)
            lines += Consequences::tr("%1: %2", "stage and its memory").arg(need.stage, need.bytes);
        return lines.join(QLatin1Char('\n'));
    }

  private:
    double m_available;
    std::vector<StageNeed> m_needs;
};

Consequence memoryOf(const RunPlan& plan) {
    StageNeeds needs(plan.memory.available);
    needs.add(Consequences::tr("Loading"), plan.memory.loading.total());
    needs.add(Consequences::tr("Prompt"), plan.memory.conditioning.total());
    needs.add(Consequences::tr("Denoising"), plan.memory.denoising.total());
    needs.add(Consequences::tr("Decoding"), plan.memory.decoding.total());
    const StageNeed& most = needs.most();
    return {.title = Consequences::tr("Memory"),
            .value = most.bytes,
            .remark = Consequences::tr("of %1, most: %2", "memory, stage")
                          .arg(bytesText(plan.memory.available), most.stage.toLower()),
            .detail = needs.lines(),
            .alarming = most.share > 1,
            .isMemory = true,
            .stages = needs.all()};
}

/// What each device takes of its GPU's memory.
Consequence gpuMemoryOf(const RunPlan& plan) {
    const MemoryEstimate& memory = plan.memory;
    const std::uint64_t vae = memory.deviceVae.weights;
    StageNeeds needs(memory.deviceAvailable);
    if (plan.placement.anyOnGpu(encoderParts) || memory.deviceVae.encoding > 0)
        needs.add(Consequences::tr("Encoding"), memory.deviceEncoding());
    needs.add(Consequences::tr("Denoising"), memory.device.total() + vae);
    if (plan.placement.isOnGpu(PlacedPart::VaeDecoder))
        needs.add(Consequences::tr("Decoding"), vae + memory.deviceVae.decoding);
    QStringList lines;
    for (const ChosenGpu& gpu : plan.placement.gpus)
        lines += QString::fromStdString(gpu.facts.name);
    lines += needs.lines();
    for (const PartsLeft& left : partsLeftToCpu(plan.placement))
        lines += sentenceText(left.why);
    return {.title = Consequences::tr("GPU memory"),
            .value = needs.most().bytes,
            .remark = Consequences::tr("of %1, most: %2", "memory, stage")
                          .arg(bytesText(memory.deviceAvailable), needs.most().stage.toLower()),
            .detail = lines.join(QLatin1Char('\n')),
            .alarming = needs.most().share > 1,
            .stages = needs.all()};
}

PredictedSeconds rangeOf(const ForeseenTime& time) {
    return {.seconds = time.seconds, .low = time.low, .high = time.high};
}

Consequence memoryOnTarget(const TargetOutlook& outlook) {
    const ForeseenMesh& own = outlook.own;
    const auto bytes = [](double count) { return bytesText(static_cast<std::uint64_t>(count)); };
    const QStringList lines{
        Consequences::tr("Weights: %1", "memory").arg(bytes(own.memory.weights)),
        Consequences::tr("Activations: %1", "memory").arg(bytes(own.memory.activations)),
        Consequences::tr("Buffers of the exchange: %1", "memory").arg(bytes(own.memory.exchange))};
    return {.title = Consequences::tr("Memory there", "of other hardware, beside that of this machine"),
            .value = bytes(own.memory.total()),
            .remark = Consequences::tr("of %1 a device", "memory").arg(bytes(own.of.hardware->memory)),
            .detail = lines.join(QLatin1Char('\n')),
            .alarming = !own.fits()};
}

Consequence makeExchange(const RunPlan& plan) {
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
                      QLatin1Char('\n') + lines.join(QLatin1Char('\n')),
            .isDetail = true};
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

Consequence timeConsequence(const Prediction& prediction, const MachineRates& rates) {
    return {.title = Consequences::tr("Time"),
            .value = Consequences::tr("%1 a step", "duration").arg(roughDuration(prediction.step.seconds)),
            .remark = predictedTotalText(prediction.total),
            .detail = predictionDetail(prediction, rates)};
}

Consequence foreseenConsequence(const TargetOutlook& outlook) {
    const ForeseenMesh& own = outlook.own;
    QStringList lines;
    for (const Sentence& advice : adviceFor(own))
        lines += sentenceText(advice);
    if (outlook.best && outlook.best->of.mesh != own.of.mesh)
        lines += Consequences::tr("Fastest of as many devices: %1 with %2, %3 a step", "mesh, mode, duration")
                     .arg(QString::fromStdString(outlook.best->of.mesh.label()),
                          QString::fromStdString(std::string(outlook.best->mode->name)),
                          roughDuration(outlook.best->step.seconds));
    lines += Consequences::tr("Efficiencies from %1; four of five measurements fall within the range.",
                              "own times, class mean")
                 .arg(engineText(nameOf(outlook.basis)));
    return {.title = Consequences::tr("Predicting for %1 × %2", "number of devices, hardware")
                         .arg(QLocale().toString(own.of.mesh.devices()),
                              QString::fromStdString(own.of.hardware->title)),
            .value = Consequences::tr("%1 a step", "duration").arg(roughDuration(own.step.seconds)),
            .remark = predictedTotalText(rangeOf(own.clip)),
            .detail = lines.join(QLatin1Char('\n'))};
}

bool isBeyondPrediction(const RunPlan& plan) {
    return !plan.project.hosts.empty();
}

Consequence unknownTime() {
    return {.title = Consequences::tr("Time"),
            .value = Consequences::tr("not known"),
            .remark = Consequences::tr("runs on several machines"),
            .detail = Consequences::tr("Seconds are predicted for this machine alone: the network between "
                                       "machines is not measured.")};
}

std::vector<Consequence> listConsequences(const RunPlan& plan, const TargetOutlook* outlook) {
    std::vector<Consequence> all{memoryOf(plan)};
    if (outlook != nullptr)
        all.back().title = Consequences::tr("Memory here", "of this machine, beside that of other hardware");
    if (plan.placement.hasGpus())
        all.push_back(gpuMemoryOf(plan));
    if (outlook != nullptr)
        all.push_back(memoryOnTarget(*outlook));
    all.push_back(tokenCount(plan));
    all.push_back(workOf(plan));
    if (plan.layout.devices() > 1)
        all.push_back(makeExchange(plan));
    return all;
}

}  // namespace meshreel
