// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_watch.h"

#include <QElapsedTimer>
#include <QModelIndex>
#include <QStringList>
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "ui/runs/run_history_model.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int usualInterval = 4000;    ///< milliseconds
constexpr int throttle = 250;          ///< milliseconds between a change and reading it
constexpr qint64 restOfAReading = 50;  ///< how many times as long as a reading nothing is read: 2 % of a CPU
constexpr int mostWatchedRuns = 32;    ///< of those that go on

}  // namespace

RunWatch::RunWatch(RunHistoryModel& runs, QObject* parent)
    : QObject(parent), m_runs(runs), m_interval(usualInterval), m_background(this) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(throttle);
    m_later.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &RunWatch::refresh);
    connect(&m_later, &QTimer::timeout, this, &RunWatch::refresh);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] {
        if (!m_soon.isActive())  // else the changes of a busy run would put it off for ever
            m_soon.start();
    });
    connect(&m_runs, &RunHistoryModel::notesChanged, this, [this](const QString& run) {
        if (!m_reads)
            return;  // the next reading sees it
        m_changed.insert(run);
        m_again = true;
    });
}

void RunWatch::setInterval(int milliseconds) {
    m_interval = milliseconds;
    m_later.start(milliseconds);
}

void RunWatch::refresh() {
    if (std::exchange(m_reads, true)) {
        m_again = true;
        return;
    }
    m_later.stop();
    m_changed.clear();
    m_background.run(
        [this] {
            QElapsedTimer clock;
            clock.start();
            Reading reading{.folder = runsFolder(), .runs = {}};
            reading.runs = m_lister.listIfChanged(reading.folder);
            reading.milliseconds = clock.elapsed();
            return reading;
        },
        [this](Reading reading) { take(std::move(reading)); },
        [this](const Problem& problem) {
            if (const QString words = wholeText(problem); std::exchange(m_problem, words) != words)
                emit wentWrong(problem);
            finish(0);
        });
}

void RunWatch::take(Reading reading) {
    m_problem.clear();
    if (reading.runs) {
        keepChangedNotes(*reading.runs);
        m_runs.setRuns(*std::move(reading.runs));
    }
    watch(reading.folder);
    emit refreshed();
    finish(reading.milliseconds);
}

/// Everything else of the reading counts: the next one tells only of what has changed since.
void RunWatch::keepChangedNotes(std::vector<RunSummary>& runs) const {
    if (m_changed.isEmpty())
        return;
    for (RunSummary& run : runs) {
        const QString folder = QString::fromStdString(run.folder.string());
        if (!m_changed.contains(folder))
            continue;
        if (const QModelIndex shown = m_runs.indexOf(folder); shown.isValid())
            run.notes = m_runs.run(shown).notes;
    }
}

void RunWatch::finish(qint64 milliseconds) {
    m_reads = false;
    if (std::exchange(m_again, false))
        refresh();
    else
        m_later.start(static_cast<int>(std::max<qint64>(m_interval, restOfAReading * milliseconds)));
}

/// The folder tells of runs that come and go; those that go on of their own files.
void RunWatch::watch(const std::filesystem::path& folder) {
    QSet<QString> wanted{QString::fromStdString(folder.string())};
    for (int row = 0; row < m_runs.rowCount() && wanted.size() <= mostWatchedRuns; ++row) {
        const RunSummary& run = m_runs.run(m_runs.index(row, RunHistoryModel::Run));
        if (run.state.status == RunStatus::Running)
            wanted.insert(QString::fromStdString(run.folder.string()));
    }
    const QStringList watched = m_watcher.directories();
    for (const QString& path : watched)
        if (!wanted.remove(path))
            m_watcher.removePath(path);
    if (!wanted.isEmpty())
        m_watcher.addPaths(
            QStringList(wanted.begin(), wanted.end()));  // the later reading sees what it cannot
}

}  // namespace meshreel

#include "moc_run_watch.cpp"
