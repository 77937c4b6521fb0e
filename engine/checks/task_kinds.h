// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/models/families/model_family.h"

namespace meshreel {

/// Tasks that people call by one word.
enum class TaskKind : std::uint8_t { Text, Image, Video, Edit, Character };

inline constexpr std::size_t taskKindCount = 5;

/// "text", "image", …: for files.
std::string_view nameOf(TaskKind kind);
/// Returns nothing for another name.
std::optional<TaskKind> findTaskKind(std::string_view name);

/// Returns the tasks of a kind, the usual one first. Each task is of one kind.
std::span<const WanTask> tasksOf(TaskKind kind);
TaskKind kindOf(WanTask task);

}  // namespace meshreel
