// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLockFile>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

/// One project in the queue, as it was when it was added.
struct QueuedRun {
    enum class State { Waiting, Running, Done, Cancelled, Failed };

    Project project;
    State state = State::Waiting;
    QString remark = {};  ///< why it failed
    QString folder = {};  ///< folder of its run, once it has begun: the run goes on there instead of
                          ///< starting anew
    std::vector<std::string> varied = {};  ///< names of the keys in which the runs of its grid differ

    friend bool operator==(const QueuedRun&, const QueuedRun&) = default;
};

/// The queue on disk: JSON with the text of the first project, and of the others what changes from one to the
/// next, as reading whole projects would hold up the start; the old file or the complete new one. Throws what
/// writeFileAtomically throws.
void writeQueue(const std::filesystem::path& file, const std::vector<QueuedRun>& runs);

/// A run of the file that this version cannot read.
struct UnreadRun {
    int number = 0;  ///< its place in the file, counted from 1
    QString reason;
};

struct KeptQueue {
    std::vector<QueuedRun> runs;  ///< all others, in their order
    std::vector<UnreadRun> unread;
};

/// Returns an empty queue without a file. A run that is stored as changes depends on the run before it.
/// Throws Error{Input} when the file as a whole is damaged.
KeptQueue readQueue(const std::filesystem::path& file);

/// Keeps a queue in a file, which belongs to the first window that opens it: the queues of others end with
/// them.
class QueueStore : public QObject {
    Q_OBJECT

  public:
    explicit QueueStore(std::filesystem::path file, QObject* parent = nullptr);
    /// Waits until the last change is on disk.
    ~QueueStore() override;

    /// Restores the saved queue: what was running when the program ended waits again. Sets a damaged file
    /// aside; if some runs cannot be read, copies the file and returns the others.
    [[nodiscard]] std::vector<QueuedRun> restore();
    /// Saves on another thread, which writes only the last of several waiting changes; does nothing in a
    /// window that the file does not belong to.
    void keep(const std::vector<QueuedRun>& runs);

    /// Returns a sentence when the queue will not outlive this window, or when what was kept could not be
    /// read.
    [[nodiscard]] const QString& remark() const { return m_remark; }
    /// Returns whether what keep() is given outlives this window.
    [[nodiscard]] bool isKept() const { return m_lock.isLocked(); }

  signals:
    /// The queue could not be written: it is only in this window.
    void keepingFailed(const QString& sentence);

  private:
    void writeLast();

    std::filesystem::path m_file;
    QLockFile m_lock;
    QString m_remark;
    std::mutex m_mutex;
    std::optional<std::vector<QueuedRun>> m_last;  ///< to be written; guarded by the mutex
    QThreadPool m_writer;                          ///< a single thread: a busy disk must not hold up the
                                                   ///< window
};

}  // namespace meshreel
