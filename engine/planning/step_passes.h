// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/estimates/workload.h"
#include "engine/planning/run_task.h"

namespace meshreel {

/// Returns the rows of all videos in the first step, of which each window is dealt out to the devices of the
/// batch by itself.
std::int64_t dealtRows(const RunTask& task);

/// Forward passes of a device in the first step, of each of its windows: all of guidance's where no axis
/// divides the batch.
int passesPerStep(const RunTask& task);

/// Returns those passes of the busiest device by their tokens: it has the first rows, which have most of
/// them.
std::vector<PassCount> passKinds(const RunTask& task);

/// Calls use(task, times) for each of these kinds; the task has as many tokens.
template <typename Use>
void forEachPassKind(const RunTask& task, const Use& use) {
    for (const PassCount& kind : passKinds(task)) {
        if (kind.times == 0)
            continue;
        if (kind.tokens == task.tokens) {
            use(task, kind.times);
            continue;
        }
        RunTask own = task;
        own.tokens = kind.tokens;
        use(own, kind.times);
    }
}

/// Returns the passes over prompts, on the device that has most of them: they come first among the rows that
/// are dealt out.
int promptPasses(const RunTask& task);

/// Returns those of them in which attention to the text is guided.
int guidedAttentionPasses(const RunTask& task);

/// Returns those of them in which a timed prompt is attended to.
int timedPasses(const RunTask& task);

}  // namespace meshreel
