// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QElapsedTimer>
#include <QTime>
#include <QTimer>
#include <QWidget>
#include <filesystem>
#include <vector>

#include "ui/running/activity_graph.h"
#include "ui/running/event_queue.h"

class QCheckBox;
class QLineEdit;
class QSortFilterProxyModel;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace meshreel {

class ActivityGraph;
class EmptyState;
class ExportButton;

/// What a run reported, line by line as it came.
class LogModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { When, Words, ColumnCount };
    enum Role { WarningRole = Qt::UserRole };  ///< bool

    using QAbstractTableModel::QAbstractTableModel;

    void clear();
    void append(const std::vector<LogLine>& lines);

    /// Returns a line for a file, without its end.
    [[nodiscard]] QString lineText(int row) const;
    /// Returns all lines, each with its end.
    [[nodiscard]] QString text() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    std::vector<LogLine> m_lines;
};

/// What the current run, or the last one, uses and reports: processors, memory, and its log with a search.
class ActivityPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ActivityPanel(QWidget* parent = nullptr);

    void begin();
    void follow(const std::vector<StudioEvent>& events);
    void addLines(const std::vector<LogLine>& lines);
    void end();

    /// The graphs, in the format of the file's extension. Throws Error.
    void exportTo(const std::filesystem::path& file) const;

    /// The whole log, whatever is searched for. Throws Error.
    void saveLog(const std::filesystem::path& file) const;

    [[nodiscard]] const ActivitySamples& samples() const { return m_samples; }
    [[nodiscard]] LogModel& log() { return m_log; }
    [[nodiscard]] QTreeView& view() const { return *m_view; }
    [[nodiscard]] QLineEdit& search() const { return *m_search; }
    [[nodiscard]] QCheckBox& warningsOnly() const { return *m_warnings; }

  signals:
    /// The user chose a file to export to.
    void exportRequested(const QString& file);
    /// The user chose a file for the log.
    void saveLogRequested(const QString& file);

  private:
    QWidget* makeLog();
    QWidget* makeLogHeader();
    void followLog();
    void copyLines() const;
    void askForLogFile();
    void refreshLog();
    void sample();
    void showSamples();

    LogModel m_log;
    ActivitySamples m_samples;
    QElapsedTimer m_clock;
    QTimer m_timer;
    ActivityGraph* m_processors;
    ActivityGraph* m_memory;
    ExportButton* m_export;
    QLineEdit* m_search;
    QCheckBox* m_warnings;
    QToolButton* m_save;
    QSortFilterProxyModel* m_shown = nullptr;
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    QTreeView* m_view;
    bool m_follows = true;  ///< the last line is in sight, or would be if the panel were
};

}  // namespace meshreel
