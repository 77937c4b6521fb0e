// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The timesteps of a device's tokens: those that differ once each, and which tokens have which. What a model
/// makes of a timestep is computed once for each that differs, and chosen by index.
class TokenTimes {
  public:
    /// timesteps f32: [videos], one for all tokens of a video, or [videos, tokens] for the whole sequence, of
    /// which the device has `own`.
    TokenTimes(const Tensor& timesteps, ShardRange own);

    /// f32 [times].
    [[nodiscard]] const Tensor& values() const { return m_values; }
    [[nodiscard]] bool ofEachToken() const { return m_ofEachToken; }

    /// Returns whether some video's timestep changes so often that a product over tokens should not be cut
    /// there.
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

    /// Expands f32 [times, width] to a row for each token, [videos, own tokens, width], or, when all tokens
    /// of a video have one time, for each video, [videos, width].
    [[nodiscard]] Tensor expanded(const Tensor& perTime) const;

  private:
    struct Run {
        ShardRange tokens;
        std::int64_t time = 0;
    };

    Tensor m_values;
    std::vector<std::vector<Run>> m_runs;  // for each video
    std::int64_t m_tokens;                 // on this device
    bool m_ofEachToken;
    bool m_scattered = false;
};

/// Vectors [width] for each timestep that shift, scale or gate its tokens: a learned table plus the model's
/// embedding of the timestep, plus 1 for scales. Reused for the layers of a pass, which are of one width:
/// only the first allocates.
class Modulation {
  public:
    /// Belongs to no layer yet. `times` must outlive the modulation.
    explicit Modulation(const TokenTimes& times) : m_times(times) {}

    /// Sets the vectors of a layer: table [1, count, width] + timestep [times, count, width], or + timestep
    /// [times, width] repeated. `scales`: indices of the vectors that scale.
    void set(const Tensor& table, const Tensor& timestep, std::span<const std::int64_t> scales);

    [[nodiscard]] const TokenTimes& times() const { return m_times; }
    [[nodiscard]] std::span<const float> vector(std::int64_t time, std::int64_t index) const;

    /// y = layerNorm(x)·vector[scale] + vector[shift] for x [batch, tokens, width] f32, y f32 or bf16.
    void norm(const Execution& execution, const Tensor& x, double epsilon, std::int64_t shift,
              std::int64_t scale, Tensor& y) const;

    /// Computes into += x · vector[gate], both [batch, tokens, width].
    void addGated(const Execution& execution, Tensor& into, const Tensor& x, std::int64_t gate) const;

  private:
    [[nodiscard]] std::size_t placeOf(std::int64_t time, std::int64_t index) const;

    const TokenTimes& m_times;
    std::int64_t m_count = 0;
    std::int64_t m_width = 0;
    std::vector<float> m_vectors;  // [times, count, width]
};

}  // namespace meshreel
