// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/run_texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int secondsPerMinute = 60;
constexpr int minutesPerHour = 60;

struct RunTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunTexts)
};

}  // namespace

QString statusTitle(RunStatus status) {
    switch (status) {
        case RunStatus::Running:
            return RunTexts::tr("Running");
        case RunStatus::Done:
            return RunTexts::tr("Done");
        case RunStatus::Cancelled:
            return RunTexts::tr("Cancelled");
        case RunStatus::Failed:
            return RunTexts::tr("Failed");
        case RunStatus::Crashed:
            return RunTexts::tr("Interrupted");
    }
    return {};
}

QString stateSentence(const RunState& state) {
    const QString title = statusTitle(state.status);
    return state.why.empty()
               ? title
               : RunTexts::tr("%1: %2", "status and its reason").arg(title, sentenceText(state.why));
}

QDateTime startOf(const RunState& state) {
    return QDateTime::fromString(QString::fromStdString(state.started), Qt::ISODate).toLocalTime();
}

QString extentText(const RunSummary& run) {
    const QString steps = RunTexts::tr("%1 of %2 steps").arg(run.stepsDone).arg(run.steps);
    return run.inferenceSeconds
               ? RunTexts::tr("%1, %2", "steps and duration").arg(steps, durationText(*run.inferenceSeconds))
               : steps;
}

QString durationText(double seconds) {
    if (seconds < secondsPerMinute)
        return RunTexts::tr("%1 s").arg(QLocale().toString(seconds, 'f', 1));
    const auto whole = static_cast<qint64>(std::lround(seconds));
    const qint64 minutes = whole / secondsPerMinute;
    if (minutes < minutesPerHour)
        return RunTexts::tr("%1 min %2 s")
            .arg(minutes)
            .arg(whole % secondsPerMinute, 2, 10, QLatin1Char('0'));
    return RunTexts::tr("%1 h %2 min")
        .arg(minutes / minutesPerHour)
        .arg(minutes % minutesPerHour, 2, 10, QLatin1Char('0'));
}

QString shortDurationText(double seconds) {
    constexpr double tenthsBelow = 9.95;
    const auto whole = static_cast<qint64>(std::lround(seconds));
    if (whole < secondsPerMinute)
        return RunTexts::tr("%1 s").arg(QLocale().toString(seconds, 'f', seconds < tenthsBelow ? 1 : 0));
    const auto twoDigits = [](qint64 number) {
        return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0'));
    };
    const qint64 minutes = whole / secondsPerMinute;
    const QString rest = QLatin1Char(':') + twoDigits(whole % secondsPerMinute);
    if (minutes < minutesPerHour)
        return QString::number(minutes) + rest;
    return QString::number(minutes / minutesPerHour) + QLatin1Char(':') +
           twoDigits(minutes % minutesPerHour) + rest;
}

namespace {

struct TimingColumn {
    std::string_view name;  ///< of comparisonTable()
    const char* title;      ///< context "meshreel::ReportContents"
};

constexpr std::array timingColumns{
    TimingColumn{"run", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Run")},
    TimingColumn{"attention", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Attention")},
    TimingColumn{"devices", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Devices")},
    TimingColumn{"workers", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Workers")},
    TimingColumn{"size", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Video")},
    TimingColumn{"steps", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Steps")},
    TimingColumn{"load_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Load, s")},
    TimingColumn{"compile_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Compile, s")},
    TimingColumn{"inference_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Inference, s")},
    TimingColumn{"denoise_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Denoising, s")},
    TimingColumn{"decode_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Decoding, s")},
    TimingColumn{"step_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Step, s")},
    TimingColumn{"speed", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Speed")},
};

}  // namespace

QString timingColumnTitle(std::string_view name) {
    const auto* const found = std::ranges::find(timingColumns, name, &TimingColumn::name);
    return found == timingColumns.end()
               ? QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))
               : QCoreApplication::translate("meshreel::ReportContents", found->title);
}

}  // namespace meshreel
