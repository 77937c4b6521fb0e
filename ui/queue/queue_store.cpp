// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queue_store.h"

#include <exception>
#include <functional>
#include <iterator>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

QueueStore::QueueStore(std::filesystem::path file, QObject* parent)
    : QObject(parent), m_queue(std::move(file)) {
    m_writer.setMaxThreadCount(1);
    // The file is replaced, so its folder is watched.
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] {
        if (m_queue.isChanged())
            renew();
    });
}

QueueStore::~QueueStore() {
    m_writer.waitForDone();
}

RunList QueueStore::restore() {
    try {
        RunList list = m_queue.open();
        m_isKept = true;
        m_watcher.addPath(QString::fromStdString(m_queue.file().parent_path().string()));
        if (const std::optional<QueueDamage> damage = m_queue.damage())
            tell(*damage);
        const std::scoped_lock lock(m_mutex);
        m_read = list;
        return list;
    } catch (const std::exception&) {
        m_remark =
            tr("The queue cannot be kept: %1 Runs added here are lost when this window closes.", "reason")
                .arg(wholeText(currentProblem()));
        return {};
    }
}

void QueueStore::tell(const QueueDamage& damage) {
    const QString aside = QString::fromStdString(withTilde(damage.aside));
    if (damage.unread.empty())
        m_remark = tr("The kept queue could not be read and was set aside as %1: %2")
                       .arg(aside, sentenceText(damage.why));
    else
        m_remark = tr("%n run(s) of the kept queue could not be read; a copy of the queue is %1. Run %2: %3",
                      nullptr, static_cast<int>(damage.unread.size()))
                       .arg(aside)
                       .arg(damage.unread.front().number)
                       .arg(sentenceText(damage.unread.front().reason));
}

void QueueStore::keep(SharedQueue::Change change) {
    if (!m_isKept)
        return;
    {
        const std::scoped_lock lock(m_mutex);
        m_waiting.push_back(std::move(change));
    }
    renew();
}

void QueueStore::renew() {
    const std::scoped_lock lock(m_mutex);
    if (std::exchange(m_isAsked, true))
        return;
    m_writer.start([this] { writeWaiting(); });
}

void QueueStore::writeWaiting() {
    std::vector<SharedQueue::Change> changes;
    {
        const std::scoped_lock lock(m_mutex);
        m_isAsked = false;
        m_isBusy = true;
        changes.swap(m_waiting);
    }
    try {
        RunList list = m_queue.change([&changes](RunList& runs) {
            for (const SharedQueue::Change& change : changes)
                change(runs);
        });
        const std::scoped_lock lock(m_mutex);
        m_read = std::move(list);
        m_isBusy = false;
    } catch (const std::exception&) {
        {
            const std::scoped_lock lock(m_mutex);
            m_waiting.insert(m_waiting.begin(), std::make_move_iterator(changes.begin()),
                             std::make_move_iterator(changes.end()));
            m_isBusy = false;
        }
        emit keepingFailed(wholeText(currentProblem()));
    }
    emit renewed();
}

std::optional<RunList> QueueStore::newest() {
    const std::scoped_lock lock(m_mutex);
    if (!m_isKept || m_isBusy)
        return std::nullopt;
    RunList list = m_read;
    for (const SharedQueue::Change& change : m_waiting)
        change(list);
    return list;
}

std::optional<QueuedRun> QueueStore::begin(const std::function<const QueuedRun*(const RunList&)>& choose) {
    if (!m_isKept || !m_begun.empty())
        return std::nullopt;
    renew();  // also what could not be written before
    m_writer.waitForDone();
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_waiting.empty())
            return std::nullopt;
    }
    try {
        std::optional<SharedQueue::Begun> begun = m_queue.begin(choose);
        RunList list = m_queue.read();
        const std::scoped_lock lock(m_mutex);
        m_read = std::move(list);
        if (!begun)
            return std::nullopt;
        m_turn = std::move(begun->turn);
        m_begun = begun->run.id;
        return std::move(begun->run);
    } catch (const std::exception&) {
        emit keepingFailed(wholeText(currentProblem()));
        return std::nullopt;
    }
}

void QueueStore::end(SharedQueue::Change change) {
    keep(std::move(change));
    m_writer.waitForDone();
    m_begun.clear();
    m_turn.reset();
}

}  // namespace meshreel

#include "moc_queue_store.cpp"
