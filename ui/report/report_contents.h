// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>
#include <QStringList>
#include <variant>
#include <vector>

#include "ui/charts/chart_sheet.h"
#include "ui/report/reported_run.h"

namespace meshreel {

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

    /// Texts behind a column of numbers, which end where these begin.
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

/// Every chart that these runs give, charts of one run for each of them.
std::vector<ReportChart> reportCharts(const std::vector<ReportedRun>& runs);

QString reportTitle(const RunReport& report);
/// Who made it, and when.
QString reportSubtitle();

/// What the report tells, in the order of its pages; sections without anything are left out.
std::vector<ReportSection> reportSections(const RunReport& report);

}  // namespace meshreel
