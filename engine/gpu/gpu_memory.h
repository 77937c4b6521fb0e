// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/gpu/gpu_stream.h"
#include "engine/tensor/memory.h"

namespace meshreel {

/// Buffers of a GPU, cut up: drivers allow few allocations (4,096 as a rule), a model has thousands of
/// tensors. Threads may share it.
class GpuPool {
  public:
    /// Small pieces share buffers of this size, unless a plan knows that less will do.
    static constexpr std::size_t usualBlock = std::size_t{64} << 20;

    explicit GpuPool(std::shared_ptr<const Gpu> gpu, std::size_t blockBytes = usualBlock);
    ~GpuPool();
    GpuPool(const GpuPool&) = delete;
    GpuPool& operator=(const GpuPool&) = delete;

    /// The buffer that an address lies in, and how far behind its start.
    struct Place {
        const GpuBuffer& buffer;
        std::size_t offset;
    };

    /// The smallest gap that is large enough, else a new buffer. Throws as GpuBuffer does.
    [[nodiscard]] GpuAddress take(std::size_t bytes);
    void giveBack(GpuAddress address, std::size_t bytes);
    /// Frees buffers of which nothing is in use; the GPU must be idle. Whether there was one.
    bool shrink();
    [[nodiscard]] Place find(GpuAddress address) const;

    /// Bytes in use, now and at most.
    [[nodiscard]] std::size_t used() const;
    [[nodiscard]] std::size_t peak() const;
    /// Bytes of the buffers, in use or not, at most.
    [[nodiscard]] std::size_t peakHeld() const;
    /// From here on, peaks are those of what follows.
    void forgetPeaks();

  private:
    class Blocks;
    std::unique_ptr<Blocks> m_blocks;
};

/// A GPU's own memory, as tensors see it: an address of a tensor there is one that kernels follow. Copies go
/// through a small buffer of the host's that is mapped all the time, by turns through each half of it: the
/// host fills or reads one while the GPU copies from or to the other.
class GpuMemory final : public Memory {
  public:
    /// The buffer that copies go through.
    static constexpr std::size_t stagingBytes = std::size_t{16} << 20;

    /// `stream` outlives the memory; tensors may outlive both.
    GpuMemory(std::shared_ptr<const Gpu> gpu, GpuStream& stream,
              std::size_t blockBytes = GpuPool::usualBlock);

    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) override;
    void copyIn(std::byte* to, std::span<const std::byte> from) override;
    void copyOut(std::span<std::byte> to, const std::byte* from) override;
    void copyWithin(std::byte* to, const std::byte* from, std::size_t bytes) override;

    [[nodiscard]] std::size_t used() const { return m_pool->used(); }
    [[nodiscard]] std::size_t peak() const { return m_pool->peak(); }
    /// Bytes taken of the GPU at most: of buffers, whose tensors leave gaps.
    [[nodiscard]] std::size_t peakHeld() const { return m_pool->peakHeld(); }

    /// Between two stages of a run: gives back what is idle, waits for the GPU, and forgets the peaks.
    void beginStage();

  private:
    static constexpr std::size_t halfBytes = stagingBytes / 2;

    [[nodiscard]] std::size_t halfBegin() const { return m_half * halfBytes; }
    void turnToOtherHalf();

    GpuStream& m_stream;
    std::shared_ptr<GpuPool> m_pool;
    GpuBuffer m_staging;
    std::size_t m_half = 0;                   // of m_staging, that copies are recorded from and to
    std::size_t m_staged = 0;                 // bytes of it, that recorded copies use
    std::array<std::int64_t, 2> m_lastUse{};  // submission that last used each half
};

}  // namespace meshreel
