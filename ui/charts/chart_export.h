// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "engine/timing/step_record.h"
#include "ui/charts/step_chart.h"

namespace meshreel {

/// One way to write the step chart to a file.
struct ChartFormat {
    std::string_view extension;  ///< without the dot
    const char* title;           ///< context "ChartFormats"
    /// The bytes of the file.
    QByteArray (*encode)(const std::vector<StepRecord>& records, StepMetric metric);
};

/// PNG, SVG, PDF and CSV.
std::span<const ChartFormat> chartFormats();

/// The row's title in the language of the application.
QString chartFormatTitle(const ChartFormat& format);

/// Writes the chart, dark on white, in the format of the file's extension: complete or not at all. CSV holds
/// the records themselves. Throws Error{Project} for other extensions, and what writeFileAtomically throws.
void exportChart(const std::filesystem::path& file, const std::vector<StepRecord>& records,
                 StepMetric metric);

}  // namespace meshreel
