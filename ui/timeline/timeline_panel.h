// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "engine/base/problem.h"
#include "ui/timeline/timeline_painter.h"
#include "ui/timeline/timeline_view.h"
#include "ui/timeline/trace_model.h"
#include "ui/values/background.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace meshreel {

class EmptyState;

/// A run whose trace can be shown.
struct TimelineRun {
    QString folder;
    QString name;

    friend bool operator==(const TimelineRun&, const TimelineRun&) = default;
};

/// What the names in a stretch of the traces take, a row a trace and name.
class StatisticsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, Run, Total, Count, Mean, Longest, ColumnCount };
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setTraces(const std::vector<NamedTrace>& traces, const std::optional<TimeSpan>& span);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    struct Row {
        QString name;
        QString run;
        NameStatistics statistics;
    };

    std::vector<Row> m_rows;
};

/// The timeline of a run, or of two one under the other: a choice of runs, a search over the names of slices,
/// the selected slice in words, and the statistics of what is measured, else of everything. Traces are read
/// once they are to be seen.
class TimelinePanel : public QWidget {
    Q_OBJECT

  public:
    explicit TimelinePanel(QWidget* parent = nullptr);

    /// The runs to choose from, the newest first.
    void setRuns(std::vector<TimelineRun> runs);
    /// Offers the first runs of a list, which it follows: `folderRole` tells the folder of a row.
    void followRuns(const QAbstractItemModel& list, int folderRole);
    /// Chooses the upper run, one of those to choose from or another.
    void showRun(const QString& folder);
    /// Chooses the lower run; empty: none.
    void showBeside(const QString& folder);
    /// Selects the next or the previous slice that the search finds, beginning at what is selected.
    void goToFound(int direction);

    [[nodiscard]] TimelineView& view() const { return *m_view; }
    [[nodiscard]] QLineEdit& search() const { return *m_search; }
    [[nodiscard]] QComboBox& runChoice() const { return *m_choices[Upper]; }
    [[nodiscard]] QComboBox& besideChoice() const { return *m_choices[Lower]; }
    [[nodiscard]] StatisticsModel& statistics() const { return *m_statistics; }
    /// Returns the selected slice, or what is measured, in words.
    [[nodiscard]] QString words() const;
    /// Returns how many slices the search finds, in words.
    [[nodiscard]] QString foundText() const;
    /// Returns why nothing is shown; empty when a trace is.
    [[nodiscard]] QString obstacle() const;

  signals:
    /// The traces that were chosen are shown, or cannot be.
    void shown();
    /// There is nothing to show: the user wants to choose a run.
    void runsRequested();

  protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    enum Place : std::size_t { Upper, Lower, PlaceCount };

    struct Chosen {
        QString folder;
        std::shared_ptr<const TraceModel> trace;  ///< null until it is read
        QString problem;                          ///< why it cannot be shown
    };

    QWidget* makeHeader();
    QWidget* makeFoot();
    void fillChoices();
    void offer(const QAbstractItemModel& list, int folderRole);
    void choose(Place place, const QString& folder);
    void read(Place place);
    void refresh();
    void find();
    void refreshFound();
    void refreshWords();
    void refreshStatistics();
    [[nodiscard]] QString nameOf(const QString& folder) const;

    std::vector<TimelineRun> m_runs;
    QTimer m_offering;  ///< the list changes row by row
    std::array<Chosen, PlaceCount> m_chosen;
    std::vector<TimelinePlace> m_found;  ///< by the search, in the order of their starts
    std::array<QComboBox*, PlaceCount> m_choices;
    QLineEdit* m_search;
    QToolButton* m_previous;
    QToolButton* m_next;
    QLabel* m_count;
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    TimelineView* m_view;
    QLabel* m_words;
    StatisticsModel* m_statistics;
    QTableView* m_table;
    std::array<LatestOnly, PlaceCount> m_reading;
};

}  // namespace meshreel
