// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queue_store.h"

#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "ui/controller/run_news.h"
#include "ui/models/key_texts.h"
#include "ui/queue/queue_file.h"

namespace meshreel {

QueueStore::QueueStore(std::filesystem::path file, QObject* parent)
    : QObject(parent), m_file(std::move(file)), m_lock(QString::fromStdString(m_file.string() + ".lock")) {
    m_writer.setMaxThreadCount(1);
    m_lock.setStaleLockTime(0);  // only the end of its process makes a lock stale
    std::error_code failure;     // no folder, no lock: the remark says what follows
    std::filesystem::create_directories(m_file.parent_path(), failure);
    if (!m_lock.tryLock(0))
        m_remark = tr("Another window keeps the queue; this one ends with its window.");
}

QueueStore::~QueueStore() {
    m_writer.waitForDone();
}

std::vector<QueuedRun> QueueStore::restore() {
    if (!m_lock.isLocked())
        return {};
    std::vector<QueuedRun> runs;
    try {
        runs = readQueue(m_file);
    } catch (const Error& failure) {
        setAside(sentenceText(failure.message()));
    }
    for (QueuedRun& run : runs)
        if (run.state == QueuedRun::State::Running)
            run.state = QueuedRun::State::Waiting;
    return runs;
}

void QueueStore::setAside(const QString& reason) {
    std::filesystem::path aside = m_file;
    aside += ".damaged";
    std::error_code stays;
    std::filesystem::rename(m_file, aside, stays);
    m_remark = tr("The kept queue could not be read and was set aside as %1: %2")
                   .arg(QString::fromStdString(withTilde(aside)), reason);
}

void QueueStore::keep(const std::vector<QueuedRun>& runs) {
    if (!m_lock.isLocked())
        return;
    const std::scoped_lock lock(m_mutex);
    const bool waits = m_last.has_value();
    m_last = runs;
    if (!waits)
        m_writer.start([this] { writeLast(); });
}

void QueueStore::writeLast() {
    std::vector<QueuedRun> runs;
    {
        const std::scoped_lock lock(m_mutex);
        runs = *std::exchange(m_last, std::nullopt);
    }
    try {
        writeQueue(m_file, runs);
    } catch (const std::exception&) {
        emit keepingFailed(Trouble::ofCurrentException().text());
    }
}

}  // namespace meshreel
