// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/base/stop_token.h"
#include "engine/project/sweep_file.h"
#include "engine/studies/timed_forward.h"

namespace meshreel {

/// What a cell of a sweep runs as.
struct ResolvedCell {
    const SweepCell* cell = nullptr;
    ForwardWorkload workload;
    ForwardMesh mesh;
    AttentionSettings attention;

    /// Cells with the same key can take turns on one mesh with the same weights.
    [[nodiscard]] std::string group() const;
};

/// What a cell asks for, be it possible or not; 0 where it leaves it open.
struct AskedMesh {
    int devices = 0;
    int workersPerDevice = 0;
};
AskedMesh askedMesh(const SweepCell& cell);

/// Of a cell that outlives the result. Throws Error{Project} for what cannot run.
ResolvedCell resolveCell(const SweepFile& sweep, const SweepCell& cell);

/// Seconds of a pass behind one that is not counted. Throws as runSweep().
double timeCell(const ResolvedCell& cell, const StopToken& stop);

}  // namespace meshreel
