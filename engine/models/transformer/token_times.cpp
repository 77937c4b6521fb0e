// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/token_times.h"

#include <map>
#include <span>

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
        // Of the whole sequence, so that it does not depend on how devices share it out.
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

}  // namespace meshreel
