// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <filesystem>

#include "ui/activity/activity_samples.h"
#include "ui/activity/log_model.h"

class QCheckBox;
class QStackedWidget;
class QLineEdit;
class QSortFilterProxyModel;
class QToolButton;
class QTreeView;

namespace meshreel {

class ActivityGraph;
class EmptyState;
class ExportButton;

/// What the run at hand, or the last one, uses and tells: processors, memory, and its log to be searched.
class ActivityPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ActivityPanel(QWidget* parent = nullptr);

    void begin();
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
