// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/engine_texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project_keys.h"

namespace meshreel {

namespace {

struct KeyTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::KeyTexts)
};

QString betweenText(const QString& low, const QString& high) {
    if (low.isEmpty() && high.isEmpty())
        return {};
    if (high.isEmpty())
        return KeyTexts::tr("at least %1").arg(low);
    if (low.isEmpty())
        return KeyTexts::tr("at most %1").arg(high);
    return KeyTexts::tr("%1 to %2", "range of values").arg(low, high);
}

/// Bounds that are those of the number type are no limits worth showing.
template <typename Number>
QString boundText(Number bound, Number unlimited) {
    return bound == unlimited ? QString() : QString::number(bound);
}

QString integerLimits(const IntegerRange& range) {
    using Limits = std::numeric_limits<std::int64_t>;
    QString text = betweenText(boundText<qlonglong>(range.minimum, Limits::min()),
                               boundText<qlonglong>(range.maximum, Limits::max()));
    if (range.step > 1)
        text = KeyTexts::tr("%1, step %2", "range and step").arg(text).arg(range.step);
    if (range.automatic)
        text = KeyTexts::tr("%1, or %2 for automatic", "range and special value")
                   .arg(text)
                   .arg(*range.automatic);
    return text;
}

QString realLimits(RealRange range) {
    using Limits = std::numeric_limits<double>;
    return betweenText(boundText(range.minimum, Limits::lowest()), boundText(range.maximum, Limits::max()));
}

}  // namespace

QString engineText(std::string_view english) {
    return QCoreApplication::translate("Engine", std::string(english).c_str());
}

QString sentenceText(const Sentence& sentence) {
    if (sentence.pattern().empty())
        return QString::fromStdString(sentence.text());
    std::vector<std::string> parts;
    for (const Sentence& part : sentence.parts())
        parts.push_back(sentenceText(part).toStdString());
    return QString::fromStdString(fillPattern(engineText(sentence.pattern()).toStdString(), parts));
}

QString withHint(const QString& what, const QString& hint) {
    return hint.isEmpty() ? what : KeyTexts::tr("%1. %2", "what is wrong and what to do").arg(what, hint);
}

QString titleOfKey(std::string_view keyName) {
    const ProjectKey* key = findProjectKey(keyName);
    return key == nullptr ? QString() : engineText(key->title);
}

QString problemText(const Problem& problem) {
    const QString title = titleOfKey(problem.key);
    const QString message = sentenceText(problem.message);
    const QString spelling = QString::fromStdString(problem.key);
    if (!title.isEmpty() && message.startsWith(spelling))
        return title + message.mid(spelling.size());  // "Width must be a multiple of 16, not 40"
    return title.isEmpty() ? message : KeyTexts::tr("%1: %2", "field and its problem").arg(title, message);
}

QString distinctTitle(const ProjectKey& key) {
    const bool isShared = std::ranges::count(projectKeys(), key.title, &ProjectKey::title) > 1;
    const QString title = engineText(key.title);
    return isShared ? KeyTexts::tr("%1 (%2)", "title of a setting, its section")
                          .arg(title, engineText(key.section))
                    : title;
}

QString limitsText(const ProjectKey& key) {
    if (std::holds_alternative<Seed Project::*>(key.member))
        return KeyTexts::tr("%1 to %2, or %3 for a random one", "range and special value of a seed")
            .arg(0)
            .arg(std::numeric_limits<std::uint64_t>::max())
            .arg(QString::fromStdString(seedText({})));
    if (const auto* integers = std::get_if<IntegerRange>(&key.range))
        return integerLimits(*integers);
    if (const auto* reals = std::get_if<RealRange>(&key.range))
        return realLimits(*reals);
    return {};
}

QString wholeText(const Problem& problem) {
    const QString where = QString::fromStdString(problem.where());
    const QString message = sentenceText(problem.message);
    return withHint(
        where.isEmpty() ? message : KeyTexts::tr("%1: %2", "place and what is wrong").arg(where, message),
        sentenceText(problem.hint()));
}

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
