// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_exporter.h"

#include <algorithm>
#include <utility>

#include "ui/report/report_export.h"

namespace meshreel {

namespace {

struct ReadRuns {
    std::vector<ReportedRun> runs;
    std::vector<ReportChart> charts;
};

ReadRuns readRuns(const std::vector<std::filesystem::path>& folders, const std::vector<RunRecord>& pasted,
                  const StopToken& stop) {
    ReadRuns read;
    for (const std::filesystem::path& folder : folders)
        std::ranges::move(readReportedRuns(folder, stop), std::back_inserter(read.runs));
    for (const RunRecord& record : pasted)
        read.runs.push_back({.record = record});
    read.charts = reportCharts(read.runs);
    return read;
}

}  // namespace

ReportExporter::ReportExporter(QObject* parent) : QObject(parent) {
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &ReportExporter::drawNext);
}

ReportExporter::~ReportExporter() {
    m_stop.request_stop();
}

void ReportExporter::write(const QString& file, const std::vector<std::filesystem::path>& folders,
                           const std::vector<RunRecord>& pasted) {
    if (m_isBusy)
        return;
    setBusy(true);
    m_file = file;
    m_background.run(
        [file = file.toStdString(), folders, pasted, stop = m_stop.get_token()] {
            requireReportFormat(file);
            return readRuns(folders, pasted, stop);
        },
        [this](ReadRuns read) {
            m_report = {.runs = std::move(read.runs)};
            m_toDraw = std::move(read.charts);
            m_turn.start();
        },
        [this](const Trouble& trouble) { fail(trouble); });
}

void ReportExporter::drawNext() {
    const std::size_t next = m_report.drawings.size();
    if (next < m_toDraw.size()) {
        m_report.drawings.push_back(drawn(m_toDraw[next]));
        return;
    }
    m_turn.stop();
    finish();
}

void ReportExporter::finish() {
    m_toDraw.clear();
    m_background.run(
        [file = m_file.toStdString(), report = std::exchange(m_report, {})] {
            writeReport(file, report);
            return true;
        },
        [this](bool) {
            setBusy(false);
            emit written(m_file);
        },
        [this](const Trouble& trouble) { fail(trouble); });
}

void ReportExporter::fail(const Trouble& trouble) {
    setBusy(false);
    emit troubled(trouble);
}

void ReportExporter::setBusy(bool busy) {
    m_isBusy = busy;
    emit busyChanged(busy);
}

}  // namespace meshreel
