// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_kernel_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {

GpuKernelSearch::GpuKernelSearch(GpuWork& gpu, KernelTrial trial, TrialProblem problem)
    : m_gpu(gpu),
      m_trial(std::move(trial)),
      m_problem(std::move(problem)),
      m_candidates(candidatesOn(gpu.gpu().matrices(), {}, m_trial.variants)),
      m_usable(m_candidates.size(), false),
      m_refused(m_candidates.size(), false) {
    std::ranges::transform(m_candidates, std::back_inserter(m_variants), unmeasured);
}

GpuKernelSearch::~GpuKernelSearch() {
    try {
        m_gpu.stream().finish();  // what is recorded uses the problem's memory
    } catch (const Error&) {
        // The device is lost, and its work with it.
    }
}

double GpuKernelSearch::secondsOf(std::size_t index, const StopToken& stop) {
    try {
        if (!m_usable.at(index))
            requireUsable(m_gpu.pipelines(), m_trial, m_candidates.at(index), stop);
        m_usable[index] = true;
        const GpuTuning::Trying trying(m_gpu.pipelines().tuning(), kernel(), revision(),
                                       m_variants.at(index));
        return meshreel::secondsOf(m_problem, m_candidates.at(index).bound(), m_gpu.stream(), 1);
    } catch (const Error& failure) {
        m_refused[index] = isLasting(failure) || refuseIfItEndsTheDevice(m_gpu.pipelines().tuning(), m_trial,
                                                                         m_variants.at(index), failure);
        throw;
    }
}

std::optional<std::size_t> GpuKernelSearch::taken() const {
    if (m_variants.size() == 1)
        return std::size_t{0};
    const MeasuredKernel* known = m_gpu.pipelines().tuning().find(kernel(), m_trial.revision);
    if (known == nullptr)
        return std::nullopt;
    // The fastest of all may be a kernel of PTX for other heads: these take the fastest of what is here.
    std::optional<std::size_t> fastest;
    double most = 0;
    for (const MeasuredVariant& variant : known->variants) {
        const auto found = std::ranges::find_if(
            m_variants, [&](const MeasuredVariant& each) { return each.isSameAs(variant); });
        if (found == m_variants.end() || variant.rate <= most)
            continue;
        fastest = static_cast<std::size_t>(found - m_variants.begin());
        most = variant.rate;
    }
    return fastest;
}

}  // namespace meshreel
