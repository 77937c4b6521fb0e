// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>
#include <vector>

#include "engine/timing/chart_kinds.h"
#include "engine/timing/run_record.h"
#include "ui/charts/chart_sheet.h"
#include "ui/compare/setting_differences.h"
#include "ui/controller/background.h"

class QAction;
class QChartView;
class QComboBox;
class QPushButton;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace meshreel {

class ClipComparer;
class EmptyState;
class ExportButton;
class ReportExporter;

/// Runs side by side: a chart of one kind over all of them, or the videos of two, and the settings in which
/// they differ. Timings that were published elsewhere can be pasted in as further runs.
class ComparePanel : public QWidget {
    Q_OBJECT

  public:
    explicit ComparePanel(QWidget* parent = nullptr);

    /// Reads the runs on another thread; compared() tells when they are shown.
    void compare(const std::vector<std::filesystem::path>& folders);
    /// Those of folders, then those pasted.
    [[nodiscard]] std::vector<RunRecord> runs() const;
    /// Adds the TIMING SUMMARY blocks of the text as runs. Throws Error{Input} when there are none.
    void paste(const QString& text);
    [[nodiscard]] ClipComparer& videos() const { return *m_videos; }
    void showVideos();
    [[nodiscard]] const SettingDifferences& differences() const { return *m_differences; }
    /// Why there is no chart of the chosen kind; empty when there is one.
    [[nodiscard]] QString obstacle() const;
    void showKind(ChartKind kind);
    /// In the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;
    [[nodiscard]] ReportExporter& reports() const { return *m_reports; }
    /// A page about these runs, .html or .pdf; reports() tells when it is written.
    void exportReport(const QString& file);
    /// The fastest runs of each mode and number of devices as a Markdown table, to the clipboard.
    void copyBestConfigs() const;

  signals:
    void compared();
    void troubled(const meshreel::Trouble& trouble);
    /// The user chose a file to export to.
    void exportRequested(const QString& file);
    /// There is nothing to compare: runs are to be chosen.
    void runsRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeHeader();
    void fillExportMenu();
    QWidget* makeBody();
    void askForPaste();
    void askForReport();
    void refresh();
    void refreshReportAction();
    void showChart(ChartKind kind);

    std::vector<std::filesystem::path> m_folders;
    std::vector<RunRecord> m_runs;
    std::vector<RunRecord> m_pasted;
    ChartSheet m_sheet;
    SettingDifferences* m_differences;
    QComboBox* m_kind;
    QToolButton* m_paste;
    QToolButton* m_forget;
    ExportButton* m_export;
    QAction* m_report;
    ReportExporter* m_reports;
    QStackedWidget* m_stage;
    QChartView* m_view;
    ClipComparer* m_videos;
    EmptyState* m_words;
    QPushButton* m_chooseRuns;
    QTableView* m_table;
    Background m_background;
};

}  // namespace meshreel
