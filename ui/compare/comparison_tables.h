// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTabWidget>
#include <span>
#include <vector>

#include "engine/runs/records/run_record.h"

class QTableView;

namespace meshreel {

class Comparison;
class QualityPage;
class SettingDifferences;
class TimingComparison;

/// Puts the timing summaries of runs on the clipboard, in the published layout. Gives a sentence for people:
/// what was copied, or why nothing was.
QString copyTimingSummaries(std::span<const RunRecord> runs);

/// Copies the fastest runs of each mode and number of devices as a Markdown table.
QString copyBestConfigs(std::span<const RunRecord> runs);

/// Compares in numbers: the times of the runs, what votes and measures say of their pictures, and the
/// settings in which they and projects differ.
class ComparisonTables : public QTabWidget {
    Q_OBJECT

  public:
    explicit ComparisonTables(QWidget* parent = nullptr);

    void setComparison(const Comparison& comparison);
    /// Only the votes have changed.
    void setVotes(const Comparison& comparison) { showQuality(comparison); }
    [[nodiscard]] QualityPage& quality() const { return *m_quality; }
    [[nodiscard]] const TimingComparison& timings() const { return *m_timings; }
    [[nodiscard]] const SettingDifferences& differences() const { return *m_differences; }
    /// The run at this place is what speeds are relative to.
    void setBaseline(int run);
    void setSpeedOf(SpeedOf of);
    [[nodiscard]] QTableView& timingTable() const { return *m_timingTable; }

    /// Returns the selected runs of the timings, or all of them where none is selected, from top to bottom.
    [[nodiscard]] std::vector<RunRecord> chosenRuns() const;
    /// Returns their places among the compared runs.
    [[nodiscard]] std::vector<int> chosenRows() const;
    // Copies those of chosenRuns() to the clipboard.
    void copySummaries();
    void copyBest();

  signals:
    /// A run was selected in the table of timings; `run` is its place among the compared runs.
    void runSelected(int run);
    /// Another run has become the baseline.
    void baselineChanged(int run);
    /// Something was copied, or could not be.
    void noted(const QString& sentence);

  private:
    void setUpTimings();
    void setUpDifferences();
    void fitColumns();
    void showQuality(const Comparison& comparison);

    TimingComparison* m_timings;
    SettingDifferences* m_differences;
    QTableView* m_timingTable;
    QTableView* m_differenceTable;
    QualityPage* m_quality;
};

}  // namespace meshreel
