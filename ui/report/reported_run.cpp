// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/reported_run.h"

#include <QCoreApplication>
#include <QLocale>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/media/video_reader.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "ui/controller/clip_conversion.h"
#include "ui/models/key_texts.h"
#include "ui/player/spread_frames.h"

namespace meshreel {

namespace {

struct RunReport {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunReport)
};

constexpr int stillsOfRun = 6;
constexpr int mostStillWidth = 400;  ///< pixels; twice what a page shows

/// A fact of environment.json under the name that the report gives it.
struct EnvironmentFact {
    const char* title;    ///< context "meshreel::RunReport"
    const char* pointer;  ///< of JSON
};

constexpr std::array environmentFacts{
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Version"), "/meshreel/version"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Commit"), "/meshreel/commit"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Compiler"), "/meshreel/compiler"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Processor"), "/cpu"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Instruction set"), "/isa"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "CPUs"), "/cpus"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Devices"), "/devices"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Ranks"), "/ranks"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Workers of a device"), "/workers_per_device"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Mesh"), "/mesh"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Self-attention kernel"), "/attention/self"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Cross-attention kernel"), "/attention/cross"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Number types"), "/precision"},
    EnvironmentFact{QT_TRANSLATE_NOOP("meshreel::RunReport", "Libraries"), "/libraries"},
};

/// "data 1, context 2" of an object.
QString textOf(const nlohmann::json& value) {
    if (value.is_string())
        return QString::fromStdString(value.get<std::string>());
    if (!value.is_object())
        return QString::fromStdString(value.dump());
    QStringList parts;
    for (const auto& [name, part] : value.items())
        parts += QStringLiteral("%1 %2").arg(QString::fromStdString(name), textOf(part));
    return parts.join(QStringLiteral(", "));
}

std::vector<std::pair<QString, QString>> environmentOf(const RunFolder& folder) {
    if (!folder.has(run_file::environment))
        return {};
    const nlohmann::json environment = readJsonObject(folder.file(run_file::environment));
    std::vector<std::pair<QString, QString>> facts;
    for (const EnvironmentFact& fact : environmentFacts) {
        const nlohmann::json::json_pointer pointer{fact.pointer};
        if (environment.contains(pointer))
            facts.emplace_back(RunReport::tr(fact.title), textOf(environment.at(pointer)));
    }
    return facts;
}

QList<Still> stillsOf(const std::filesystem::path& video, double framesPerSecond) {
    const Clip clip = clipOf(readVideo(video), framesPerSecond);
    QList<Still> stills;
    for (const int frame : spreadFrames(static_cast<int>(clip.frames.size()), stillsOfRun)) {
        const QImage& picture = clip.frames.at(frame);
        stills += {.picture = picture.width() <= mostStillWidth
                                  ? picture
                                  : picture.scaledToWidth(mostStillWidth, Qt::SmoothTransformation),
                   .caption = RunReport::tr("%1 · %2 s", "number of a frame, time")
                                  .arg(frame + 1)
                                  .arg(QLocale().toString(frame / framesPerSecond, 'f', 2))};
    }
    return stills;
}

ReportedRun readFolder(const std::filesystem::path& path) {
    const RunFolder folder = RunFolder::open(path);
    ReportedRun run{.record = readRunRecord(path), .project = folder.project()};
    run.environment = environmentOf(folder);
    try {
        if (const auto video = folder.video())
            run.stills = stillsOf(*video, run.project->fps);
    } catch (const Error& unreadable) {
        run.videoProblem = sentenceText(unreadable.message());
    }
    return run;
}

}  // namespace

std::vector<ReportedRun> readReportedRuns(const std::filesystem::path& folderOrText, const StopToken& stop) {
    throwIfStopped(stop);
    if (std::filesystem::is_directory(folderOrText))
        return {readFolder(folderOrText)};
    std::vector<ReportedRun> runs;
    for (RunRecord& record : readRunRecords(folderOrText))
        runs.push_back({.record = std::move(record)});
    return runs;
}

}  // namespace meshreel
