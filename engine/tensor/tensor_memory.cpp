// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/tensor_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace meshreel {
namespace {

constexpr std::size_t cacheLine = 64;
constexpr std::size_t hugePage = std::size_t{2} << 20;  // on x86-64
constexpr std::size_t leastForHugePages = 2 * hugePage;

thread_local std::shared_ptr<MemoryMeter> innermostMeter;

}  // namespace

std::size_t alignedSize(std::size_t bytes) {
    return (std::max<std::size_t>(bytes, 1) + cacheLine - 1) / cacheLine * cacheLine;
}

void AlignedMemoryDeleter::operator()(std::byte* memory) const {
    ::operator delete (memory, std::align_val_t{alignment});
}

AlignedMemory allocateAligned(std::size_t bytes) {
    const bool huge = bytes >= leastForHugePages;
    const std::size_t alignment = huge ? hugePage : cacheLine;
    const std::size_t size = alignedSize(bytes);
    auto* memory = static_cast<std::byte*>(::operator new (size, std::align_val_t{alignment}));
    // The last page may be shared with others' memory. Where the system has none, small ones serve.
    if (huge)
        ::madvise(memory, size / hugePage * hugePage, MADV_HUGEPAGE);
    return AlignedMemory(memory, {alignment});
}

void MemoryMeter::add(std::size_t bytes) {
    const std::size_t now = m_current += bytes;
    std::size_t peak = m_peak.load();
    while (peak < now && !m_peak.compare_exchange_weak(peak, now)) {
    }
}

std::shared_ptr<std::byte> allocateMetered(std::size_t bytes) {
    AlignedMemory memory = allocateAligned(bytes);
    const std::shared_ptr<MemoryMeter> meter = currentMeter();
    const std::size_t size = alignedSize(bytes);
    if (meter)
        meter->add(size);
    return {memory.release(), [meter, size, free = memory.get_deleter()](std::byte* pointer) {
                free(pointer);
                if (meter)
                    meter->remove(size);
            }};
}

std::shared_ptr<std::byte> countToMeter(std::shared_ptr<std::byte> memory, std::size_t bytes) {
    const std::shared_ptr<MemoryMeter> meter = currentMeter();
    if (!meter)
        return memory;
    meter->add(bytes);
    std::byte* const begin = memory.get();
    return {begin, [meter, bytes, memory = std::move(memory)](std::byte* /*begin*/) mutable {
                memory.reset();
                meter->remove(bytes);
            }};
}

MeterScope::MeterScope(std::shared_ptr<MemoryMeter> meter)
    : m_before(std::exchange(innermostMeter, std::move(meter))) {}

MeterScope::~MeterScope() {
    innermostMeter = std::move(m_before);
}

const std::shared_ptr<MemoryMeter>& currentMeter() {
    return innermostMeter;
}

}  // namespace meshreel
