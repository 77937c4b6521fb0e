// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/engine_texts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/strings.h"
#include "engine/project/clip_place.h"
#include "engine/project/keyframes.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
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

/// Bounds that are those of the number type are not worth showing.
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

/// What the engine says in terms of the command line, and how the Studio says it: with its own controls, or
/// "in a terminal" without any. A pattern of the engine's, and one with as many fields or none.
struct StudioWords {
    const char* engine;
    const char* studio;
};

constexpr std::array studioWords{
    StudioWords{"meshreel inspect shows what it is",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Add the file in Models, which says what it is")},
    StudioWords{
        "The file is of another model, or damaged: check what it is with meshreel inspect, or get it again",
        QT_TRANSLATE_NOOP(
            "meshreel::StudioWords",
            "The file is of another model, or damaged: add it in Models to see what it is, or get it again")},
    StudioWords{"measure one: meshreel calibrate magcache PROJECT -o FILE, and write mag_ratios_file: FILE",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "measure one in a terminal (meshreel calibrate magcache PROJECT -o FILE), "
                                  "and choose it as MagCache curve file")},
    StudioWords{"The MagCache curve was measured on a transformer of {} blocks, and this has {}; meshreel "
                "calibrate magcache measures one for it",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "The MagCache curve was measured on a transformer of {} blocks, and this "
                                  "has {}; in a terminal, meshreel calibrate magcache measures one for it")},
    StudioWords{
        "Use a file that meshreel calibrate magcache has written",
        QT_TRANSLATE_NOOP("meshreel::StudioWords",
                          "Choose a file that meshreel calibrate magcache has written in a terminal")},
    StudioWords{"Curve that meshreel calibrate magcache has measured; relative to the project's folder.",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "Curve of the model, which meshreel calibrate magcache measures in a "
                                  "terminal; relative to the project's folder.")},
    StudioWords{"Name a file: {}: PATH", QT_TRANSLATE_NOOP("meshreel::StudioWords", "Choose a file for {}")},
    StudioWords{"meshreel tune searches block sizes",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Tune searches block sizes")},
    StudioWords{"run folders hold what a run leaves: see --out",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "run folders hold what a run leaves: see Runs")},
    StudioWords{"To resume it: meshreel run --resume {}, with the same --hosts",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Resume goes on with it on the same hosts")},
    StudioWords{"To resume it: meshreel run --resume {}",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Resume goes on with it")},
    StudioWords{
        "Copy the model to every host and leave --broadcast-weights out",
        QT_TRANSLATE_NOOP("meshreel::StudioWords", "Copy the model to every host and turn Send weights off")},
    StudioWords{"Choose a new folder, or resume the run in it with --resume",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "Choose a new folder, or go on with the run in it with Resume")},
    StudioWords{"Give a folder that meshreel run has made",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Choose the folder of a run")},
    StudioWords{"Set MESHREEL_RUNS to a folder, or give --out",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "Choose one with “Choose the folder for runs” in the File menu")},
    StudioWords{
        "Get it as single files with: meshreel get {}; or download it whole with: {}. {}",
        QT_TRANSLATE_NOOP("meshreel::StudioWords",
                          "Download it in the Models panel ({}), or whole in a terminal with: {}. {}")},
    StudioWords{"Get it with: meshreel get {}; it prints the lines that a project needs. {}",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "Download it in the Models panel ({}), and use it from there. {}")},
    StudioWords{"meshreel keys lists them",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Choose one from the list")},
    StudioWords{"Resume it there, or allow a different machine (--allow-different-machine): the result may "
                "then differ in its last bits",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "Resume it there, or with “Resume on a different machine” in Runs: the "
                                  "result may then differ in its last bits")},
    StudioWords{"Resume the run first (meshreel run --resume)",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Go on with the run first, with Resume")},
    StudioWords{"Resume one with meshreel run --resume",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Go on with one of them with Resume in Runs")},
    StudioWords{"Choose flash, or another mode that `meshreel modes` lists with a blocked kernel",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "Choose flash, or another mode whose kernel works in blocks")},
    StudioWords{
        "Give tile_size_grid_search.csv as meshreel tune PROJECT --out-dir writes it",
        QT_TRANSLATE_NOOP("meshreel::StudioWords", "Choose a tile_size_grid_search.csv as tuning writes it")},
    StudioWords{
        "Name runs that got as far as denoising, or the table of meshreel tune --out-dir",
        QT_TRANSLATE_NOOP("meshreel::StudioWords",
                          "Choose runs that got as far as denoising, or a table that tuning has written")},
    StudioWords{"Set XDG_CACHE_HOME to a folder that you may write to, or run with --no-cache",
                QT_TRANSLATE_NOOP(
                    "meshreel::StudioWords",
                    "Set XDG_CACHE_HOME to a folder that you may write to, and start the Studio again")},
    StudioWords{"Clear the cache (meshreel cache clear --weights): it is made again",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Delete the file: it is made again")},
    StudioWords{"Clear the cache ({}): it is made again",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Delete the file: it is made again")},
    StudioWords{
        "Free some space on it, or choose another folder for runs",
        QT_TRANSLATE_NOOP("meshreel::StudioWords",
                          "Free some space on it, or choose another folder with “Choose the folder for "
                          "runs” in the File menu")},
    StudioWords{"Free some space, set XDG_CACHE_HOME to another disk, or run with --no-cache",
                QT_TRANSLATE_NOOP(
                    "meshreel::StudioWords",
                    "Free some space, or set XDG_CACHE_HOME to another disk and start the Studio again")},
    StudioWords{"Start it again with --out and the same folder",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Start it again with Run")},
    StudioWords{"Set them back, or start a new run with them: meshreel run {}",
                QT_TRANSLATE_NOOP(
                    "meshreel::StudioWords",
                    "Set them back, or start a new run with them: “Load these settings” in Runs, then Run")},
    StudioWords{"Put the files back that it began with, or start a new run: meshreel run {}",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "Put the files back that it began with, or start a new run: “Load these "
                                  "settings” in Runs, then Run")},
    StudioWords{"rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs "
                "slightly from that of one instruction set. For the same bits everywhere give the narrowest "
                "of them with --isa",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "rank {} on host {} computes with {}, and rank 0 on host {} with {}: the "
                                  "result differs slightly from that of one instruction set")},
    StudioWords{
        "not measured yet; the first run in bf16 measures, or meshreel bench gpu",
        QT_TRANSLATE_NOOP("meshreel::StudioWords", "not measured yet; the first run in bf16 measures")},
    StudioWords{"See meshreel devices", QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                                          "Choose another GPU, or none, at the setting GPU")},
    StudioWords{
        "Use none, auto, or the number of a GPU: 0 is the first that meshreel devices lists",
        QT_TRANSLATE_NOOP("meshreel::StudioWords", "Use none, auto, or the number of a GPU: 0 is the first")},
    StudioWords{"meshreel devices lists those that there are",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "Choose none, auto, or the number of another GPU: 0 is the first")},
    StudioWords{"See meshreel devices, update the GPU driver, or use the CPU",
                QT_TRANSLATE_NOOP("meshreel::StudioWords", "Update the GPU driver, or use the CPU")},
    StudioWords{"If you know who wrote the project, agree for its folder with --trust",
                QT_TRANSLATE_NOOP("meshreel::StudioWords",
                                  "If you know who wrote the project, open it and agree for its folder")},
};

}  // namespace

