// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/runs/records/run_record.h"
#include "ui/report/report_contents.h"
#include "ui/values/background.h"

namespace meshreel {

/// Returns a page that needs no other file: charts are SVG in it, stills JPEG. Light and dark as its reader's
/// system is; drawings stay dark on white.
QByteArray reportHtml(const RunReport& report);

/// A4 pages with numbers; charts stay vectors, folded texts are left out.
QByteArray reportPdf(const RunReport& report);

/// Returns the chart as SVG; on the thread of the widgets.
ReportDrawing drawn(const ReportChart& chart);

/// Throws Error{Project} for files that are neither .html nor .pdf.
void requireReportFormat(const std::filesystem::path& file);

/// Writes the report in the format of the file's extension, .html or .pdf, complete or not at all; on any
/// thread. Throws as requireReportFormat() and writeFileAtomically().
void writeReport(const std::filesystem::path& file, const RunReport& report);

/// Everything at once, for programs without a window.
void exportReport(const std::filesystem::path& file, std::vector<ReportedRun> runs);

/// Writes reports without holding up the window: runs are read and pages made on another thread, charts are
/// drawn on this one, one for each turn of its event loop.
class ReportExporter : public QObject {
    Q_OBJECT

  public:
    explicit ReportExporter(QObject* parent = nullptr);
    ~ReportExporter() override;

    /// A report of runs in folders and of pasted ones, .html or .pdf. Nothing while one is being written.
    void write(const QString& file, const std::vector<std::filesystem::path>& folders,
               const std::vector<RunRecord>& pasted);
    [[nodiscard]] bool isBusy() const { return m_isBusy; }

  signals:
    void busyChanged(bool busy);
    void written(const QString& file);
    void wentWrong(const meshreel::Problem& problem);
    /// Runs that a written report lacks.
    void leftOut(const meshreel::Problem& problem);

  private:
    void drawNext();
    void finish();
    void fail(const Problem& problem);
    void setBusy(bool busy);

    QString m_file;
    RunReport m_report;
    std::vector<ReportChart> m_toDraw;
    std::optional<Problem> m_leftOut;
    QTimer m_turn;
    bool m_isBusy = false;
    StopSource m_stop;
    Background m_background;
};

}  // namespace meshreel
