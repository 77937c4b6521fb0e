// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

struct OnHost;
struct OnVulkan;

/// What a level of the Wan 2.2 VAE does to its features' form.
struct LevelChange {
    std::int64_t inChannels;
    std::int64_t outChannels;
    std::int64_t time;   ///< 2 where the level halves or doubles the number of frames, else 1
    std::int64_t space;  ///< for height and width

    /// Pixels that become one, or that one becomes.
    [[nodiscard]] std::int64_t pixels() const { return time * space * space; }
};

// Around a level, features take a shortcut to its result. Features are [T, H, W, C], f32 or bf16 each, and
// both of a call are in one memory; on the host the workers share the lines. Throw Error{Internal} when they
// are not.

/// diffusers' AvgDown3D: every output channel is the mean of some input channels and pixels. Zeros precede a
/// first frame that has no partner.
class AveragingShortcut {
  public:
    /// inChannels · pixels() is a multiple of outChannels.
    explicit AveragingShortcut(const LevelChange& change);

    /// Adds to `sum` [T/time, H/space, W/space, outChannels] what becomes of `source` [T, H, W, inChannels].
    void addTo(const Execution& execution, const Tensor& source, Tensor& sum) const;

  private:
    void addOn(const OnHost& on, const Tensor& source, Tensor& sum) const;
    void addOn(const OnVulkan& on, const Tensor& source, Tensor& sum) const;

    LevelChange m_change;
    std::size_t m_group;                 // values of a mean
    std::vector<std::size_t> m_members;  // for all means, as places among the pixels that become one
};

/// diffusers' DupUp3D: every pixel becomes `pixels()`, each with some of its channels repeated. A first chunk
/// does not become longer.
class RepeatingShortcut {
  public:
    /// outChannels · pixels() is a multiple of inChannels.
    explicit RepeatingShortcut(const LevelChange& change);

    /// Adds to `sum` [T·time, H·space, W·space, outChannels] what becomes of `source` [T, H, W, inChannels].
    void addTo(const Execution& execution, const Tensor& source, Tensor& sum) const;

  private:
    void addOn(const OnHost& on, const Tensor& source, Tensor& sum) const;
    void addOn(const OnVulkan& on, const Tensor& source, Tensor& sum) const;

    LevelChange m_change;
    std::vector<std::vector<std::size_t>> m_sources;  // [pixel made][channel]: the source channel
};

}  // namespace meshreel
