// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// Plans a run again after its project, precision or layers in memory were changed.
using Replan = std::function<void(RunPlan& plan)>;

/// Error{Resources} of a plan that memory does not hold.
class ShortOfMemory : public Error {
  public:
    ShortOfMemory(Sentence message, std::string where, Sentence hint, std::vector<KeyChanges> cures,
                  std::uint64_t peak);

    /// The settings of the hint, each of which fits.
    [[nodiscard]] const std::vector<KeyChanges>& cures() const noexcept { return m_cures; }

    /// Bytes with which the plan that was refused is made.
    [[nodiscard]] std::uint64_t peak() const noexcept { return m_peak; }

  private:
    std::vector<KeyChanges> m_cures;
    std::uint64_t m_peak;
};

/// Makes the plan stay within `available` bytes and the project's memory_budget: both of two experts stay in
/// memory where that holds them, and where there is a budget that does not hold all layers of a transformer,
/// as many stay as it does. Throws ShortOfMemory with the numbers and the nearest settings that fit.
void fitIntoMemory(RunPlan& plan, std::uint64_t available, const Replan& replan);

/// The same without looking for other settings: false where the plan does not fit.
bool tryFitIntoMemory(RunPlan& plan, std::uint64_t available, const Replan& replan);

}  // namespace meshreel
