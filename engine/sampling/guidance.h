// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// One pass of guidance.
struct GuidedPass {
    bool hearsPrompt = true;  ///< else the negative prompt
    std::size_t groups = 0;   ///< token groups that it sees: so many of the first ones
    double scale = 1;  ///< how far guidance goes from the pass behind it to this one; of the last one without
                       ///< meaning

    friend bool operator==(const GuidedPass&, const GuidedPass&) = default;
};

/// The passes of one video in a step. The prompt's is first and sees everything; each one behind it is told
/// less.
using GuidedPasses = std::vector<GuidedPass>;

/// Computes classifier-free guidance: uncond + scale * (cond - uncond), element-wise in f32. Both tensors are
/// f32 and of one shape.
Tensor guide(const Tensor& cond, const Tensor& uncond, double scale);

/// Phantom's guidance in two parts, neither + imageScale·(uncond − neither) + scale·(cond − uncond): uncond
/// has the pictures without the prompt, `neither` has neither.
Tensor guide(const Tensor& cond, const Tensor& uncond, const Tensor& neither, double scale,
             double imageScale);

/// Guidance along a chain of predictions P, one for each pass: the last P, and from each pass behind the next
/// scale · (P of this one − P of the one behind it), from the last to the first. Of two and three passes it
/// is what the functions above compute. One prediction is returned as it is.
Tensor guide(std::span<const Tensor> predictions, const GuidedPasses& passes);

}  // namespace meshreel
