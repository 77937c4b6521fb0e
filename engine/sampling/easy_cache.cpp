// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/easy_cache.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/timing/step_record.h"

namespace meshreel {
namespace {

constexpr std::string_view latentsName = "easy.latents";
constexpr std::string_view predictionName = "easy.prediction";
constexpr std::string_view numbersName = "easy.numbers";

/// The noise level at a part of the flow's time.
float sigmaAt(double part, double flowShift) {
    if (part <= 0)
        return 1;
    if (part >= 1)
        return 0;
    const double time = 1 - part;
    return static_cast<float>(flowShift * time / (1 + (flowShift - 1) * time));
}

/// Every 8th pixel of both axes, in one row.
Tensor thinned(const Tensor& frames) {
    constexpr std::int64_t distance = 8;
    const std::size_t rank = frames.shape().rank();
    const std::int64_t height = frames.extent(rank - 2);
    const std::int64_t width = frames.extent(rank - 1);
    const auto values = frames.data<float>();
    std::vector<float> kept;
    for (std::int64_t row = 0; row < frames.elements() / width; ++row)
        if (row % height % distance == 0)
            for (std::int64_t column = 0; column < width; column += distance)
                kept.push_back(values[static_cast<std::size_t>(row * width + column)]);
    const auto count = static_cast<std::int64_t>(kept.size());
    return Tensor::from({count}, kept);
}

double meanMagnitude(std::span<const float> values) {
    double sum = 0;
    for (const float value : values)
        sum += std::abs(double{value});
    return sum / static_cast<double>(values.size());
}

double meanChange(const Tensor& now, const Tensor& before) {
    const auto a = now.data<float>();
    const auto b = before.data<float>();
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += std::abs(double{a[i]} - double{b[i]});
    return sum / static_cast<double>(a.size());
}

const Tensor& partOf(const SchedulerState& state, std::string_view name) {
    const auto found = std::ranges::find(state, name, &SchedulerState::value_type::first);
    if (found == state.end())
        throw Error(ErrorKind::Internal, "EasyCache goes on without a part of its state", std::string(name));
    return found->second;
}

}  // namespace

bool isInEasyCache(const CachedLoop& loop, const EasyCacheSettings& settings, int step) {
    const float sigma = loop.sigmas[static_cast<std::size_t>(step)];
    return sigma <= sigmaAt(settings.start, loop.flowShift) && sigma > sigmaAt(settings.end, loop.flowShift);
}

CacheSchedule easyCacheSchedule(const CachedLoop& loop, const EasyCacheSettings& settings) {
    constexpr int learntFrom = 2;
    CacheSchedule schedule(static_cast<std::size_t>(loop.steps), StepWork::Everything);
    int computed = 0;
    for (int step = 0; step < loop.steps; ++step) {
        if (step == loop.boundary())
            computed = 0;
        if (!isInEasyCache(loop, settings, step))
            continue;
        if (computed < learntFrom)
            ++computed;
        else
            schedule[static_cast<std::size_t>(step)] = StepWork::Nothing;
    }
    return schedule;
}

bool EasyCacheScore::admits(const Tensor& latents, double threshold) {
    m_compared.reset();
    if (!m_latents)
        return false;
    m_change = meanChange(thinned(latents), *m_latents);
    if (!m_rate)
        return false;
    m_sum += *m_rate * m_change / m_norm;
    m_compared = m_sum;
    if (m_sum < threshold)
        return true;
    m_sum = 0;
    return false;
}

void EasyCacheScore::learn(const Tensor& latents, const Tensor& prediction) {
    Tensor own = thinned(prediction);
    if (m_latents && m_change > 0)
        m_rate = meanChange(own, m_prediction) / m_change;
    m_latents = thinned(latents);
    m_prediction = std::move(own);
    m_norm = meanMagnitude(prediction.data<float>());
}

SchedulerState EasyCacheScore::state() const {
    if (!m_latents)
        return {};
    constexpr double unknown = -1;
    return {{std::string(latentsName), *m_latents},
            {std::string(predictionName), m_prediction},
            {std::string(numbersName),
             Tensor::from({3}, std::vector<double>{m_norm, m_sum, m_rate.value_or(unknown)})}};
}

void EasyCacheScore::restore(const SchedulerState& state) {
    *this = {};
    m_latents = partOf(state, latentsName);
    m_prediction = partOf(state, predictionName);
    const auto numbers = partOf(state, numbersName).data<double>();
    m_norm = numbers[0];
    m_sum = numbers[1];
    if (numbers[2] >= 0)
        m_rate = numbers[2];
}

}  // namespace meshreel
