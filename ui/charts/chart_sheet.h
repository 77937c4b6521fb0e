// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QChart>
#include <QSize>
#include <QString>
#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/runs/records/data_table.h"
#include "engine/timing/step_record.h"
#include "ui/charts/step_chart.h"

namespace meshreel {

/// A chart that can be written to a file: the drawing, dark on white, and the numbers behind it.
struct ChartSheet {
    std::function<std::unique_ptr<QChart>()> draw;
    DataTable numbers;
    QString title = {};  ///< title of the drawing in a file; empty: none
};

/// Returns the step chart of one run; its numbers are those of steps.csv, except that steps are counted from
/// 1. `resumedFrom` as for StepChart::setRecords().
ChartSheet stepSheet(const std::vector<StepRecord>& records, StepMetric metric,
                     const std::vector<int>& resumedFrom = {});

/// One way to write a chart to a file.
struct ChartFormat {
    std::string_view extension;  ///< without the dot
    const char* title;           ///< context "ChartFormats"
    /// The bytes of the file.
    QByteArray (*encode)(const ChartSheet& sheet);
};

/// Returns the drawing as SVG; `size` in pixels of 96 dpi is what its letters are laid out for.
QByteArray chartSvg(const ChartSheet& sheet, const QSize& size = {1200, 675});

/// PNG, SVG, PDF, CSV and JSON.
std::span<const ChartFormat> chartFormats();

/// Returns the row's title in the language of the application.
QString chartFormatTitle(const ChartFormat& format);

/// Writes the chart in the format of the file's extension: complete or not at all. CSV and JSON hold its
/// numbers. Throws Error{Project} for other extensions, and what writeFileAtomically throws.
void exportChart(const std::filesystem::path& file, const ChartSheet& sheet);

/// What Qt needs of a session where nobody is logged in, as on a server or in a container: its own platform
/// without a display, and a private runtime folder, which Qt would otherwise ask for aloud and put beside
/// those of others. To be made before QApplication, and to outlive it.
class OffscreenSession {
  public:
    OffscreenSession();

  private:
    std::unique_ptr<QTemporaryDir> m_runtimeFolder;  ///< none when the session has one
};

}  // namespace meshreel
