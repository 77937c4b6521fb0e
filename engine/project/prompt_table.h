// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"
#include "engine/project/project_trust.h"

// A table (CSV, RFC 4180) of runs: its first row names keys of a project, every further row is a run of the
// project with these values. An empty field keeps the project's value.

namespace meshreel {

struct ProjectKey;

/// What a table may make: a slip must not fill a queue.
inline constexpr std::size_t mostTableRuns = 1000;

/// A row of a table.
struct TableRun {
    int line = 0;        ///< of the file, where the row begins
    KeyChanges changes;  ///< in the order of the columns; none for an empty field
};

struct PromptTable {
    std::string file;                        ///< its name, as problems show it
    std::filesystem::path folder;            ///< where it lies; empty: read from a text
    std::vector<const ProjectKey*> columns;  ///< each once
    std::vector<TableRun> runs;              ///< at least one
};

/// Reads a table of runs of `base`. Rows whose fields are all empty are passed over. Throws ProjectError with
/// every column that names no key, or every value that its key refuses, at its line; Error{Input} for a row
/// with other than one field a column.
PromptTable readPromptTable(std::string_view text, const std::string& fileName, const Project& base);

/// readPromptTable() of a file. Paths of inputs begin at its folder, and are absolute in the changes.
PromptTable loadPromptTable(const std::filesystem::path& file, const Project& base);

/// Returns the project that a row runs.
Project tableProject(const Project& base, const TableRun& run);

/// Returns what the table asks: its paths that leave its folder, as those of a project file.
TrustQuestion askTrust(const PromptTable& table);

}  // namespace meshreel
