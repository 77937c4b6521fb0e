// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/gpu/gpu_pipelines.h"

namespace meshreel {

/// Work that needs nothing from memory: what a form of multiplication makes at most.
struct GpuPeak {
    MatrixForm form = MatrixForm::Scalar;
    std::string extents = {};  ///< of a product of a subgroup, "16x16x16"; empty for scalar
    std::size_t variant = 0;   ///< in the table of variants
};

/// Scalar, and every form and size of matrices that the GPU offers and Meshreel has a shader for.
std::vector<GpuPeak> peaksOn(const Gpu& gpu);

constexpr std::uint32_t peakGroups = 2048;

/// What the peak's shader reads and writes: uninitialised, as the numbers do not matter.
GpuBuffer peakMemory(const Gpu& gpu);

/// Records the shader; returns its floating-point operations. Of larger `rounds` it takes longer.
double recordPeak(GpuPipelines& pipelines, GpuStream& stream, const GpuPeak& peak, const GpuBuffer& memory,
                  std::uint32_t rounds);

}  // namespace meshreel
