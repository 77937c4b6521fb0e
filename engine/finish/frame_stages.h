// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "engine/finish/finish_plan.h"
#include "engine/kernels/execution.h"
#include "engine/models/finish/rife.h"
#include "engine/models/finish/upscaler.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A frame of a video with its number: of equal numbers the pictures are equal.
struct NumberedFrame {
    std::int64_t number = -1;
    Tensor picture = {};  ///< u8 [height, width, 3]
};

/// Frames a video is interpolated to, counted.
struct BetweenCounts {
    std::int64_t made = 0;
    std::int64_t copied = 0;  ///< between frames that are nearly equal, and at cuts
    std::int64_t cuts = 0;
};

/// Makes frames between two frames of the source. What belongs to a frame or a pair is computed once, as long
/// as the pairs come in order.
class BetweenFrames {
  public:
    /// `plan` and `execution` outlive it. Throws Error{Input} for weights that cannot be used.
    BetweenFrames(const FinishPlan& plan, const Execution& execution);

    /// Returns the frame at `part` in (0, 1) of the way from one to the other, u8 [height, width, 3]. At a
    /// cut, and where nothing moves, `first` itself.
    [[nodiscard]] Tensor at(const NumberedFrame& first, const NumberedFrame& second, float part);

    [[nodiscard]] const BetweenCounts& counts() const { return m_counts; }

  private:
    [[nodiscard]] const Rife::Frame& prepared(const NumberedFrame& frame);
    [[nodiscard]] Tensor mixed(const Tensor& first, const Tensor& second, float part) const;

    struct Prepared {
        std::int64_t number = -1;
        Rife::Frame frame = {};
    };

    const Execution& m_execution;
    std::optional<Rife> m_rife;
    std::int64_t m_pair = -1;  // number of the first frame of the pair that m_kind is of
    bool m_moves = false;
    std::array<Prepared, 2> m_prepared;  // by the frames' numbers, even and odd
    BetweenCounts m_counts;
};

/// Enlarges pictures to the plan's size.
class LargerFrames {
  public:
    /// As BetweenFrames.
    LargerFrames(const FinishPlan& plan, const Execution& execution);

    /// u8 [height, width, 3].
    [[nodiscard]] Tensor enlarged(const Tensor& picture) const;

  private:
    const FinishPlan& m_plan;
    const Execution& m_execution;
    std::optional<Upscaler> m_upscaler;
};

}  // namespace meshreel
