// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>

#include "engine/base/sentence.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/shared_host.h"
#include "engine/tensor/memory.h"

namespace meshreel {

class ComputeDevice;

/// Buffers of a GPU, cut up: drivers allow few allocations (4,096 as a rule), a model has thousands of
/// tensors. Threads may share it.
class GpuPool {
  public:
    /// Small pieces share buffers of this size, unless a plan knows that less will do.
    static constexpr std::size_t usualBlock = std::size_t{64} << 20;

    /// Pieces begin, and end, at multiples of it: a tensor takes up to so many bytes more than it has.
    static constexpr std::size_t pieceAlignment = 256;

    explicit GpuPool(std::shared_ptr<const Gpu> gpu, std::size_t blockBytes = usualBlock);
    ~GpuPool();
    GpuPool(const GpuPool&) = delete;
    GpuPool& operator=(const GpuPool&) = delete;

    /// The buffer that contains an address, and the offset from its start.
    struct Place {
        const GpuBuffer& buffer;
        std::size_t offset;
    };

    /// Returns the smallest gap that is large enough, else a new buffer. Throws as GpuBuffer does.
    [[nodiscard]] GpuAddress take(std::size_t bytes);
    void giveBack(GpuAddress address, std::size_t bytes);
    /// Frees buffers that are not in use; the GPU must be idle. Returns whether there were any.
    bool shrink();
    [[nodiscard]] Place find(GpuAddress address) const;

    /// Returns the bytes in use, now and at most.
    [[nodiscard]] std::size_t used() const;
    [[nodiscard]] std::size_t peak() const;
    /// Returns the bytes of the buffers, in use or not, at most.
    [[nodiscard]] std::size_t peakHeld() const;
    /// Restarts the measurement of peaks.
    void forgetPeaks();

    /// Returns the host's memory for what owns the pieces; it is used again. For any thread.
    [[nodiscard]] std::pmr::memory_resource& owners() { return m_owners; }

  private:
    class Blocks;
    std::unique_ptr<Blocks> m_blocks;
    std::pmr::synchronized_pool_resource m_owners;
};

/// The buffer of the host's that copies go through. It is mapped all the time and used by turns through each
/// half: the host fills or reads one while the GPU copies from or to the other.
class GpuStaging {
  public:
    static constexpr std::size_t bytes = std::size_t{16} << 20;

    /// `stream`, on which copies are recorded, outlives it.
    explicit GpuStaging(GpuStream& stream)
        : m_stream(stream), m_buffer(stream.gpu(), bytes, GpuPlace::Host) {}

    void copyIn(const GpuPool::Place& to, std::span<const std::byte> from);
    /// Waits for the bytes.
    void copyOut(std::span<std::byte> to, const GpuPool::Place& from);

  private:
    static constexpr std::size_t halfBytes = bytes / 2;

    [[nodiscard]] std::size_t halfBegin() const { return m_half * halfBytes; }
    void turnToOtherHalf();

    GpuStream& m_stream;
    GpuBuffer m_buffer;
    std::size_t m_half = 0;                   // that copies are recorded from and to
    std::size_t m_staged = 0;                 // bytes of it, that recorded copies use
    std::array<std::int64_t, 2> m_lastUse{};  // submission that last used each half
};

/// A GPU's memory of weights that are read anew for each use. Copies take the GPU's queue for copies, so that
/// a layer is on its way while the one before is computed. What is freed is given out again when the GPU has
/// computed with it: of what was freed since the last allocation that is only known later, so that two layers
/// are there at a time.
class GpuStreamedMemory final : public Memory {
  public:
    /// Of `device`, whose stream `computes` has the work that reads the weights and follows `copies`. All
    /// outlive the memory; tensors may outlive all.
    GpuStreamedMemory(ComputeDevice& device, std::shared_ptr<const Gpu> gpu, GpuStream& computes,
                      GpuStream& copies, std::size_t blockBytes);

    [[nodiscard]] ComputeDevice& device() override { return m_device; }
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) override;
    void copyIn(std::byte* to, std::span<const std::byte> from) override;
    /// Error{Internal}: nobody reads weights back.
    void copyOut(std::span<std::byte> to, const std::byte* from) override;
    void copyWithin(std::byte* to, const std::byte* from, std::size_t bytes) override;

