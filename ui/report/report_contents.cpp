// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_contents.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFontMetricsF>
#include <QLocale>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/media/video_reader.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/runs/rated_runs.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/records/run_verdict.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "engine/timing/timing_summary.h"
#include "engine/timing/verdict.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/run_charts.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_run.h"

namespace meshreel {

namespace {

struct ReportedFacts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunReport)
};

constexpr int stillsOfRun = 6;
constexpr int mostStillWidth = 400;  ///< pixels; twice what a page shows

/// A fact of environment.json under the name that the report gives it.
struct EnvironmentFact {
    const char* title;    ///< context "meshreel::RunReport"
    const char* pointer;  ///< into the JSON
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
QString toText(const nlohmann::json& value) {
    if (value.is_string())
        return QString::fromStdString(value.get<std::string>());
    if (!value.is_object())
        return QString::fromStdString(value.dump());
    QStringList parts;
    for (const auto& [name, part] : value.items())
        parts += QStringLiteral("%1 %2").arg(QString::fromStdString(name), toText(part));
    return parts.join(QStringLiteral(", "));
}

std::vector<std::pair<QString, QString>> readEnvironmentRows(const RunFolder& folder) {
    if (!folder.has(run_file::environment))
        return {};
    const nlohmann::json environment = folder.object(run_file::environment);
    std::vector<std::pair<QString, QString>> facts;
    for (const EnvironmentFact& fact : environmentFacts) {
        const nlohmann::json::json_pointer pointer{fact.pointer};
        if (environment.contains(pointer))
            facts.emplace_back(ReportedFacts::tr(fact.title), toText(environment.at(pointer)));
    }
    return facts;
}

QList<Still> takeStills(const std::filesystem::path& video, double framesPerSecond) {
    const Clip clip = toClip(readVideo(video), framesPerSecond);
    QList<Still> stills;
    for (const int frame : spreadFrames(static_cast<int>(clip.frames.size()), stillsOfRun)) {
        const QImage& picture = clip.frames.at(frame);
        stills += {.picture = picture.width() <= mostStillWidth
                                  ? picture
                                  : picture.scaledToWidth(mostStillWidth, Qt::SmoothTransformation),
                   .caption = ReportedFacts::tr("%1 · %2 s", "number of a frame, time")
                                  .arg(frame + 1)
                                  .arg(QLocale().toString(frame / framesPerSecond, 'f', 2))};
    }
    return stills;
}

ReportedRun readFolder(const std::filesystem::path& path) {
    const RunFolder folder = RunFolder::open(path);
    ReportedRun run{.record = readRunRecord(path), .project = folder.project()};
    run.environment = readEnvironmentRows(folder);
    try {
        if (const auto video = folder.openVideo())
            run.stills = video->readWith(
                [&](const std::filesystem::path& file) { return takeStills(file, run.project->fps); });
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

namespace {

struct ReportContents {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ReportContents)
};

/// Three figures behind the point below 10, fewer above, as nobody reads more.
QString numberText(double number) {
    return QLocale().toString(number, 'f', number < 10 ? 3 : number < 100 ? 2 : 1);
}

QString cellText(const DataCell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell))
        return QString::fromStdString(*text);
    if (const auto* whole = std::get_if<std::int64_t>(&cell))
        return QString::number(*whole);
    if (const auto* number = std::get_if<double>(&cell))
        return numberText(*number);
    return QStringLiteral("–");
}

/// Columns in which no row has anything are left out.
ReportTable makeTable(const DataTable& data) {
    ReportTable table{.columns = {}, .rows = std::vector<QStringList>(data.rows.size())};
    for (std::size_t column = 0; column < data.columns.size(); ++column) {
        const auto holds = [&](auto&& test) {
            return std::ranges::any_of(data.rows,
                                       [&](const std::vector<DataCell>& row) { return test(row[column]); });
        };
        if (!holds([](const DataCell& cell) { return !std::holds_alternative<std::monostate>(cell); }))
            continue;
        const bool isText =
            holds([](const DataCell& cell) { return std::holds_alternative<std::string>(cell); });
        table.columns.push_back({timingColumnTitle(data.columns[column]), !isText});
        for (std::size_t row = 0; row < data.rows.size(); ++row)
            table.rows[row] += cellText(data.rows[row][column]);
    }
    return table;
}

std::vector<RunRecord> collectRecords(const std::vector<ReportedRun>& runs) {
    std::vector<RunRecord> records;
    std::ranges::transform(runs, std::back_inserter(records), &ReportedRun::record);
    return records;
}

QString nameOf(const ReportedRun& run) {
    return QString::fromStdString(run.record.name);
}

/// Returns the names that charts and tables use, which have no room for whole names.
QStringList shortNames(const std::vector<ReportedRun>& runs) {
    std::vector<std::string> names;
    std::ranges::transform(runs, std::back_inserter(names),
                           [](const ReportedRun& run) { return run.record.name; });
    QStringList called;
    for (const std::string& name : shortRunNames(names))
        called += QString::fromStdString(name);
    const QFontMetricsF letters(ChartStyle::font());
    return shortenedNames(called, letters, usualNameRoom(letters));
}

/// Adds a column for each run for which `isShown` holds, after the first one.
template <typename Test>
std::vector<ReportTable::Column> runColumns(const std::vector<ReportedRun>& runs, const QString& first,
                                            Test&& isShown) {
    const QStringList names = shortNames(runs);
    std::vector<ReportTable::Column> columns{{first}};
    for (std::size_t run = 0; run < runs.size(); ++run)
        if (isShown(runs[run]))
            columns.push_back({names[static_cast<qsizetype>(run)]});
    return columns;
}

ReportTable timings(const std::vector<ReportedRun>& runs) {
    std::vector<RunRecord> records = collectRecords(runs);
    const QStringList names = shortNames(runs);
    for (std::size_t run = 0; run < records.size(); ++run)
        records[run].name = names[static_cast<qsizetype>(run)].toStdString();
    DataTable table = comparisonTable(records);
    const auto column =
        static_cast<std::size_t>(std::ranges::find(table.columns, "verdict") - table.columns.begin());
    for (std::size_t run = 0; run < records.size(); ++run)
        if (const auto verdict = verdictAgainst(records, records.front(), records[run]))
            table.rows[run][column] = sentenceText(verdictSentence(*verdict)).toStdString();
    return makeTable(table);
}

std::vector<ReportBlock> settingBlocks(const std::vector<ReportedRun>& runs) {
    std::vector<Project> projects;
    for (const ReportedRun& run : runs)
        if (run.project)
            projects.push_back(*run.project);
    const std::vector<const ProjectKey*> keys = differingKeys(projects);
    if (keys.empty())
        return {};
    ReportTable table{.columns = runColumns(runs, ReportContents::tr("Setting"),
                                            [](const ReportedRun& run) { return run.project.has_value(); }),
                      .rows = {}};
    for (const ProjectKey* key : keys) {
        QStringList row{engineText(key->title)};
        for (const Project& project : projects)
            row += QString::fromStdString(valueText(project, *key));
        table.rows.push_back(std::move(row));
    }
    return {std::move(table)};
}

/// Facts in which the runs agree, and those in which they do not.
std::vector<ReportBlock> environmentBlocks(const std::vector<ReportedRun>& runs) {
    std::vector<const ReportedRun*> known;
    for (const ReportedRun& run : runs)
        if (!run.environment.empty())
            known.push_back(&run);
    if (known.empty())
        return {};
    const auto valueOf = [](const ReportedRun& run, const QString& fact) {
        const auto found = std::ranges::find(run.environment, fact, &std::pair<QString, QString>::first);
        return found == run.environment.end() ? QString() : found->second;
    };
    ReportTable same{.columns = {{ReportContents::tr("All runs")}, {QString()}}, .rows = {}};
    ReportTable different{
        .columns = runColumns(runs, ReportContents::tr("Differing"),
                              [](const ReportedRun& run) { return !run.environment.empty(); }),
        .rows = {}};
    for (const auto& [fact, value] : known.front()->environment) {
        QStringList row{fact};
        for (const ReportedRun* run : known)
            row += valueOf(*run, fact);
        if (row.count(value) == row.size() - 1)
            same.rows.push_back({fact, value});
        else
            different.rows.push_back(std::move(row));
    }
    std::vector<ReportBlock> blocks;
    for (ReportTable* table : {&different, &same})
        if (!table->rows.empty())
            blocks.emplace_back(std::move(*table));
    return blocks;
}

std::vector<ReportBlock> stillBlocks(const std::vector<ReportedRun>& runs) {
    std::vector<ReportBlock> blocks;
    for (const ReportedRun& run : runs)
        if (!run.stills.empty() || !run.videoProblem.isEmpty())
            blocks.emplace_back(ReportStills{nameOf(run), run.stills, run.videoProblem});
    return blocks;
}

std::vector<ReportBlock> summaryBlocks(const std::vector<ReportedRun>& runs) {
    std::vector<ReportBlock> blocks;
    for (const ReportedRun& run : runs)
        if (run.record.timings)
            blocks.emplace_back(
                ReportText{nameOf(run),
                           QString::fromStdString(formatTimingSummary(*run.record.timings) +
                                                  formatRunNotes(*run.record.timings, run.record.resumedFrom))
                               .trimmed()});
    return blocks;
}

std::vector<ReportBlock> projectBlocks(const std::vector<ReportedRun>& runs) {
    std::vector<ReportBlock> blocks;
    for (const ReportedRun& run : runs)
        if (run.project)
            blocks.emplace_back(
                ReportText{nameOf(run), QString::fromStdString(resolvedYaml(*run.project)), true});
    return blocks;
}

QString titleOf(const ChartKindRow& row) {
    return engineText(row.help);
}

/// Without ratings where votes cannot be read: the chart of them is left out then.
std::vector<RunRecord> ratedRecords(const std::vector<ReportedRun>& runs) {
    std::vector<RunRecord> records = collectRecords(runs);
    try {
        addRatings(records);
    } catch (const Error&) {
        return records;
    }
    return records;
}

}  // namespace

