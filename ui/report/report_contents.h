// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>
#include <QList>
#include <QSize>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/project/project.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// A frame of a run's video.
struct Still {
    QImage picture;
    QString caption;
};

/// What a report contains about a run. For a pasted one only `record` is known.
struct ReportedRun {
    RunRecord record;
    std::optional<Project> project = {};
    std::vector<std::pair<QString, QString>> environment = {};  ///< facts and their values
    QList<Still> stills = {};
    QString videoProblem = {};  ///< why stills are missing
};

/// Reads a run folder, or a text file with pasted timing summaries. The report mentions a video that cannot
/// be read. Throws as readRunRecords() does, Error{Cancelled}.
std::vector<ReportedRun> readReportedRuns(const std::filesystem::path& folderOrText,
                                          const StopToken& stop = {});

/// A chart of a report before it is drawn.
struct ReportChart {
    QString title;
    ChartSheet sheet;
};

/// A chart as a drawing.
struct ReportDrawing {
    QString title;
    QByteArray svg;
};

/// Runs side by side on paper. At least one run.
struct RunReport {
    std::vector<ReportedRun> runs;
    std::vector<ReportDrawing> drawings = {};
};

struct ReportTable {
    struct Column {
        QString title;
        bool isNumber = false;
    };
    std::vector<Column> columns;
    std::vector<QStringList> rows;

    /// Texts after a column of numbers, which end where these begin.
    [[nodiscard]] bool isIndented(std::size_t column) const {
        return column > 0 && !columns[column].isNumber && columns[column - 1].isNumber;
    }
};

struct ReportStills {
    QString run;
    QList<Still> stills;
    QString problem;  ///< why there are none
};

struct ReportText {
    QString title;
    QString text;         ///< to be set in a fixed-pitch font
    bool folded = false;  ///< long: shown on request, and left out on paper
};

using ReportBlock = std::variant<ReportTable, ReportStills, ReportDrawing, ReportText>;

struct ReportSection {
    QString title;
    std::vector<ReportBlock> blocks;
};

/// What the letters of a report's charts are laid out for, in pixels of 96 dpi: three of them fill a page of
/// paper.
inline constexpr QSize reportChartSize{840, 350};

/// Returns every chart that these runs give; charts of one run for each of them.
std::vector<ReportChart> reportCharts(const std::vector<ReportedRun>& runs);

QString reportTitle(const RunReport& report);
/// Returns the author and the date.
QString reportSubtitle();

/// Returns the sections of the report, in the order of its pages; leaves out empty sections.
std::vector<ReportSection> reportSections(const RunReport& report);

}  // namespace meshreel
