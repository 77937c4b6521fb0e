// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_export.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "ui/charts/chart_export.h"
#include "ui/report/report_html.h"
#include "ui/report/report_pdf.h"

namespace meshreel {

namespace {

struct ReportFormat {
    QLatin1StringView extension;
    QByteArray (*encode)(const RunReport& report) = nullptr;
};

constexpr std::array formats{ReportFormat{QLatin1StringView(".html"), reportHtml},
                             ReportFormat{QLatin1StringView(".pdf"), reportPdf}};

const ReportFormat& formatOf(const std::filesystem::path& file) {
    const QString extension = QString::fromStdString(file.extension().string()).toLower();
    const auto* const found = std::ranges::find(formats, extension, &ReportFormat::extension);
    if (found == formats.end())
        throw Error(ErrorKind::Project,
                    sentence("A report cannot be written as '{}'", file.extension().string()), file.string(),
                    sentence("Use .html or .pdf"));
    return *found;
}

}  // namespace

ReportDrawing drawn(const ReportChart& chart) {
    return {chart.title, chartSvg(chart.sheet, reportChartSize)};
}

void requireReportFormat(const std::filesystem::path& file) {
    static_cast<void>(formatOf(file));
}

void writeReport(const std::filesystem::path& file, const RunReport& report) {
    const QByteArray bytes = formatOf(file).encode(report);
    writeFileAtomically(file, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

void exportReport(const std::filesystem::path& file, std::vector<ReportedRun> runs) {
    requireReportFormat(file);
    RunReport report{.runs = std::move(runs)};
    for (const ReportChart& chart : reportCharts(report.runs))
        report.drawings.push_back(drawn(chart));
    writeReport(file, report);
}

}  // namespace meshreel
