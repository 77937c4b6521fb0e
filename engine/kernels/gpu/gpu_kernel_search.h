// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/record.h"
#include "engine/base/stop_token.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/gpu_work.h"
#include "engine/kernels/gpu/kernel_trial.h"
#include "engine/kernels/gpu/matrix_variants.h"

namespace meshreel {

/// Every candidate for a kernel on a GPU, timed one by one on one problem: a search at a given size. The GPU
/// must outlive it.
class GpuKernelSearch {
  public:
    /// Uses none of the trial's problems.
    GpuKernelSearch(GpuWork& gpu, KernelTrial trial, TrialProblem problem);
    GpuKernelSearch(const GpuKernelSearch&) = delete;
    GpuKernelSearch& operator=(const GpuKernelSearch&) = delete;
    /// Waits for the GPU: the problem's memory goes.
    ~GpuKernelSearch();

    [[nodiscard]] std::string_view kernel() const { return enumName(m_trial.kernel); }
    [[nodiscard]] std::string_view revision() const { return m_trial.revision; }
    /// Form and block of each, without a rate.
    [[nodiscard]] const std::vector<MeasuredVariant>& variants() const { return m_variants; }
    [[nodiscard]] double flops() const { return m_problem.flops; }
    /// Returns the seconds of one problem, by the GPU's clock. A kernel of PTX is asked about first, whatever
    /// is remembered of it. Throws Error{Device} for a candidate that the GPU refuses, Error{Cancelled}.
    double secondsOf(std::size_t index, const StopToken& stop);
    /// Returns whether secondsOf() found it refused, wrong or crashing: it would be the next time.
    [[nodiscard]] bool isRefused(std::size_t index) const { return m_refused.at(index); }
    /// Returns the one that runs take now; nothing when none has measured.
    [[nodiscard]] std::optional<std::size_t> taken() const;

  private:
    GpuWork& m_gpu;
    KernelTrial m_trial;
    TrialProblem m_problem;
    std::vector<GpuCandidate> m_candidates;
    std::vector<MeasuredVariant> m_variants;
    std::vector<bool> m_usable;   // which candidates are known to be: requireUsable() did not throw
    std::vector<bool> m_refused;  // which failed for good
};

}  // namespace meshreel
