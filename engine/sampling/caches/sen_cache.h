// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/tensor/tensor.h"

namespace meshreel {

/// SenCache's score (arXiv 2602.24208, as MaxDiffusion computes it): the distances of latents and time to the
/// step that was last computed, summed up over the steps since. MaxDiffusion sums distances to that step, not
/// increments, which uses the threshold up faster than the paper does.
class SenScore {
  public:
    /// A step computed in full, with the latents before its update; the sums begin anew.
    void begin(Tensor latents, double timestep);

    /// Adds a step that may be taken over. True: it stays within `threshold` and is the `mostInARow`th at
    /// most.
    [[nodiscard]] bool admits(const Tensor& latents, double timestep, double threshold, int mostInARow);

    [[nodiscard]] bool begun() const { return m_begun; }

    /// Everything that later steps depend on, f64 [4], beside the latents.
    [[nodiscard]] Tensor sums() const;
    [[nodiscard]] const Tensor& latents() const { return m_latents; }
    void restore(Tensor latents, const Tensor& sums);

  private:
    Tensor m_latents;
    double m_time = 0;
    double m_latentDistance = 0;
    double m_timeDistance = 0;
    int m_inARow = 0;
    bool m_begun = false;
};

}  // namespace meshreel
