// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/queue/queued_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <utility>

namespace meshreel {
namespace {

using StateName = std::pair<QueuedRun::State, std::string_view>;

constexpr std::array queuedStateNames{
    StateName{QueuedRun::State::Waiting, "waiting"}, StateName{QueuedRun::State::Running, "running"},
    StateName{QueuedRun::State::Done, "done"}, StateName{QueuedRun::State::Cancelled, "cancelled"},
    StateName{QueuedRun::State::Failed, "failed"}};

template <typename Unit>
std::int64_t unixTimeIn() {
    return std::chrono::duration_cast<Unit>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string_view nameOf(QueuedRun::State state) {
    return std::ranges::find(queuedStateNames, state, &StateName::first)->second;
}

QueuedRun::State queuedStateNamed(std::string_view name) {
    const auto found = std::ranges::find(queuedStateNames, name, &StateName::second);
    return found == queuedStateNames.end() ? QueuedRun::State::Waiting : found->first;
}

std::string newRunId() {
    std::random_device random;  // the system's: programs that add at once draw different ones
    std::string id;
    for (int word = 0; word < 3; ++word)
        id += fmt::format("{:08x}", random());
    return id;
}

QueuedRun queuedNow(Project project, std::vector<std::string> varied) {
    return {.project = std::move(project),
            .varied = std::move(varied),
            .id = newRunId(),
            .added = unixTimeIn<std::chrono::milliseconds>()};
}

std::int64_t unixTimeNow() {
    return unixTimeIn<std::chrono::seconds>();
}

}  // namespace meshreel
