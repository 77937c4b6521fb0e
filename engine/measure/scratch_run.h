// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "engine/base/stop_token.h"
#include "engine/estimates/run_work.h"
#include "engine/project/project.h"

namespace meshreel {

/// What a run was made of and what that took.
struct ScratchRun {
    RunWork work;
    double stepSeconds = 0;         ///< the median of the steps after the first
    double aroundStepsSeconds = 0;  ///< of the denoising phase, without its steps
    std::array<double, runStages.size()> stages = {};

    [[nodiscard]] double total() const;
};

/// Runs a project without caches, in a folder that is gone afterwards. Throws what runProject() throws.
ScratchRun runInScratch(const Project& project, const StopToken& stop);

}  // namespace meshreel
