// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/predicted_texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

namespace meshreel {

namespace {

constexpr double minute = 60;
constexpr double hour = 60 * minute;
constexpr double units = 2;  ///< from which on the larger unit is used

struct PredictedTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::PredictedTexts)
};

/// Seconds of the unit that a duration is told in.
double unitOf(double seconds) {
    return seconds >= units * hour ? hour : seconds >= units * minute ? minute : 1;
}

/// Two digits, more where they are whole.
QString amountText(double amount) {
    const int decimals = amount < 1 ? 2 : amount < 10 ? 1 : 0;
    return QLocale().toString(amount, 'f', decimals);
}

QString withUnit(double seconds, double unit) {
    const QString amount = amountText(seconds / unit);
    return unit == hour     ? PredictedTexts::tr("%1 h").arg(amount)
           : unit == minute ? PredictedTexts::tr("%1 min").arg(amount)
                            : PredictedTexts::tr("%1 s").arg(amount);
}

/// In the unit of what is expected, told once.
QString rangeText(const PredictedSeconds& predicted) {
    const double unit = unitOf(predicted.seconds);
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
    return withUnit(seconds, unitOf(seconds));
}

QString predictedText(const PredictedSeconds& predicted) {
    return PredictedTexts::tr("%1 (%2)", "duration and its range")
        .arg(roughDuration(predicted.seconds), rangeText(predicted));
}

QString predictedTotalText(const PredictedSeconds& predicted) {
    return PredictedTexts::tr("%1 in all (%2)", "duration and its range")
        .arg(roughDuration(predicted.seconds), rangeText(predicted));
}

QString predictionDetail(const Prediction& prediction, const MachineRates& rates) {
    QStringList lines{
        PredictedTexts::tr("A step: %1", "duration").arg(predictedText(prediction.step)),
        PredictedTexts::tr("The first step: %1", "duration").arg(predictedText(prediction.firstStep))};
    for (const RunStage stage : runStages)
        lines += PredictedTexts::tr("%1: %2", "stage and duration")
                     .arg(titleOf(stage), predictedText(prediction.of(stage)));
    lines += PredictedTexts::tr("Four of five runs are expected within their range.");
    lines += prediction.pastRuns == 0
                 ? PredictedTexts::tr(
                       "By the rates of this machine, measured %1; no run like this one has been done.")
                       .arg(QString::fromStdString(rates.measured))
                 : PredictedTexts::tr("By the rates of this machine, measured %1, and %n runs like this one.",
                                      nullptr, static_cast<int>(prediction.pastRuns))
                       .arg(QString::fromStdString(rates.measured));
    return lines.join(QLatin1Char('\n'));
}

}  // namespace meshreel
