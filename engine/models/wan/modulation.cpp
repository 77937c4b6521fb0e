// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/modulation.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "engine/kernels/rows/elementwise.h"
#include "engine/kernels/rows/norms.h"
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

Modulation::Modulation(const Tensor& table, const Tensor& timestep, const TokenTimes& times)
    : m_times(times), m_vectors(Tensor::empty({timestep.extent(0), table.extent(1), table.extent(2)})) {
    const auto learned = table.data<float>();
    const auto timed = timestep.data<float>();
    const auto vectors = m_vectors.data<float>();
    const auto width = static_cast<std::size_t>(table.extent(2));
    const std::size_t perTime =
        timed.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, timestep.extent(0)));
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const std::size_t time = i / learned.size();
        const std::size_t inTable = i % learned.size();
        const std::size_t inTimestep = perTime == width ? inTable % width : inTable;
        vectors[i] = learned[inTable] + timed[time * perTime + inTimestep];
    }
}

std::span<const float> Modulation::vector(std::int64_t time, std::int64_t index) const {
    const std::int64_t width = m_vectors.extent(2);
    return m_vectors.data<float>().subspan(
        static_cast<std::size_t>((time * m_vectors.extent(1) + index) * width),
        static_cast<std::size_t>(width));
}

void Modulation::norm(const Execution& execution, const Tensor& x, double epsilon, std::int64_t shift,
                      std::int64_t scale, Tensor& y) const {
    const auto span = traceSpan(execution.trace, "layer_norm", "norm");
    std::vector<float> gamma(static_cast<std::size_t>(m_vectors.extent(2)));
    const MatrixView from(x);
    const MatrixSpan to(y);
    for (std::int64_t video = 0; video < x.extent(0); ++video)
        m_times.eachRun(video, 0, x.extent(1),
                        [&](std::int64_t first, std::int64_t count, std::int64_t time) {
                            std::ranges::transform(vector(time, scale), gamma.begin(),
                                                   [](float value) { return 1.0F + value; });
                            const std::int64_t row = video * x.extent(1) + first;
                            layerNorm(execution, from.slice(row, count), epsilon, gamma, vector(time, shift),
                                      to.slice(row, count));
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
