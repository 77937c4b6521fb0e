// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/base/problem.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
#include "engine/runs/run_folder.h"

namespace meshreel {

/// Returns what changes in a run's project to make the clip that goes on from its video, after frame `at` or
/// the last one: it continues the run in place of beginning with an image, and has the next seed, because the
/// same noise again makes the same faults again. It keeps an `image` that shows something else: keepsImage().
/// Of a batch it is that of the first video.
KeyChanges nextClipChanges(const RunFolder& run, std::optional<std::int64_t> at = {});

/// Returns the changes of `project`, which makes a single video, that make it go on from the clip at `clip`,
/// a run's folder or a video, after frame `at` or the last one.
KeyChanges continuingChanges(const Project& project, const std::filesystem::path& clip,
                             std::optional<std::int64_t> at);

/// Returns the seed after this one; an open seed stays open.
Seed nextSeed(const Seed& seed);

}  // namespace meshreel
