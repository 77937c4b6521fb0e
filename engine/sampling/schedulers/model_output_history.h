// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>

#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {

/// The last few converted model outputs of a multistep solver, newest first.
class ModelOutputHistory {
  public:
    explicit ModelOutputHistory(int capacity) : m_capacity(static_cast<std::size_t>(capacity)) {}

    void push(Tensor output);
    /// `age` 0 is the newest.
    [[nodiscard]] const Tensor& operator[](std::size_t age) const { return m_outputs[age]; }

    /// All that is kept, newest first.
    [[nodiscard]] SchedulerState state() const;
    /// What is kept once `step` steps are done.
    void restore(int step, const StateLookup& lookup);

  private:
    std::size_t m_capacity;
    std::deque<Tensor> m_outputs;
};

/// The clean sample that a flow model's velocity points to: sample - sigma * modelOutput.
Tensor predictedClean(const Tensor& modelOutput, const Tensor& sample, float sigma);

}  // namespace meshreel