std::vector<ReportChart> reportCharts(const std::vector<ReportedRun>& runs) {
    const std::vector<RunRecord> records = ratedRecords(runs);
    std::vector<ReportChart> charts;
    const auto add = [&charts](const ChartKindRow& row, const std::vector<RunRecord>& shown,
                               const QString& title) {
        try {
            charts.push_back({title, runChart(row.kind, shown)});
        } catch (const Error& notOfThese) {
            if (notOfThese.kind() != ErrorKind::Project)
                throw;
        }
    };
    for (const ChartKindRow& row : chartKinds()) {
        if (!row.oneRun)
            add(row, records, titleOf(row));
        else
            for (const RunRecord& record : records)
                add(row, {record},
                    QStringLiteral("%1: %2").arg(QString::fromStdString(record.name), titleOf(row)));
    }
    return charts;
}

QString reportTitle(const RunReport& report) {
    if (report.runs.size() == 1)
        return nameOf(report.runs.front());
    return ReportContents::tr("%n runs compared", nullptr, static_cast<int>(report.runs.size()));
}

QString reportSubtitle() {
    const std::string_view version = versionNumber();
    return ReportContents::tr("Meshreel %1 · %2", "version, date")
        .arg(QLatin1StringView(version.data(), static_cast<qsizetype>(version.size())),
             QLocale().toString(QDateTime::currentDateTime(), QLocale::LongFormat));
}

std::vector<ReportSection> reportSections(const RunReport& report) {
    std::vector<ReportBlock> drawings;
    std::ranges::copy(report.drawings, std::back_inserter(drawings));
    std::vector<ReportSection> sections{
        {ReportContents::tr("Timings"), {timings(report.runs)}},
        {ReportContents::tr("Settings that differ"), settingBlocks(report.runs)},
        {ReportContents::tr("Videos"), stillBlocks(report.runs)},
        {ReportContents::tr("Charts"), std::move(drawings)},
        {ReportContents::tr("Environment"), environmentBlocks(report.runs)},
        {ReportContents::tr("Timing summaries"), summaryBlocks(report.runs)},
        {ReportContents::tr("Projects"), projectBlocks(report.runs)},
    };
    std::erase_if(sections, [](const ReportSection& section) { return section.blocks.empty(); });
    return sections;
}

}  // namespace meshreel
