// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/matrix_forms.h"

namespace meshreel {

/// Work that needs nothing from memory: what a form of multiplication makes at most.
struct GpuPeak {
    MatrixForm form = MatrixForm::Scalar;
    bool ofInt8 = false;       ///< sums are int32, else f32; scalar int8 factors are int32, too
    std::string extents = {};  ///< size of one multiplication, "16x16x16"; empty for scalar
    std::size_t variant = 0;   ///< row in the table of variants

    /// "khr_f16.16x16x16", "scalar"; "int8.16x16x32", "int8_dot.1x1x4", "int8_scalar".
    [[nodiscard]] std::string name() const;
};

/// Scalar of f32 and of int8, and every form and size of products that the GPU offers and Meshreel has a
/// shader for.
std::vector<GpuPeak> peaksOn(const Gpu& gpu);

constexpr std::uint32_t peakGroups = 2048;

/// Returns what the peak's shader reads and writes: uninitialised, as the numbers do not matter.
GpuBuffer peakMemory(const Gpu& gpu);

/// Records the shader; returns its operations, counting a multiply-add as two. More `rounds` take longer.
double recordPeak(GpuPipelines& pipelines, GpuStream& stream, const GpuPeak& peak, const GpuBuffer& memory,
                  std::uint32_t rounds);

}  // namespace meshreel
