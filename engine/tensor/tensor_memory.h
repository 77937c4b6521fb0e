// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace meshreel {

/// Frees what allocateAligned() gave.
struct AlignedMemoryDeleter {
    std::size_t alignment = 0;
    void operator()(std::byte* memory) const;
};

using AlignedMemory = std::unique_ptr<std::byte, AlignedMemoryDeleter>;

/// Returns what an allocation of `bytes` takes: whole cache lines, one at least.
std::size_t alignedSize(std::size_t bytes);

/// Uninitialised, aligned to a cache line (64 bytes, also one AVX-512 register). From several MiB on, aligned
/// to huge pages, which the system is asked for: fewer faults when it is first written, fewer misses when it
/// is walked through. Throws std::bad_alloc.
AlignedMemory allocateAligned(std::size_t bytes);

/// Bytes of the tensors that a device holds, now and at most.
class MemoryMeter {
  public:
    [[nodiscard]] std::size_t current() const { return m_current.load(); }
    [[nodiscard]] std::size_t peak() const { return m_peak.load(); }

    void add(std::size_t bytes);
    void remove(std::size_t bytes) { m_current -= bytes; }

  private:
    std::atomic<std::size_t> m_current = 0;
    std::atomic<std::size_t> m_peak = 0;
};

/// Returns uninitialised memory as of allocateAligned(), which counts towards the thread's meter.
std::shared_ptr<std::byte> allocateMetered(std::size_t bytes);

/// Returns the memory so that `bytes` of it count towards the thread's meter until it is freed.
std::shared_ptr<std::byte> countToMeter(std::shared_ptr<std::byte> memory, std::size_t bytes);

/// While it exists, tensors allocated by this thread count towards `meter`, and are subtracted when they are
/// freed, wherever that happens. Scopes nest; the innermost counts.
class MeterScope {
  public:
    explicit MeterScope(std::shared_ptr<MemoryMeter> meter);
    ~MeterScope();
    MeterScope(const MeterScope&) = delete;
    MeterScope& operator=(const MeterScope&) = delete;

  private:
    std::shared_ptr<MemoryMeter> m_before;
};

/// Returns the meter of the innermost scope of this thread, or null.
const std::shared_ptr<MemoryMeter>& currentMeter();

}  // namespace meshreel