    /// Waits for the GPU and gives back all that is idle. Whether there was anything.
    bool shrink();
    /// Returns the bytes of tensors.
    [[nodiscard]] std::size_t used() const;
    /// Returns the pool, including what waits for the GPU.
    [[nodiscard]] const GpuPool& pool() const { return *m_pool; }
    void forgetPeaks() { m_pool->forgetPeaks(); }

  private:
    struct Freed;

    void giveBackBefore(std::int64_t submission);

    ComputeDevice& m_device;
    GpuStream& m_computes;
    GpuStream& m_copies;
    std::shared_ptr<GpuPool> m_pool;
    std::shared_ptr<Freed> m_freed;
    std::optional<GpuStaging> m_staging;  // created by the first copy
};

/// A GPU's own memory, as tensors see it: an address of a tensor there is one that kernels follow.
class GpuMemory final : public Memory {
  public:
    /// Of `device`: `stream` has its work, `copies` is on the queue for copies. All outlive the memory;
    /// tensors may outlive all.
    GpuMemory(ComputeDevice& device, const std::shared_ptr<const Gpu>& gpu, GpuStream& stream,
              GpuStream& copies, std::size_t blockBytes = GpuPool::usualBlock);

    [[nodiscard]] ComputeDevice& device() override { return m_streamed.device(); }
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) override;
    void copyIn(std::byte* to, std::span<const std::byte> from) override;
    void copyOut(std::span<std::byte> to, const std::byte* from) override;
    void copyWithin(std::byte* to, const std::byte* from, std::size_t bytes) override;
    [[nodiscard]] Memory& forStreaming() override { return m_streamed; }

    // By the way in which the GPU was opened to exchange: GpuExchange.
    [[nodiscard]] std::shared_ptr<std::byte> allocateOnHost(std::size_t bytes) override;
    void copyBorrowed(std::byte* to, Memory* other, const std::byte* from, std::size_t bytes) override;
    void awaitBorrowed() override;
    [[nodiscard]] bool isReached() const override;

    // Returns what an operation needs besides tensors, from memory that is there already.

    /// Copies a few numbers of the host for the next recorded work. The copy stays until three times as many
    /// bytes have been copied after it. Returns address 0 for no numbers.
    [[nodiscard]] GpuAddress copyForNextWork(std::span<const std::byte> numbers);
    /// Returns room for `bytes` for the next recorded work, until another call. Aligned as tensors are.
    [[nodiscard]] GpuAddress roomForNextWork(std::size_t bytes);

    [[nodiscard]] std::size_t used() const { return m_pool->used() + m_streamed.used(); }
    [[nodiscard]] std::size_t peak() const { return m_pool->peak() + m_streamed.pool().peak(); }
    /// Returns the bytes taken of the GPU at most: of buffers, whose tensors leave gaps.
    [[nodiscard]] std::size_t peakHeld() const { return m_pool->peakHeld() + m_streamed.pool().peakHeld(); }

    /// Returns why some of what the GPU exchanges went through its own buffer although it was opened to
    /// import memory of the host's; empty when nothing did.
    [[nodiscard]] const Sentence& whyStaged() const { return m_imports.refusal(); }

    /// Between two stages of a run: gives back what is idle, waits for the GPU, and forgets the peaks.
    void beginStage();

  private:
    GpuStream& m_stream;
    std::shared_ptr<GpuPool> m_pool;
    GpuStaging m_staging;
    GpuStreamedMemory m_streamed;
    SharedHostImports m_imports;
    std::int64_t m_borrowed = 0;            // submission that reads what was borrowed last; 0: none
    std::unique_ptr<GpuBuffer> m_copies;    // buffer of copyForNextWork(), used as a ring
    std::unique_ptr<GpuBuffer> m_outgrown;  // the one before: what is recorded next may read it
    std::size_t m_nextCopy = 0;             // byte of m_copies
    std::shared_ptr<std::byte> m_room;
    std::size_t m_roomBytes = 0;
};

}  // namespace meshreel
