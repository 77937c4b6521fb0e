// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "engine/project/project.h"
#include "engine/runs/records/run_record.h"
#include "engine/timing/chrome_trace.h"

namespace meshreel {

struct ProjectKey;

/// Returns the keys whose values, as a project file spells them, differ between the projects.
std::vector<const ProjectKey*> differingKeys(std::span<const Project> projects);

/// Returns the settings that determine the work of a run's steps, from its project and environment.json (an
/// empty object without one).
RunSettings collectRunSettings(const Project& project, const nlohmann::json& environment);

/// Returns what a run folder records of the run's time. Throws Error{Input} when it is not a run folder, or a
/// file of these parts is damaged.
RunRecord readRunRecord(const std::filesystem::path& folder, const RunParts& parts = {});

/// Returns the trace of a run; no spans when it left none. Throws Error{Input} when the folder is not a run,
/// or its trace is damaged.
ChromeTrace readRunTrace(const std::filesystem::path& folder);

/// Returns the choices that ran of a tile search, in a record of its name: from the table that meshreel tune
/// wrote, or the folder that contains it. Nothing for other paths. Throws Error{Input} for a damaged table.
std::optional<RunRecord> readTileSearch(const std::filesystem::path& tableOrFolder);

/// Returns the run in a folder, or the timing summaries that were pasted into a text file. Throws
/// Error{Input} for a path of neither, a damaged file, and a text without such a block.
std::vector<RunRecord> readRunRecords(const std::filesystem::path& folderOrText, const RunParts& parts = {});

/// Returns what `read` returns for each path, one after the other. What it refuses with Error goes to
/// `unread`; the first refusal is thrown when nothing could be read.
template <typename Path, typename Read>
auto readEach(const std::vector<Path>& paths, const Read& read, std::vector<Error>& unread) {
    std::invoke_result_t<Read, const Path&> all;
    for (const Path& path : paths)
        try {
            std::ranges::move(read(path), std::back_inserter(all));
        } catch (const Error& refused) {
            unread.push_back(refused);
        }
    if (all.empty() && !unread.empty())
        throw unread.front();
    return all;
}

/// Returns one problem that names all of them; nothing when there are none.
std::optional<Problem> leftOutProblem(std::span<const Error> unread);

/// Prints one line for each, "meshreel: left out: …", on standard error. Returns the exit code: that of
/// unreadable input if there is one.
int sayWhatIsLeftOut(std::span<const Error> unread);

}  // namespace meshreel
