// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/file_lock.h"
#include "engine/base/sentence.h"
#include "engine/queue/queue_file.h"
#include "engine/queue/queued_run.h"
#include "engine/queue/run_list.h"

namespace meshreel {

/// What was set aside of a queue that could not be read.
struct QueueDamage {
    std::filesystem::path aside;  ///< the file as it was
    std::vector<UnreadRun> unread =
        {};  ///< the runs that are missing now; empty: all are, and `why` says why
    Sentence why = {};
};

/// The right to run runs of a queue, which one program has at a time; whatever ends the program ends it.
class QueueTurn {
  public:
    explicit QueueTurn(FileLock lock) : m_lock(std::move(lock)) {}

  private:
    FileLock m_lock;
};

/// The queue in its file, which several programs use at once: windows of the Studio, `meshreel serve`. Each
/// reads, changes and writes it in one go under a lock (FILE.lock-2); which of them runs its runs is decided
/// by another lock (FILE.turn). Both are files beside it, which stay. For several threads.
class SharedQueue {
  public:
    using Change = std::function<void(RunList&)>;

    /// Touches nothing yet.
    explicit SharedQueue(std::filesystem::path file);
    SharedQueue(const SharedQueue&) = delete;
    SharedQueue& operator=(const SharedQueue&) = delete;

    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }

    /// Reads it for the first time: what was running when its program ended waits again. What cannot be read
    /// is set aside, see damage(). Throws what change() throws.
    RunList open();

    /// Reads the queue, lets `change` change it, writes it unless it is the same, and returns it. Others wait
    /// meanwhile. Throws what writeFileAtomically() throws, and Error{Input} when the lock cannot be had
    /// within 10 s; the queue is as it was then.
    RunList change(const Change& change);

    /// Returns the queue as it is now.
    RunList read() {
        return change([](RunList&) {});
    }

    /// Returns whether the file is another than this object last read or wrote. Reads nothing, and does not
    /// wait for a change that another thread is making.
    [[nodiscard]] bool isChanged() const;

    /// Takes the turn; nothing while another program, or another object of this one, has it. Who has it calls
    /// RunList::begin() for one run at a time, and gives it back when that has ended.
    std::optional<QueueTurn> tryTurn();

    struct Begun {
        QueuedRun run;
        QueueTurn turn;
    };
    /// Takes the turn and begins the run that `choose` returns; nothing when it returns null or the turn
    /// cannot be had. Throws what change() throws.
    std::optional<Begun> begin(const std::function<const QueuedRun*(const RunList&)>& choose);

    /// Returns whether somebody has the turn.
    [[nodiscard]] bool isTurnTaken() const;

    /// What was set aside last, by this object.
    [[nodiscard]] std::optional<QueueDamage> damage() const;

  private:
    /// Device, number, size and time of change; zeros without a file.
    using Signature = std::array<std::int64_t, 5>;

    [[nodiscard]] Signature signature() const;
    /// Remembers the file that was just read or written.
    void noteSignature();
    [[nodiscard]] std::filesystem::path beside(const char* ending) const;
    /// Returns the queue in the file, or what is left of it when the rest was set aside.
    RunList load();

    std::filesystem::path m_file;
    mutable std::mutex m_mutex;
    std::optional<RunList> m_known;  ///< what the file with this signature holds
    mutable std::mutex m_signatureMutex;
    Signature m_signature{};   ///< changed with both mutexes, so that one is enough to read it
    bool m_mustWrite = false;  ///< what is known is not what the file holds
    std::optional<QueueDamage> m_damage;
};

}  // namespace meshreel