QString visibleText(const QString& text) {
    return QString::fromStdString(visibleText(std::string_view(text.toStdString())));
}

QString engineText(std::string_view english) {
    const auto* own = std::ranges::find(studioWords, english, &StudioWords::engine);
    return own == studioWords.end() ? QCoreApplication::translate("Engine", std::string(english).c_str())
                                    : QCoreApplication::translate("meshreel::StudioWords", own->studio);
}

QString sentenceText(const Sentence& sentence) {
    if (sentence.pattern().empty())
        return QString::fromStdString(visibleText(std::string_view(sentence.text())));
    std::vector<std::string> parts;
    for (const Sentence& part : sentence.parts())
        parts.push_back(sentenceText(part).toStdString());
    return QString::fromStdString(fillPattern(engineText(sentence.pattern()).toStdString(), parts));
}

QString withCapital(const QString& words) {
    const auto end =
        std::ranges::find_if(words, [](QChar c) { return c.isSpace() || c == QLatin1Char(','); });
    const bool isWord = end != words.begin() && std::all_of(words.begin(), end, [](QChar c) {
                            return c.isLetter() || c == QLatin1Char('\'') || c == QChar(0x2019);
                        });
    return isWord ? words.front().toUpper() + words.mid(1) : words;
}

QString withHint(const QString& what, const QString& hint) {
    return hint.isEmpty() ? what : KeyTexts::tr("%1. %2", "what is wrong and what to do").arg(what, hint);
}

