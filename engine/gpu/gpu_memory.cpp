// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/owner_allocator.h"
#include "engine/tensor/tensor_memory.h"

namespace meshreel {
namespace {

std::size_t pieceSize(std::size_t bytes) {
    constexpr std::size_t step = GpuPool::pieceAlignment;
    return (std::max<std::size_t>(bytes, 1) + step - 1) / step * step;
}

GpuAddress addressAt(const std::byte* place) {
    return reinterpret_cast<GpuAddress>(place);
}

}  // namespace

class GpuPool::Blocks {
  public:
    Blocks(std::shared_ptr<const Gpu> gpu, std::size_t blockBytes)
        : m_gpu(std::move(gpu)), m_blockBytes(blockBytes) {}

    GpuAddress take(std::size_t size) {
        const std::lock_guard lock(m_mutex);
        Block* best = nullptr;
        Gaps::iterator gap;
        for (auto& [start, block] : m_all)
            for (auto at = block.gaps.begin(); at != block.gaps.end(); ++at)
                if (at->bytes >= size && (best == nullptr || at->bytes < gap->bytes)) {
                    best = &block;
                    gap = at;
                }
        if (best == nullptr) {
            auto buffer = std::make_unique<GpuBuffer>(*m_gpu, size > m_blockBytes / 2 ? size : m_blockBytes,
                                                      GpuPlace::Device);
            const GpuAddress start = buffer->address();
            const std::size_t bytes = buffer->bytes();
            best = &m_all[start];
            best->buffer = std::move(buffer);
            m_held += bytes;
            m_peakHeld = std::max(m_peakHeld, m_held);
            best->gaps.push_back({.offset = 0, .bytes = bytes});
            gap = best->gaps.begin();
        }
        const std::size_t offset = gap->offset;
        if (gap->bytes > size)
            *gap = {.offset = offset + size, .bytes = gap->bytes - size};
        else
            best->gaps.erase(gap);
        m_used += size;
        m_peak = std::max(m_peak, m_used);
        return best->buffer->address() + offset;
    }

    void giveBack(GpuAddress address, std::size_t size) {
        const std::lock_guard lock(m_mutex);
        const auto block = containing(address);
        Gaps& gaps = block->second.gaps;
        m_used -= size;
        const Gap freed{.offset = address - block->first, .bytes = size};
        const auto behind = std::ranges::lower_bound(gaps, freed.offset, {}, &Gap::offset);
        const bool touchesBehind = behind != gaps.end() && freed.end() == behind->offset;
        if (behind != gaps.begin() && std::prev(behind)->end() == freed.offset) {
            std::prev(behind)->bytes += size + (touchesBehind ? behind->bytes : 0);
            if (touchesBehind)
                gaps.erase(behind);
        } else if (touchesBehind) {
            *behind = {.offset = freed.offset, .bytes = size + behind->bytes};
        } else {
            gaps.insert(behind, freed);
        }
    }

    bool shrink() {
        const std::lock_guard lock(m_mutex);
        return std::erase_if(m_all, [this](const auto& entry) {
                   const Block& block = entry.second;
                   const std::size_t bytes = block.buffer->bytes();
                   const bool isIdle = block.gaps.size() == 1 && block.gaps.front().bytes == bytes;
                   m_held -= isIdle ? bytes : 0;
                   return isIdle;
               }) > 0;
    }

    Place find(GpuAddress address) {
        const std::lock_guard lock(m_mutex);
        const auto block = containing(address);
        return {*block->second.buffer, static_cast<std::size_t>(address - block->first)};
    }

    std::size_t used() {
        const std::lock_guard lock(m_mutex);
        return m_used;
    }

    std::size_t peak() {
        const std::lock_guard lock(m_mutex);
        return m_peak;
    }

    std::size_t peakHeld() {
        const std::lock_guard lock(m_mutex);
        return m_peakHeld;
    }

    void forgetPeaks() {
        const std::lock_guard lock(m_mutex);
        m_peak = m_used;
        m_peakHeld = m_held;
    }

  private:
    struct Gap {
        std::size_t offset;
        std::size_t bytes;

        [[nodiscard]] std::size_t end() const { return offset + bytes; }
    };
    using Gaps = std::vector<Gap>;  // in order, none beside another
    struct Block {
        std::unique_ptr<GpuBuffer> buffer;
        Gaps gaps;
    };

