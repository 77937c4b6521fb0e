// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>

#include "engine/runs/records/run_record.h"
#include "engine/timing/verdict.h"

namespace meshreel {

/// Returns whether the runs differ in nothing recorded but their times and pictures. Pasted runs record
/// nothing else, and are no repeats.
bool areRepeats(const RunRecord& a, const RunRecord& b);

/// Returns whether `run` was faster than `reference`; nothing where speedAgainst() gives nothing, and of the
/// reference itself. What is compared are
/// - the runs, each by the median of its steps or its inference, where its repeats among `runs` and those of
///   the reference are enough: steps of one run met the machine in one state, other runs meet it in others;
/// - else the steps of all of these repeats. A repeat of the reference is compared by its own steps.
/// The verdict counts repeats in runs.
std::optional<Verdict> verdictAgainst(std::span<const RunRecord> runs, const RunRecord& reference,
                                      const RunRecord& run, SpeedOf of = SpeedOf::Steps);

}  // namespace meshreel
