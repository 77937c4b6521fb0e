// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/worker_pool.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "engine/base/cpu_set.h"
#include "engine/base/spin.h"
#include "engine/base/system.h"

namespace meshreel {
namespace {

// Nice value of background workers: below an interactive user interface, above idle batch jobs.
constexpr int backgroundNice = 10;

thread_local bool insideWorker = false;

}  // namespace

void lowerThreadPriority() {
    const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
    ::setpriority(PRIO_PROCESS, thread, backgroundNice);
}

WorkerPool::WorkerPool(Options options)
    : m_size(std::max(1, options.workers)),
      m_ownCpus(m_size * options.teams <= availableCpus()),
      m_takenFor(static_cast<std::size_t>(m_size)),
      m_spins(m_ownCpus) {
    m_threads.reserve(static_cast<std::size_t>(m_size - 1));
    try {
        for (int index = 1; index < m_size; ++index)
            m_threads.push_back(
                startThread([this, index, low = options.lowPriority, onStart = options.onStart] {
                    if (low)
                        lowerThreadPriority();
                    if (onStart)
                        onStart(index);
                    workerLoop(index);
                }));
    } catch (...) {  // no destructor will end those that were started
        m_quit = true;
        wakeWorkers();
        for (std::thread& thread : m_threads)
            thread.join();
        throw;
    }
}

WorkerPool::~WorkerPool() {
    m_quit = true;
    wakeWorkers();
    for (std::thread& thread : m_threads)
        thread.join();
}

void WorkerPool::wakeWorkers() {
    ++m_jobNumber;
    m_jobNumber.notify_all();
}

void WorkerPool::runShare(int share) {
    const std::int64_t begin = m_job.count * share / m_size;
    const std::int64_t end = m_job.count * (share + 1) / m_size;
    if (begin == end)
        return;
    try {
        (*m_job.body)(begin, end);
    } catch (...) {
        const std::lock_guard lock(m_failing);
        if (!m_failure)
            m_failure = std::current_exception();
    }
}

/// The worker's own share, so that it finds in its caches what it left there; then those that nobody has
/// begun. A job is over only when all of its shares were taken, and so a worker that comes too late finds
/// none.
void WorkerPool::runShares(int index, std::uint64_t job) {
    for (int step = 0; step == 0 || (step < m_size && !m_keepsShares.load()); ++step) {
        const int share = (index + step) % m_size;
        std::uint64_t before = job - 1;
        if (!m_takenFor[static_cast<std::size_t>(share)].compare_exchange_strong(before, job))
            continue;
        runShare(share);
        if (m_pending.fetch_sub(1) == 1)
            m_pending.notify_one();
    }
}

void WorkerPool::workerLoop(int index) {
    insideWorker = true;
    std::uint64_t seen = 0;
    while (true) {
        if (!m_spins.load() || !happensSoon([&] { return m_jobNumber.load() != seen; }))
            m_jobNumber.wait(seen);
        seen = m_jobNumber.load();
        if (m_quit)
            return;
        runShares(index, seen);
    }
}

void WorkerPool::awaitWorkers() {
    if (m_spins.load()) {
        const bool soon = happensSoon([&] { return m_pending.load() == 0; });
        m_backoff.looked(soon);
        if (soon)
            return;
    }
    for (int left = m_pending.load(); left != 0; left = m_pending.load())
        m_pending.wait(left);
}

void WorkerPool::parallelFor(std::int64_t count, FunctionRef<void(std::int64_t, std::int64_t)> body) {
    if (count <= 0)
        return;
    if (m_size == 1 || insideWorker || count == 1) {
        body(0, count);
        return;
    }
    runJob(body, count);
}

void WorkerPool::onEachWorker(FunctionRef<void()> body) {
    if (m_size == 1)
        return body();
    m_keepsShares = true;
    const auto share = [&](std::int64_t, std::int64_t) { body(); };
    try {
        runJob(share, m_size);
    } catch (...) {
        m_keepsShares = false;
        throw;
    }
    m_keepsShares = false;
}

void WorkerPool::runJob(FunctionRef<void(std::int64_t, std::int64_t)> body, std::int64_t count) {
    m_job = {&body, count};
    m_spins = m_ownCpus && m_backoff.spinsNext();
    m_pending = m_size;
    wakeWorkers();
    insideWorker = true;
    runShares(0, m_jobNumber.load());
    insideWorker = false;
    awaitWorkers();
    if (m_failure)
        std::rethrow_exception(std::exchange(m_failure, nullptr));
}

int availableCpus() {
    const std::size_t counted = allowedCpus().size();
    const int allowed = static_cast<int>(counted > 0 ? counted : std::thread::hardware_concurrency());
    return std::max(1, std::min(allowed, cpuQuota().value_or(allowed)));
}

}  // namespace meshreel