    std::map<GpuAddress, Block>::iterator containing(GpuAddress address) {
        auto behind = m_all.upper_bound(address);
        if (behind == m_all.begin() ||
            address - std::prev(behind)->first >= std::prev(behind)->second.buffer->bytes())
            throw Error(ErrorKind::Internal, "an address on a GPU lies in none of its buffers");
        return std::prev(behind);
    }

    std::shared_ptr<const Gpu> m_gpu;
    std::size_t m_blockBytes;
    std::mutex m_mutex;
    std::map<GpuAddress, Block> m_all;
    std::size_t m_used = 0;
    std::size_t m_peak = 0;
    std::size_t m_held = 0;
    std::size_t m_peakHeld = 0;
};

GpuPool::GpuPool(std::shared_ptr<const Gpu> gpu, std::size_t blockBytes)
    : m_blocks(std::make_unique<Blocks>(std::move(gpu), blockBytes)) {}
GpuPool::~GpuPool() = default;

GpuAddress GpuPool::take(std::size_t bytes) {
    return m_blocks->take(pieceSize(bytes));
}

void GpuPool::giveBack(GpuAddress address, std::size_t bytes) {
    m_blocks->giveBack(address, pieceSize(bytes));
}

bool GpuPool::shrink() {
    return m_blocks->shrink();
}

GpuPool::Place GpuPool::find(GpuAddress address) const {
    return m_blocks->find(address);
}

std::size_t GpuPool::used() const {
    return m_blocks->used();
}

std::size_t GpuPool::peak() const {
    return m_blocks->peak();
}

std::size_t GpuPool::peakHeld() const {
    return m_blocks->peakHeld();
}

void GpuPool::forgetPeaks() {
    m_blocks->forgetPeaks();
}

namespace {

void copyInPool(GpuStream& stream, const GpuPool& pool, std::byte* to, const std::byte* from,
                std::size_t bytes) {
    if (bytes == 0)
        return;
    const GpuPool::Place source = pool.find(addressAt(from));
    const GpuPool::Place target = pool.find(addressAt(to));
    stream.copy(source.buffer, target.buffer, bytes, source.offset, target.offset);
}

}  // namespace

/// When the copies that used it are done.
void GpuStaging::turnToOtherHalf() {
    m_lastUse.at(m_half) = m_stream.submit();
    m_half = 1 - m_half;
    m_staged = 0;
    m_stream.await(m_lastUse.at(m_half));
}

void GpuStaging::copyIn(const GpuPool::Place& to, std::span<const std::byte> from) {
    for (std::size_t done = 0; done < from.size();) {
        if (m_staged == halfBytes)
            turnToOtherHalf();
        const std::size_t count = std::min(from.size() - done, halfBytes - m_staged);
        const std::size_t at = halfBegin() + m_staged;
        std::memcpy(m_buffer.mapped().data() + at, from.data() + done, count);
        m_stream.copy(m_buffer, to.buffer, count, at, to.offset + done);
        m_staged = std::min(halfBytes, m_staged + pieceSize(count));
        done += count;
    }
}

void GpuStaging::copyOut(std::span<std::byte> to, const GpuPool::Place& from) {
    struct Part {
        std::size_t first = 0;  // byte of what is copied
        std::size_t count = 0;
        std::size_t at = 0;  // in the staging buffer
        std::int64_t submission = 0;
    };
    const auto receive = [&](const Part& part) {
        m_stream.await(part.submission);
        std::memcpy(to.data() + part.first, m_buffer.mapped().data() + part.at, part.count);
    };
    Part before;
    for (std::size_t sent = 0; sent < to.size();) {
        turnToOtherHalf();
        const std::size_t count = std::min(to.size() - sent, halfBytes);
        m_stream.copy(from.buffer, m_buffer, count, from.offset + sent, halfBegin());
        m_staged = halfBytes;  // nothing else fits there
        const Part part{.first = sent, .count = count, .at = halfBegin(), .submission = m_stream.submit()};
        if (before.count > 0)
            receive(before);
        before = part;
        sent += count;
    }
    receive(before);
}

/// What tensors have given up, in this order, and the submission that may be the last to read it.
struct GpuStreamedMemory::Freed {
    static constexpr std::int64_t unknown = -1;
    struct Piece {
        GpuAddress address;
        std::size_t bytes;
        std::int64_t submission = unknown;
    };
    std::mutex mutex;
    std::deque<Piece> pieces;
    std::size_t bytes = 0;  // of all pieces