namespace {

QString adapterWords(const LoraChoice& adapter) {
    const QString name =
        visibleText(QString::fromStdString(std::filesystem::path(adapter.file).stem().string()));
    const QString strength = QLocale().toString(adapter.strength);
    return adapter.expert == ExpertChoice::ByName
               ? KeyTexts::tr("%1 (%2)", "adapter, strength").arg(name, strength)
               : KeyTexts::tr("%1 (%2, %3)", "adapter, strength, expert")
                     .arg(name, strength,
                          QString::fromLatin1(nameOf(adapter.expert).data(),
                                              static_cast<qsizetype>(nameOf(adapter.expert).size())));
}

QString placeWords(const ClipPlace& place) {
    const QString value = QLocale().toString(place.value);
    switch (place.unit) {
        case PlaceUnit::Seconds:
            return KeyTexts::tr("%1 s", "seconds").arg(value);
        case PlaceUnit::Percent:
            return KeyTexts::tr("%1 %", "percentage").arg(value);
        case PlaceUnit::Frame:
            break;
    }
    return value;
}

}  // namespace

QString valueWords(const ProjectKey& key, const std::string& value) {
    if (!isListOfMaps(key))
        return QString::fromStdString(value);
    Project project;
    if (trySetFromText(project, key, value))
        return QString::fromStdString(value);
    QStringList words;
    if (std::holds_alternative<LoraList Project::*>(key.member))
        for (const LoraChoice& adapter : project.*std::get<LoraList Project::*>(key.member))
            words += adapterWords(adapter);
    else
        for (const Keyframe& keyframe : project.*std::get<KeyframeList Project::*>(key.member))
            words += KeyTexts::tr("%1: %2", "place in a clip, picture")
                         .arg(placeWords(keyframe.place),
                              visibleText(QString::fromStdString(
                                  std::filesystem::path(keyframe.image).filename().string())));
    return words.isEmpty() ? KeyTexts::tr("none", "adapters or keyframes") : words.join(QStringLiteral(", "));
}

QString titleOfKey(std::string_view keyName) {
    const ProjectKey* key = findProjectKey(keyName);
    return key == nullptr ? QString() : engineText(key->title);
}

namespace {

/// Whether it begins with the spelling of its key.
bool namesItsKey(const Problem& problem, const QString& message) {
    const QString spelling = QString::fromStdString(problem.key);
    if (spelling.isEmpty() || !message.startsWith(spelling))
        return false;
    const QString rest = message.mid(spelling.size());
    return rest.isEmpty() || !(rest.front().isLetterOrNumber() || rest.front() == QLatin1Char('_'));
}

}  // namespace

QString messageText(const Problem& problem) {
    const QString title = titleOfKey(problem.key);
    const QString message = sentenceText(problem.message);
    return title.isEmpty() || !namesItsKey(problem, message)
               ? withCapital(message)
               : title + message.mid(static_cast<qsizetype>(problem.key.size()));
}

QString problemText(const Problem& problem) {
    const QString title = titleOfKey(problem.key);
    const QString message = sentenceText(problem.message);
    return title.isEmpty() || namesItsKey(problem, message)
               ? messageText(problem)
               : KeyTexts::tr("%1: %2", "field and its problem").arg(title, message);
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
    const QString place = QString::fromStdString(problem.where());
    const QString where =
        place.startsWith(QLatin1String("--")) ? QString() : place;  // an option of the runner
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

QDateTime startTime(const RunState& state) {
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
    TimingColumn{"spread", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Spread")},
    TimingColumn{"verdict", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Verdict")},
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
