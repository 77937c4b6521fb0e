// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/caches/sen_cache.h"

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace meshreel {
namespace {

constexpr double timestepsInAll = 1000;

double rootMeanSquareDistance(const Tensor& first, const Tensor& second) {
    const std::span<const float> a = first.data<float>();
    const std::span<const float> b = second.data<float>();
    double sum = 0;
    for (std::size_t at = 0; at < a.size(); ++at) {
        const double difference = double{a[at]} - double{b[at]};
        sum += difference * difference;
    }
    return std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace

void SenScore::begin(Tensor latents, double timestep) {
    *this = {};
    m_latents = std::move(latents);
    m_time = timestep / timestepsInAll;
    m_begun = true;
}

bool SenScore::admits(const Tensor& latents, double timestep, double threshold, int mostInARow) {
    m_latentDistance += rootMeanSquareDistance(latents, m_latents);
    m_timeDistance += std::abs(timestep / timestepsInAll - m_time);
    if (m_latentDistance + m_timeDistance > threshold || m_inARow >= mostInARow)
        return false;
    ++m_inARow;
    return true;
}

Tensor SenScore::sums() const {
    return Tensor::from(
        {4}, std::vector<double>{m_time, m_latentDistance, m_timeDistance, static_cast<double>(m_inARow)});
}

void SenScore::restore(Tensor latents, const Tensor& sums) {
    const std::span<const double> values = sums.data<double>();
    m_latents = std::move(latents);
    m_time = values[0];
    m_latentDistance = values[1];
    m_timeDistance = values[2];
    m_inARow = static_cast<int>(values[3]);
    m_begun = true;
}

}  // namespace meshreel
