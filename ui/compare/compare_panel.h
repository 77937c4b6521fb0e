// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"
#include "ui/compare/comparison.h"
#include "ui/values/background.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace meshreel {

class AddButton;
class ChartView;
class ChartZoom;
class ClipComparer;
class ComparisonTables;
class EmptyState;
class ExportButton;
class ReportExporter;
class RunChoice;
class Splitter;

/// Shows runs side by side: a chart of one kind over all of them, or the videos of two, their times, and the
/// settings in which they differ. Timings that were published elsewhere can be pasted in as further runs, and
/// project files be added, also without a run.
class ComparePanel : public QWidget {
    Q_OBJECT

  public:
    explicit ComparePanel(QWidget* parent = nullptr);

    /// Reads the runs on another thread; emits compared() when they are shown.
    void compare(const std::vector<std::filesystem::path>& folders);
    /// Adds run folders and project files, as dropping them does; emits compared() when they are shown.
    void add(const QStringList& paths);
    void addProject(NamedProject project);
    /// Returns the runs of folders, then the pasted ones.
    [[nodiscard]] std::vector<RunRecord> runs() const { return m_comparison.records(); }
    /// Adds the TIMING SUMMARY blocks of the text as runs. Throws Error{Input} when there are none.
    void paste(const QString& text);
    [[nodiscard]] ClipComparer& videos() const { return *m_videos; }
    void showVideos();
    [[nodiscard]] ComparisonTables& tables() const { return *m_tables; }
    /// Returns why there is no chart of the chosen kind; empty when there is one.
    [[nodiscard]] QString obstacle() const;
    void showKind(ChartKind kind);
    /// The chart of the steps shows the part that others with this zoom, which outlives this, show.
    void shareStepZoom(ChartZoom& zoom) { m_stepZoom = &zoom; }
    /// Leaves out loading and compiling, in the chart of stages and in speeds.
    void setInferenceOnly(bool only);
    /// Returns which runs are faster than the baseline, in words; empty without any.
    [[nodiscard]] QString verdictText() const;
    /// Queues the chosen runs, or all, whose difference from the baseline is within the noise, and the
    /// baseline, as often as their verdicts say; asks first when they are many. Runs that end join the
    /// comparison: see takeRepeat().
    [[nodiscard]] QPushButton& repeatButton() const { return *m_repeat; }
    /// A run ended: it is added when it repeats one that is compared, and repeats were asked for.
    void takeRepeat(const QString& folder);
    /// Reads what was said of the videos since; emits ratingsShown().
    void readVotes();
    /// No repeat that was asked for goes on or waits any more: those that did not end so far never will.
    void endRepeats();
    /// Chooses what speeds are relative to: one of the runs.
    [[nodiscard]] QComboBox& baselineChooser() const { return *m_baseline; }
    /// Returns the choice of runs for a chart that cannot show all of them.
    [[nodiscard]] RunChoice& choice() const { return *m_choice; }
    [[nodiscard]] ChartView& chartView() const { return *m_view; }
    /// Exports in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;
    [[nodiscard]] ReportExporter& reports() const { return *m_reports; }
    /// Writes a page about these runs, .html or .pdf; reports() signals when it is written.
    void exportReport(const QString& file);

  signals:
    void compared();
    /// Other runs are compared now.
    void runsChanged();
    void wentWrong(const meshreel::Problem& problem);
    void noted(const QString& sentence);
    /// The user chose a file to export to.
    void exportRequested(const QString& file);
    /// readVotes() has read them.
    void ratingsShown();
    /// The videos of these runs are to be rated.
    void rateRequested(const QStringList& folders);
    /// There is nothing to compare: the user wants to choose runs.
    void runsRequested();
    /// The project being edited is to be added.
    void openProjectRequested();
    /// These runs are to be made again, in this order; one that is to be repeated several times is there as
    /// often.
    void repeatRequested(const QStringList& folders);

  protected:
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QWidget* makeHeader();
    void fillExportMenu();
    QWidget* makeBody();
    /// Empty when it could; else why not.
    QString tryPaste(const QString& text);
    void askForReport();
    void showWhatIsLeftOut(const std::vector<Error>& unread);
    void showComparison();
    void refresh();
    void shareHeight();
    void refreshReportAction();
    void showChart(ChartKind kind);
    void rate();
    void showBaselines();
    void showVerdict();
    [[nodiscard]] QStringList runsToRepeat() const;
    void repeat();
    [[nodiscard]] bool mayQueue(int count);
    /// True when it repeats a compared run and joined them.
    bool join(ComparedFiles read);
    void endReading();

    Comparison m_comparison;
    ChartSheet m_sheet;
    QComboBox* m_kind;
    RunChoice* m_choice;
    QComboBox* m_baseline;
    QCheckBox* m_inferenceOnly;
    QLabel* m_verdict;
    QPushButton* m_repeat;
    QWidget* m_verdictRow;
    qsizetype m_awaited = 0;    ///< repeats that were asked for and have not joined
    int m_readRepeats = 0;      ///< runs that ended and are being read
    bool m_lastIsRead = false;  ///< no repeat will come but those
    AddButton* m_add;
    QToolButton* m_forget;
    ExportButton* m_export;
    QAction* m_report = nullptr;
    ReportExporter* m_reports;
    QStackedWidget* m_stage;
    ChartView* m_view;
    ChartZoom* m_stepZoom = nullptr;
    ClipComparer* m_videos;
    EmptyState* m_words;
    QPushButton* m_chooseRuns;
    QPushButton* m_rate;  ///< where nobody has voted
    ComparisonTables* m_tables;
    QToolButton* m_logarithmic;
    Splitter* m_body;  ///< chart or videos above the tables
    bool m_favoursVideos = false;
    LatestOnly m_choosing;
    LatestOnly m_readingVotes;
    Background m_adding;
};

}  // namespace meshreel
