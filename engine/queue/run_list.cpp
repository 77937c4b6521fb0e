// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/queue/run_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace meshreel {
namespace {

using RowState = QueuedRun::State;

bool isDoneRun(const QueuedRun& run) {
    return run.state == RowState::Done;
}

bool isNamed(const RunList::Ids& ids, const QueuedRun& run) {
    return std::ranges::find(ids, run.id) != ids.end();
}

}  // namespace

const QueuedRun* RunList::find(std::string_view id) const {
    const auto found = std::ranges::find(m_runs, id, &QueuedRun::id);
    return found == m_runs.end() ? nullptr : &*found;
}

QueuedRun* RunList::own(std::string_view id) {
    const auto found = std::ranges::find(m_runs, id, &QueuedRun::id);
    return found == m_runs.end() ? nullptr : &*found;
}

const QueuedRun* RunList::running() const {
    const auto found = std::ranges::find(m_runs, RowState::Running, &QueuedRun::state);
    return found == m_runs.end() ? nullptr : &*found;
}

const QueuedRun* RunList::firstWaiting() const {
    const auto found = std::ranges::find(m_runs, RowState::Waiting, &QueuedRun::state);
    return found == m_runs.end() ? nullptr : &*found;
}

std::size_t RunList::count(RowState state) const {
    return static_cast<std::size_t>(std::ranges::count(m_runs, state, &QueuedRun::state));
}

void RunList::add(std::vector<QueuedRun> runs) {
    const auto place = std::find_if_not(m_runs.rbegin(), m_runs.rend(), isDoneRun).base();
    m_runs.insert(place, std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end()));
}

void RunList::remove(const Ids& ids) {
    std::erase_if(
        m_runs, [&ids](const QueuedRun& run) { return run.state != RowState::Running && isNamed(ids, run); });
}

void RunList::clearDone() {
    std::erase_if(m_runs, isDoneRun);
}

void RunList::moveUp(const Ids& ids) {
    for (std::size_t row = 1; row < m_runs.size(); ++row)
        if (isNamed(ids, m_runs[row]) && !isNamed(ids, m_runs[row - 1]))
            std::swap(m_runs[row], m_runs[row - 1]);
}

void RunList::moveDown(const Ids& ids) {
    for (std::size_t row = m_runs.size(); row-- > 1;)
        if (isNamed(ids, m_runs[row - 1]) && !isNamed(ids, m_runs[row]))
            std::swap(m_runs[row], m_runs[row - 1]);
}

void RunList::moveBefore(const Ids& ids, std::string_view place) {
    const auto end = std::ranges::find(m_runs, place, &QueuedRun::id);
    const auto isMoved = [&ids](const QueuedRun& run) { return isNamed(ids, run); };
    std::stable_partition(m_runs.begin(), end, std::not_fn(isMoved));
    std::stable_partition(end, m_runs.end(), isMoved);
}

void RunList::resume(const Ids& ids) {
    for (QueuedRun& run : m_runs)
        if (run.state != RowState::Running && isNamed(ids, run)) {
            run.state = RowState::Waiting;
            run.remark.clear();
        }
    putDoneLast();
}

void RunList::retry(const Ids& ids, const std::function<void(Project&)>& change) {
    for (QueuedRun& run : m_runs)
        if (run.state != RowState::Running && isNamed(ids, run)) {
            run.folder.clear();
            if (change)
                change(run.project);
        }
    resume(ids);
}

void RunList::begin(std::string_view id) {
    if (QueuedRun* const run = own(id)) {
        run->state = RowState::Running;
        run->remark.clear();
    }
}

void RunList::setFolder(std::string_view id, const std::string& folder) {
    if (QueuedRun* const run = own(id))
        run->folder = folder;
}

void RunList::end(std::string_view id, RowState state, const std::string& remark, std::int64_t when) {
    QueuedRun* const run = own(id);
    if (run == nullptr || run->state != RowState::Running)
        return;
    run->state = state;
    run->remark = remark;
    run->ended = state == RowState::Waiting ? run->ended : when;
    putDoneLast();
}

void RunList::releaseRunning() {
    for (QueuedRun& run : m_runs)
        if (run.state == RowState::Running)
            run.state = RowState::Waiting;
}

void RunList::putDoneLast() {
    for (;;) {
        const auto done = std::ranges::find_if(m_runs, isDoneRun);
        const auto end = std::find_if_not(m_runs.rbegin(), m_runs.rend(), isDoneRun).base();
        if (done >= end)
            return;
        std::rotate(done, done + 1, end);
    }
}

}  // namespace meshreel
