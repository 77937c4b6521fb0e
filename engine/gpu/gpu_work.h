// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
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
    explicit GpuWork(const std::shared_ptr<const Gpu>& gpu, GpuTuning tuning = {},
                     std::size_t blockBytes = GpuPool::usualBlock)
        : m_gpu(gpu),
          m_stream(*gpu),
          m_pipelines(*gpu, std::move(tuning)),
          m_memory(gpu, m_stream, blockBytes) {}
    /// Waits for what was submitted before its shaders and memory go: work may be under way when a run ends
    /// early.
    ~GpuWork() { m_stream.settle(); }
    GpuWork(const GpuWork&) = delete;
    GpuWork& operator=(const GpuWork&) = delete;

    [[nodiscard]] const Gpu& gpu() const { return *m_gpu; }
    [[nodiscard]] GpuStream& stream() { return m_stream; }
    [[nodiscard]] GpuPipelines& pipelines() { return m_pipelines; }
    [[nodiscard]] GpuMemory& memory() { return m_memory; }

  private:
    std::shared_ptr<const Gpu> m_gpu;
    GpuStream m_stream;
    GpuPipelines m_pipelines;
    GpuMemory m_memory;
};

}  // namespace meshreel
