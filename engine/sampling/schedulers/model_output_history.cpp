// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/model_output_history.h"

#include <algorithm>

namespace meshreel {
namespace {

std::string entryName(std::size_t age) {
    return "model_output." + std::to_string(age);
}

}  // namespace

void ModelOutputHistory::push(Tensor output) {
    m_outputs.push_front(std::move(output));
    if (m_outputs.size() > m_capacity)
        m_outputs.pop_back();
}

SchedulerState ModelOutputHistory::state() const {
    SchedulerState state;
    for (std::size_t age = 0; age < m_outputs.size(); ++age)
        state.emplace_back(entryName(age), m_outputs[age]);
    return state;
}

void ModelOutputHistory::restore(int step, const StateLookup& lookup) {
    m_outputs.clear();
    const std::size_t kept = std::min(static_cast<std::size_t>(step), m_capacity);
    for (std::size_t age = 0; age < kept; ++age)
        m_outputs.push_back(lookup(entryName(age)));
}

Tensor predictedClean(const Tensor& modelOutput, const Tensor& sample, float sigma) {
    Tensor clean = Tensor::empty(sample.shape());
    std::ranges::transform(sample.data<float>(), modelOutput.data<float>(), clean.data<float>().begin(),
                           [sigma](float x, float velocity) { return x - sigma * velocity; });
    return clean;
}

}  // namespace meshreel
