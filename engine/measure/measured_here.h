// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "engine/base/sentence.h"

namespace meshreel {

/// Returns what seconds and clips depend on beside their settings: cpu, isa, cpus, and version, commit and
/// build_id of this program.
nlohmann::ordered_json measuringMachine();

/// The file of a folder of measurements that says which machine measured.
inline constexpr const char* machineName = "machine.json";

/// Checks that measurements continue in a folder on the same machine and build: records both in `file`, or
/// compares them with those recorded there. `begun` says whether there are measurements already. Throws
/// Error{Input} naming what differs, because numbers of two machines or builds do not belong in one table,
/// and for a file that cannot be read. The returned sentence says that measurements of an unknown machine are
/// there: from earlier versions, or without their file.
std::optional<Sentence> claimMeasurements(const std::filesystem::path& file, bool begun);

}  // namespace meshreel
