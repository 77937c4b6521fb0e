// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/modulation.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
#include "engine/tensor/matrix_view.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

// A first image, a last one and what is between them make three.
constexpr std::int64_t fewRuns = 8;

std::int64_t changesIn(std::span<const float> times) {
    std::int64_t changes = 0;
    for (std::size_t token = 1; token < times.size(); ++token)
        changes += times[token] == times[token - 1] ? 0 : 1;
    return changes;
}

}  // namespace

TokenTimes::TokenTimes(const Tensor& timesteps, ShardRange own)
    : m_runs(static_cast<std::size_t>(timesteps.extent(0))),
      m_tokens(own.size()),
      m_ofEachToken(timesteps.shape().rank() == 2) {
    if (!m_ofEachToken) {
        m_values = timesteps;
        for (std::size_t video = 0; video < m_runs.size(); ++video)
            m_runs[video] = {{.tokens = {0, m_tokens}, .time = static_cast<std::int64_t>(video)}};
        return;
    }
    std::map<float, std::int64_t> indices;
    std::vector<float> values;
    const auto tokens = static_cast<std::size_t>(timesteps.extent(1));
    for (std::size_t video = 0; video < m_runs.size(); ++video) {
        const auto times = timesteps.data<float>().subspan(video * tokens, tokens);
        // Counted over the whole sequence, so that it does not depend on how devices share it out.
        m_scattered = m_scattered || changesIn(times) >= fewRuns;
        std::vector<Run>& runs = m_runs[video];
        for (std::int64_t token = 0; token < m_tokens; ++token) {
            const float value = times[static_cast<std::size_t>(own.begin + token)];
            const auto [known, added] = indices.try_emplace(value, static_cast<std::int64_t>(values.size()));
            if (added)
                values.push_back(value);
            if (runs.empty() || runs.back().time != known->second)
                runs.push_back({.tokens = {token, token}, .time = known->second});
            runs.back().tokens.end = token + 1;
        }
    }
    m_values = Tensor::from({static_cast<std::int64_t>(values.size())}, values);
}

Tensor TokenTimes::expanded(const Tensor& perTime) const {
    if (!m_ofEachToken)
        return perTime;
    const std::int64_t width = perTime.extent(1);
    Tensor all = Tensor::empty({static_cast<std::int64_t>(m_runs.size()), m_tokens, width});
    auto to = all.data<float>().begin();
    for (std::size_t video = 0; video < m_runs.size(); ++video)
        eachRun(static_cast<std::int64_t>(video), 0, m_tokens,
                [&](std::int64_t, std::int64_t count, std::int64_t time) {
                    for (std::int64_t token = 0; token < count; ++token)
                        to = std::ranges::copy(perTime.slice(time, time + 1).data<float>(), to).out;
                });
    return all;
}

void Modulation::set(const Tensor& table, const Tensor& timestep, std::span<const std::int64_t> scales) {
    const auto learned = table.data<float>();
    const auto timed = timestep.data<float>();
    m_count = table.extent(1);
    m_width = table.extent(2);
    const auto width = static_cast<std::size_t>(m_width);
    const auto times = static_cast<std::size_t>(timestep.extent(0));
    const std::size_t perTime = timed.size() / std::max<std::size_t>(1, times);
    m_vectors.resize(times * learned.size());
    for (std::size_t i = 0; i < m_vectors.size(); ++i) {
        const std::size_t time = i / learned.size();
        const std::size_t inTable = i % learned.size();
        const std::size_t inTimestep = perTime == width ? inTable % width : inTable;
        m_vectors[i] = learned[inTable] + timed[time * perTime + inTimestep];
    }
    for (std::size_t time = 0; time < times; ++time)
        for (const std::int64_t index : scales)
            for (float& value :
                 std::span(m_vectors).subspan(placeOf(static_cast<std::int64_t>(time), index), width))
                value += 1.0F;
}

std::size_t Modulation::placeOf(std::int64_t time, std::int64_t index) const {
    return static_cast<std::size_t>((time * m_count + index) * m_width);
}

std::span<const float> Modulation::vector(std::int64_t time, std::int64_t index) const {
    return std::span(m_vectors).subspan(placeOf(time, index), static_cast<std::size_t>(m_width));
}

void Modulation::norm(const Execution& execution, const Tensor& x, double epsilon, std::int64_t shift,
                      std::int64_t scale, Tensor& y) const {
    const auto span = traceSpan(execution.trace, "layer_norm", "norm");
    const MatrixView from(x);
    const MatrixSpan to(y);
    for (std::int64_t video = 0; video < x.extent(0); ++video)
        m_times.eachRun(video, 0, x.extent(1),
                        [&](std::int64_t first, std::int64_t count, std::int64_t time) {
                            const std::int64_t row = video * x.extent(1) + first;
                            modulatedNorm(execution, from.slice(row, count), epsilon, vector(time, scale),
                                          vector(time, shift), to.slice(row, count));
                        });
}

void Modulation::addGated(const Execution& execution, Tensor& into, const Tensor& x,
                          std::int64_t gate) const {
    for (std::int64_t video = 0; video < x.extent(0); ++video)
        m_times.eachRun(video, 0, x.extent(1),
                        [&](std::int64_t first, std::int64_t count, std::int64_t time) {
                            const std::int64_t row = video * x.extent(1) + first;
                            meshreel::addGated(execution, MatrixSpan(into).slice(row, count),
                                               MatrixView(x).slice(row, count), vector(time, gate));
                        });
}

}  // namespace meshreel