    void giveFrontBack(GpuPool& pool) {
        pool.giveBack(pieces.front().address, pieces.front().bytes);
        bytes -= pieceSize(pieces.front().bytes);
        pieces.pop_front();
    }
};

GpuStreamedMemory::GpuStreamedMemory(ComputeDevice& device, std::shared_ptr<const Gpu> gpu,
                                     GpuStream& computes, GpuStream& copies, std::size_t blockBytes)
    : m_device(device),
      m_computes(computes),
      m_copies(copies),
      m_pool(std::make_shared<GpuPool>(std::move(gpu), blockBytes)),
      m_freed(std::make_shared<Freed>()) {}

/// What was last read by an earlier submission: it is awaited.
void GpuStreamedMemory::giveBackBefore(std::int64_t submission) {
    const std::lock_guard lock(m_freed->mutex);
    std::deque<Freed::Piece>& pieces = m_freed->pieces;
    while (!pieces.empty() && pieces.front().submission < submission) {
        m_computes.await(pieces.front().submission);
        m_freed->giveFrontBack(*m_pool);
    }
}

std::shared_ptr<std::byte> GpuStreamedMemory::allocate(std::size_t bytes) {
    std::int64_t latest = 0;
    {
        const std::lock_guard lock(m_freed->mutex);
        for (Freed::Piece& piece : m_freed->pieces)
            if (piece.submission == Freed::unknown)
                piece.submission = m_computes.submit();
        if (!m_freed->pieces.empty())
            latest = m_freed->pieces.back().submission;
    }
    giveBackBefore(latest);
    GpuAddress address = 0;
    try {
        address = m_pool->take(bytes);
    } catch (const Error&) {
        if (!shrink())
            throw;
        address = m_pool->take(bytes);
    }
    return {reinterpret_cast<std::byte*>(address), [pool = m_pool, freed = m_freed, bytes](std::byte* place) {
                const std::lock_guard lock(freed->mutex);
                freed->pieces.push_back({.address = addressAt(place), .bytes = bytes});
                freed->bytes += pieceSize(bytes);
            }};
}

void GpuStreamedMemory::copyIn(std::byte* to, std::span<const std::byte> from) {
    if (from.empty())
        return;
    if (!m_staging)
        m_staging.emplace(m_copies);
    m_staging->copyIn(m_pool->find(addressAt(to)), from);
}

void GpuStreamedMemory::copyOut(std::span<std::byte> /*to*/, const std::byte* /*from*/) {
    throw Error(ErrorKind::Internal, "weights that are streamed to a GPU are not read back");
}

void GpuStreamedMemory::copyWithin(std::byte* to, const std::byte* from, std::size_t bytes) {
    copyInPool(m_copies, *m_pool, to, from, bytes);
}

bool GpuStreamedMemory::shrink() {
    m_copies.finish();
    m_computes.finish();
    bool any = false;
    {
        const std::lock_guard lock(m_freed->mutex);
        for (any = !m_freed->pieces.empty(); !m_freed->pieces.empty();)
            m_freed->giveFrontBack(*m_pool);
    }
    return m_pool->shrink() || any;
}

std::size_t GpuStreamedMemory::used() const {
    const std::lock_guard lock(m_freed->mutex);
    return m_pool->used() - m_freed->bytes;
}

GpuMemory::GpuMemory(ComputeDevice& device, const std::shared_ptr<const Gpu>& gpu, GpuStream& stream,
                     GpuStream& copies, std::size_t blockBytes)
    : m_stream(stream),
      m_pool(std::make_shared<GpuPool>(gpu, blockBytes)),
      m_staging(stream),
      m_streamed(device, gpu, stream, copies, blockBytes),
      m_imports(*gpu) {}

std::shared_ptr<std::byte> GpuMemory::allocate(std::size_t bytes) {
    GpuAddress address = 0;
    try {
        address = m_pool->take(bytes);
    } catch (const Error&) {
        // What lies idle in buffers of other sizes may be all that is missing.
        m_stream.finish();
        const bool streamed = m_streamed.shrink();
        if (!m_pool->shrink() && !streamed)
            throw;
        address = m_pool->take(bytes);
    }
    return {reinterpret_cast<std::byte*>(address),
            [pool = m_pool.get(), bytes](std::byte* place) { pool->giveBack(addressAt(place), bytes); },
            OwnerAllocator<std::byte>({m_pool, &m_pool->owners()})};
}

GpuAddress GpuMemory::copyForNextWork(std::span<const std::byte> numbers) {
    constexpr std::size_t usualBytes = std::size_t{1} << 20;
    constexpr std::size_t copiesThatStay = 4;
    if (numbers.empty())
        return 0;
    const std::size_t bytes = pieceSize(numbers.size());
    if (!m_copies || m_copies->bytes() < copiesThatStay * bytes) {
        if (m_outgrown)
            m_stream.finish();  // may read it
        m_outgrown = std::move(m_copies);
        m_copies = std::make_unique<GpuBuffer>(m_stream.gpu(), std::max(usualBytes, copiesThatStay * bytes),
                                               GpuPlace::Device);
        m_nextCopy = 0;
    }
    if (m_nextCopy + bytes > m_copies->bytes())
        m_nextCopy = 0;
    m_staging.copyIn({*m_copies, m_nextCopy}, numbers);
    return m_copies->address() + std::exchange(m_nextCopy, m_nextCopy + bytes);
}

GpuAddress GpuMemory::roomForNextWork(std::size_t bytes) {
    if (bytes > m_roomBytes) {
        m_room.reset();  // what still uses it comes before what is recorded next
        m_roomBytes = 0;
        m_room = allocate(bytes);
        m_roomBytes = bytes;
    }
    return addressAt(m_room.get());
}

void GpuMemory::beginStage() {
    m_stream.finish();
    m_imports.clear();
    m_room.reset();
    m_roomBytes = 0;
    m_pool->shrink();
    m_pool->forgetPeaks();
    m_streamed.shrink();
    m_streamed.forgetPeaks();
}

void GpuMemory::copyIn(std::byte* to, std::span<const std::byte> from) {
    if (!from.empty())
        m_staging.copyIn(m_pool->find(addressAt(to)), from);
}

void GpuMemory::copyOut(std::span<std::byte> to, const std::byte* from) {
    if (to.empty())
        return;
    const GpuPool::Place source = m_pool->find(addressAt(from));
    if (const auto imported = m_imports.find(to)) {
        m_stream.copy(source.buffer, *imported->buffer, to.size(), source.offset, imported->offset);
        m_stream.finish();
    } else {
        m_staging.copyOut(to, source);
    }
}

std::shared_ptr<std::byte> GpuMemory::allocateOnHost(std::size_t bytes) {
    if (m_stream.gpu().exchange() != GpuExchange::SharedHost)
        return Memory::allocateOnHost(bytes);
    return countToMeter(SharedHost::ofThisProcess().allocate(bytes), bytes);
}

void GpuMemory::copyBorrowed(std::byte* to, Memory* other, const std::byte* from, std::size_t bytes) {
    const auto* peer = dynamic_cast<const GpuMemory*>(other);
    try {
        if (peer != nullptr && isReached() && peer->isReached()) {
            m_stream.copyFromPeer(addressAt(to), peer->m_stream.gpu(), addressAt(from), bytes);
        } else if (const auto imported = other == nullptr ? m_imports.find({from, bytes}) : std::nullopt) {
            const GpuPool::Place target = m_pool->find(addressAt(to));
            m_stream.copy(*imported->buffer, target.buffer, bytes, imported->offset, target.offset);
        } else {
            Memory::copyBorrowed(to, other, from, bytes);
            return;
        }
        m_borrowed = m_stream.submit();
    } catch (...) {
        m_stream.settle();  // a copy may be under way that awaitBorrowed() does not know of
        throw;
    }
}

void GpuMemory::awaitBorrowed() {
    m_stream.await(std::exchange(m_borrowed, 0));
}

bool GpuMemory::isReached() const {
    return m_stream.gpu().exchange() == GpuExchange::Peers;
}

void GpuMemory::copyWithin(std::byte* to, const std::byte* from, std::size_t bytes) {
    copyInPool(m_stream, *m_pool, to, from, bytes);
}

}  // namespace meshreel
