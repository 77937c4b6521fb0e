// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLockFile>
#include <QObject>
#include <QThreadPool>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "ui/queue/queued_run.h"

namespace meshreel {

/// Keeps a queue in a file, which belongs to the first window that opens it: the queues of others end with
/// them.
class QueueStore : public QObject {
    Q_OBJECT

  public:
    explicit QueueStore(std::filesystem::path file, QObject* parent = nullptr);
    /// Waits until the last change is on disk.
    ~QueueStore() override;

    /// What was kept: what was running when the program ended waits again. A damaged file is set aside.
    [[nodiscard]] std::vector<QueuedRun> restore();
    /// On another thread, where of several changes that wait only the last is written; nothing in a window
    /// that the file does not belong to.
    void keep(const std::vector<QueuedRun>& runs);

    /// A sentence when the queue will not outlive this window, or when what was kept could not be read.
    [[nodiscard]] const QString& remark() const { return m_remark; }

  signals:
    /// The queue could not be written: it is only in this window.
    void keepingFailed(const QString& sentence);

  private:
    void setAside(const QString& reason);
    void writeLast();

    std::filesystem::path m_file;
    QLockFile m_lock;
    QString m_remark;
    std::mutex m_mutex;
    std::optional<std::vector<QueuedRun>> m_last;  ///< to be written; guarded by the mutex
    QThreadPool m_writer;                          ///< of one thread: a busy disk must not hold up the window
};

}  // namespace meshreel
