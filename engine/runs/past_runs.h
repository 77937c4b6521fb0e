// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "engine/planning/forecast.h"

namespace meshreel {

/// The newest finished runs in `folder` that this machine made in one go, at most `most` of them, as
/// predictions learn from them. Runs of other machines, versions and builds, and what cannot be read, are
/// passed over.
std::vector<PastRun> readPastRuns(const std::filesystem::path& folder, const MachineIdentity& machine,
                                  std::size_t most = 200);

/// The rates of this machine in the user's cache folder, and the runs in `runs`.
PredictionBasis readPredictionBasis(const std::filesystem::path& runs);

}  // namespace meshreel
