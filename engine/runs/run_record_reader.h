// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "engine/timing/run_record.h"

namespace meshreel {

/// What a run folder tells of the run's time. Throws Error{Input} when it is no run folder, or a file in it
/// is damaged.
RunRecord readRunRecord(const std::filesystem::path& folder);

}  // namespace meshreel
