// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QSet>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_lister.h"
#include "ui/values/background.h"

namespace meshreel {

class RunHistoryModel;

/// Keeps the list of runs as the runs folder is, whoever changes it: this Studio, another one, the command
/// line, a file manager. Reads in the background, one reading at a time, when the system tells of a change
/// and every few seconds, as not every file system does.
class RunWatch : public QObject {
    Q_OBJECT

  public:
    explicit RunWatch(RunHistoryModel& runs, QObject* parent = nullptr);

    /// Reads now; when a reading goes on, once more behind it.
    void refresh();
    /// Sets how long it waits at least between readings that nobody asked for.
    void setInterval(int milliseconds);

  signals:
    /// The list is as the folder was when this reading began.
    void refreshed();
    /// Each problem once, until another one, or none, follows it.
    void wentWrong(const meshreel::Problem& problem);

  private:
    struct Reading {
        std::filesystem::path folder;
        std::optional<std::vector<RunSummary>> runs;  ///< nothing when they are the same
        qint64 milliseconds = 0;
    };

    void take(Reading reading);
    void keepChangedNotes(std::vector<RunSummary>& runs) const;
    void watch(const std::filesystem::path& folder);
    void finish(qint64 milliseconds);

    RunHistoryModel& m_runs;
    QFileSystemWatcher m_watcher;
    QTimer m_soon;   ///< behind a change: several come together
    QTimer m_later;  ///< the next reading that nobody asks for
    int m_interval;
    bool m_reads = false;
    bool m_again = false;
    QSet<QString> m_changed;  ///< folders whose notes a person changed since the reading began
    QString m_problem;        ///< the last one, in words
    RunLister m_lister;       ///< used by the reading in progress alone
    Background m_background;
};

}  // namespace meshreel
