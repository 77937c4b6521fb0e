// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"

namespace meshreel {

/// A GPU at work for one device of a mesh: the order of its work, its compiled shaders and its memory. One
/// thread at a time.
class GpuWork {
  public:
    /// `portion` is that of the stream.
    explicit GpuWork(const std::shared_ptr<const Gpu>& gpu, GpuTuning tuning = {},
                     std::size_t blockBytes = GpuPool::usualBlock, std::optional<double> portion = {})
        : m_gpu(gpu),
          m_copies(*gpu, {}, GpuQueue::Copies),
          m_stream(*gpu, portion),
          m_pipelines(*gpu, std::move(tuning)),
          m_memory(gpu, m_stream, m_copies, blockBytes),
          m_flags(*gpu, flagCount * sizeof(std::uint32_t), GpuPlace::Host) {
        m_stream.follow(m_copies);
    }
    /// Waits for what was submitted before its shaders and memory go: work may be under way when a run ends
    /// early.
    ~GpuWork() { m_stream.settle(); }
    GpuWork(const GpuWork&) = delete;
    GpuWork& operator=(const GpuWork&) = delete;

    [[nodiscard]] const Gpu& gpu() const { return *m_gpu; }
    [[nodiscard]] GpuStream& stream() { return m_stream; }
    [[nodiscard]] GpuPipelines& pipelines() { return m_pipelines; }
    [[nodiscard]] GpuMemory& memory() { return m_memory; }

    /// A word of the host's that kernels reach.
    struct Flag {
        GpuAddress address;
        const volatile std::uint32_t* word;  ///< to be read when the work that may set it is done
    };
    /// A word of 0. The flagCount-th call from here gives the same one again.
    [[nodiscard]] Flag takeFlag() {
        const std::size_t place = m_nextFlag++ % flagCount * sizeof(std::uint32_t);
        auto* word = reinterpret_cast<volatile std::uint32_t*>(m_flags.mapped().data() + place);
        *word = 0;
        return {.address = m_flags.address() + place, .word = word};
    }
    static constexpr std::size_t flagCount = 64;

  private:
    std::shared_ptr<const Gpu> m_gpu;
    GpuStream m_copies;
    GpuStream m_stream;
    GpuPipelines m_pipelines;
    GpuMemory m_memory;
    GpuBuffer m_flags;
    std::size_t m_nextFlag = 0;
};

}  // namespace meshreel
