// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Bytes that both CPU and GPU reach: in the host's memory or, where NVIDIA's driver launches, too, in the
/// GPU's with a copy on the host, because it has not all of the host's.
class CheckedBytes {
  public:
    /// Uninitialised. `gpu` outlives them.
    CheckedBytes(const Gpu& gpu, std::size_t bytes);
    /// Waits for the GPU: a check that throws leaves work in progress that reads and writes here.
    ~CheckedBytes();
    CheckedBytes(const CheckedBytes&) = delete;
    CheckedBytes& operator=(const CheckedBytes&) = delete;

    [[nodiscard]] GpuAddress address() const { return m_device ? m_device->address() : m_host.address(); }
    /// Replaces the first bytes.
    void write(std::span<const std::byte> from) const;
    /// Returns the present bytes, when the GPU is idle, until the next call.
    [[nodiscard]] std::span<const std::byte> read() const;

  private:
    const Gpu& m_gpu;
    GpuBuffer m_host;
    std::optional<GpuBuffer> m_device;
};

/// Small matrices of f32 or bf16 in such memory, for the check of a shader at its first use.
class CheckedValues {
  public:
    /// rows · width numbers between -1 and 1, other ones for another seed.
    CheckedValues(const Gpu& gpu, std::int64_t rows, std::int64_t width, std::uint32_t seed,
                  DType type = DType::F32);
    [[nodiscard]] GpuMatrix matrix() const;
    [[nodiscard]] GpuAddress address() const { return m_bytes.address(); }
    /// Returns the present numbers, [rows, width].
    [[nodiscard]] std::vector<float> read() const;

    /// Replaces all numbers, as read() gives them.
    void write(std::span<const float> values) const;

    /// Returns the largest |found - expected(row, column)|, in units of `allowed`; not a number when one is
    /// not.
    [[nodiscard]] double difference(const std::function<double(std::int64_t, std::int64_t)>& expected,
                                    double allowed) const;

  private:
    std::int64_t m_rows;
    std::int64_t m_width;
    DType m_type;
    CheckedBytes m_bytes;
};

}  // namespace meshreel
