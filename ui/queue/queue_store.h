// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/queue/queued_run.h"
#include "engine/queue/run_list.h"
#include "engine/queue/shared_queue.h"

namespace meshreel {

/// Between a window and the queue on disk, which other windows and programs use as well: writes the window's
/// changes on another thread, as a busy disk must not hold up the window, and tells when others changed it.
class QueueStore : public QObject {
    Q_OBJECT

  public:
    explicit QueueStore(std::filesystem::path file, QObject* parent = nullptr);
    /// Waits until the last change is on disk.
    ~QueueStore() override;

    /// Returns the saved queue; an empty one when none can be kept, which remark() says then.
    [[nodiscard]] RunList restore();

    /// Does the change to the queue on disk, behind those that came before it. What cannot be written waits
    /// for the next change.
    void keep(SharedQueue::Change change);

    /// Returns the queue on disk with what waits to be written; nothing while the other thread is busy, which
    /// ends with renewed().
    [[nodiscard]] std::optional<RunList> newest();

    /// Takes the turn and begins the run that `choose` returns, when all changes are on disk. Nothing when it
    /// returns null, another program has the turn (isTurnTaken()) or the queue cannot be written.
    std::optional<QueuedRun> begin(const std::function<const QueuedRun*(const RunList&)>& choose);
    /// Ends the run that begin() returned with a change, and gives the turn back.
    void end(SharedQueue::Change change);
    /// Returns the id of the run that begin() returned; empty when none runs here.
    [[nodiscard]] const std::string& begun() const { return m_begun; }
    [[nodiscard]] bool isTurnTaken() const { return m_queue.isTurnTaken(); }

    /// Returns a sentence when the queue will not outlive this window, or when what was kept could not be
    /// read.
    [[nodiscard]] const QString& remark() const { return m_remark; }
    /// Returns whether what keep() is given outlives this window.
    [[nodiscard]] bool isKept() const { return m_isKept; }

  signals:
    /// The queue was read or written: newest() may be another.
    void renewed();
    /// The queue could not be written: what changed is only in this window.
    void keepingFailed(const QString& sentence);

  private:
    /// Has the other thread write what waits, or read what others wrote.
    void renew();
    void writeWaiting();
    void tell(const QueueDamage& damage);

    SharedQueue m_queue;
    QString m_remark;
    bool m_isKept = false;
    std::string m_begun;
    std::optional<QueueTurn> m_turn;
    QFileSystemWatcher m_watcher;
    std::mutex m_mutex;  // guards what follows
    std::vector<SharedQueue::Change> m_waiting;
    RunList m_read;
    bool m_isAsked = false;  ///< writeWaiting() will be called
    bool m_isBusy = false;   ///< it is at work
    QThreadPool m_writer;    ///< a single thread; last, so that it ends first
};

}  // namespace meshreel
