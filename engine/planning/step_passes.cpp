// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/step_passes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/mesh/mesh_layout.h"
#include "engine/models/families/model_family.h"
#include "engine/sampling/guidance.h"

namespace meshreel {

std::int64_t dealtRows(const RunTask& task) {
    return task.latentShape[0] * task.rowsOfVideo() * task.windowsIn(0);
}

std::vector<PassCount> passKinds(const RunTask& task) {
    const std::int64_t ofEach = task.latentShape[0] * task.windowsIn(0);
    std::int64_t left = passesPerStep(task);
    std::vector<PassCount> kinds;
    for (const GuidedPass& pass : task.passes) {
        const std::int64_t times = std::min(left, ofEach);
        left -= times;
        const std::int64_t tokens = leavesOutGroups(task.task) ? task.tokensOf(pass) : task.tokens;
        if (kinds.empty() || kinds.back().tokens != tokens)
            kinds.push_back({.tokens = tokens, .times = 0});
        kinds.back().times += times;
    }
    return kinds;
}

int passesPerStep(const RunTask& task) {
    const MeshShape mesh = task.layout.shape();
    const std::int64_t sharers = mesh.data * mesh.fsdp;
    return static_cast<int>((dealtRows(task) + sharers - 1) / sharers);
}

int promptPasses(const RunTask& task) {
    return std::min(static_cast<int>(task.latentShape[0]) * task.windowsIn(0), passesPerStep(task));
}

int guidedAttentionPasses(const RunTask& task) {
    return task.attentionGuidance.acts() ? promptPasses(task) : 0;
}

int timedPasses(const RunTask& task) {
    return task.isTimed() ? promptPasses(task) : 0;
}

}  // namespace meshreel
