// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "engine/base/sentence.h"

namespace meshreel {

/// What seconds and clips depend on beside their settings: cpu, isa, cpus, and version, commit and build_id
/// of this program.
nlohmann::ordered_json measuringMachine();

/// The file of a folder of measurements that says which machine measured.
inline constexpr const char* machineName = "machine.json";

/// For measurements that go on in a folder: records this machine and build in `file`, or holds them against
/// those that the file records. `begun` says whether there are measurements already.
/// Throws Error{Input} naming what differs, as numbers of two machines or builds do not belong into one
/// table, and for a file that cannot be read. The sentence says that measurements of an unknown machine are
/// there: those of earlier versions, or without their file.
std::optional<Sentence> claimMeasurements(const std::filesystem::path& file, bool begun);

}  // namespace meshreel
