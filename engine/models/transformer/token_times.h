// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/mesh/shard_range.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The timesteps of a device's tokens: those that differ once each, and which tokens have which. What a model
/// makes of a timestep is computed once for each that differs, and chosen by index.
class TokenTimes {
  public:
    /// timesteps f32: [videos], one for all tokens of a video, or [videos, tokens] of the whole sequence, of
    /// which the device has `own`.
    TokenTimes(const Tensor& timesteps, ShardRange own);

    /// f32 [times].
    [[nodiscard]] const Tensor& values() const { return m_values; }
    [[nodiscard]] bool ofEachToken() const { return m_ofEachToken; }

    /// Some video's timestep changes so often that a product over tokens is not to be cut there.
    [[nodiscard]] bool scattered() const { return m_scattered; }

    /// visit(first token, count, index of the time) for each run of equal times among the tokens [first,
    /// first + count) of a video; tokens are counted from the device's first one.
    template <typename Visit>
    void eachRun(std::int64_t video, std::int64_t first, std::int64_t count, const Visit& visit) const {
        for (const Run& run : m_runs[static_cast<std::size_t>(video)]) {
            const std::int64_t begin = std::max(first, run.tokens.begin);
            const std::int64_t end = std::min(first + count, run.tokens.end);
            if (begin < end)
                visit(begin, end - begin, run.time);
        }
    }

    /// Of f32 [times, width]: [videos, own tokens, width] where every token has a time, or [videos, width].
    [[nodiscard]] Tensor expanded(const Tensor& perTime) const;

  private:
    struct Run {
        ShardRange tokens;
        std::int64_t time = 0;
    };

    Tensor m_values;
    std::vector<std::vector<Run>> m_runs;  // of each video
    std::int64_t m_tokens;                 // of this device
    bool m_ofEachToken;
    bool m_scattered = false;
};

}  // namespace meshreel
