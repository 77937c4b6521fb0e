// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Small matrices of f32 or bf16 in memory that both CPU and GPU reach, for the check of a shader at its
/// first use.
class CheckedValues {
  public:
    /// rows · width numbers between -1 and 1, other ones for another seed.
    CheckedValues(const Gpu& gpu, std::int64_t rows, std::int64_t width, std::uint32_t seed,
                  DType type = DType::F32);
    /// Waits for the GPU: a check that throws leaves work in progress that reads and writes here.
    ~CheckedValues();
    CheckedValues(const CheckedValues&) = delete;
    CheckedValues& operator=(const CheckedValues&) = delete;

    [[nodiscard]] GpuMatrix matrix() const;
    [[nodiscard]] GpuAddress address() const { return m_buffer.address(); }
    /// Returns the present numbers, [rows, width].
    [[nodiscard]] std::vector<float> read() const;

    /// Replaces all numbers, as read() gives them.
    void write(std::span<const float> values) const;

    /// Returns the largest |found - expected(row, column)|, in units of `allowed`; not a number when one is
    /// not.
    [[nodiscard]] double difference(const std::function<double(std::int64_t, std::int64_t)>& expected,
                                    double allowed) const;

  private:
    const Gpu& m_gpu;
    std::int64_t m_rows;
    std::int64_t m_width;
    DType m_type;
    GpuBuffer m_buffer;
};

}  // namespace meshreel
