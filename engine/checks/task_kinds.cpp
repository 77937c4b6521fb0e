// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/task_kinds.h"

#include <algorithm>
#include <array>

namespace meshreel {
namespace {

constexpr std::array byText{WanTask::TextToVideo, WanTask::SubjectsToVideo};
constexpr std::array byImage{WanTask::ImageToVideo, WanTask::FirstLastFrame, WanTask::TracksToVideo,
                             WanTask::MoveToVideo, WanTask::KeyframesToVideo};
constexpr std::array byVideo{WanTask::VideoToVideo};
constexpr std::array byEdit{WanTask::VaceEditing, WanTask::SourcesToVideo, WanTask::ControlToVideo};
constexpr std::array byCharacter{WanTask::Animation, WanTask::Replacement, WanTask::DrivenAnimation,
                                 WanTask::SpeechToVideo};

struct TaskKindRow {
    std::string_view name;
    std::span<const WanTask> tasks;
};

/// In the order of TaskKind.
constexpr std::array<TaskKindRow, taskKindCount> taskKindRows{{
    {"text", byText},
    {"image", byImage},
    {"video", byVideo},
    {"edit", byEdit},
    {"character", byCharacter},
}};

TaskKind kindAt(const TaskKindRow* row) {
    return static_cast<TaskKind>(row - taskKindRows.data());
}

}  // namespace

std::string_view nameOf(TaskKind kind) {
    return taskKindRows.at(static_cast<std::size_t>(kind)).name;
}

std::optional<TaskKind> findTaskKind(std::string_view name) {
    const auto* const found = std::ranges::find(taskKindRows, name, &TaskKindRow::name);
    return found == taskKindRows.end() ? std::nullopt : std::optional(kindAt(found));
}

std::span<const WanTask> tasksOf(TaskKind kind) {
    return taskKindRows.at(static_cast<std::size_t>(kind)).tasks;
}

TaskKind kindOf(WanTask task) {
    return kindAt(std::ranges::find_if(
        taskKindRows, [task](const TaskKindRow& row) { return std::ranges::count(row.tasks, task) > 0; }));
}

}  // namespace meshreel
