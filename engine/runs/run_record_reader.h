// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

#include "engine/project/project.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {

struct ProjectKey;

/// The keys whose values, as a project file spells them, are not the same in all projects.
std::vector<const ProjectKey*> differingKeys(std::span<const Project> projects);

/// What a run's project and environment.json (an empty object where it has none) say of its steps' work.
RunSettings runSettingsOf(const Project& project, const nlohmann::json& environment);

/// What a run folder says of the run's time. Throws Error{Input} when it is no run folder, or a file in it
/// is damaged.
RunRecord readRunRecord(const std::filesystem::path& folder);

/// The choices that ran of a tile search, in a record of its name: from the table that meshreel tune wrote,
/// or the folder that it stands in. Nothing for other paths. Throws Error{Input} for a damaged table.
std::optional<RunRecord> readTileSearch(const std::filesystem::path& tableOrFolder);

/// The run in a folder, or the timing summaries that were pasted into a text file. Throws Error{Input} for a
/// path of neither, a damaged file, and a text without such a block.
std::vector<RunRecord> readRunRecords(const std::filesystem::path& folderOrText);

}  // namespace meshreel
