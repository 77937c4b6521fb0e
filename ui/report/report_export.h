// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "ui/report/report_contents.h"

namespace meshreel {

/// The chart as SVG; on the thread of the widgets.
ReportDrawing drawn(const ReportChart& chart);

/// Throws Error{Project} for files that are neither .html nor .pdf.
void requireReportFormat(const std::filesystem::path& file);

/// Writes the report in the format of the file's extension, .html or .pdf, complete or not at all; on any
/// thread. Throws as requireReportFormat() and writeFileAtomically().
void writeReport(const std::filesystem::path& file, const RunReport& report);

/// Everything at once, for programs without a window.
void exportReport(const std::filesystem::path& file, std::vector<ReportedRun> runs);

}  // namespace meshreel
