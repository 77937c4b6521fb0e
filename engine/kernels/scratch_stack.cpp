// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/scratch_stack.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "engine/base/worker_pool.h"

namespace meshreel {

ScratchStack& ScratchStack::ofThisThread() {
    thread_local ScratchStack stack;
    return stack;
}

ScratchStack::Memory ScratchStack::allocate(std::size_t bytes) {
    return Memory(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment})));
}

// The smaller block goes first, so that the two are never held together.
void ScratchStack::replace(std::size_t bytes) {
    m_block.reset();
    m_bytes = 0;
    m_block = allocate(bytes);
    m_bytes = bytes;
}

std::byte* ScratchStack::take(std::size_t bytes) {
    const std::size_t size = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    const std::size_t begin = m_pieces.empty() ? 0 : m_pieces.back().end;
    const std::size_t end = begin + size;
    if (m_pieces.empty() && end > m_bytes)
        replace(end);
    Memory own = end > m_bytes ? allocate(size) : Memory();
    std::byte* const memory = own ? own.get() : m_block.get() + begin;
    m_pieces.push_back({.end = end, .at = memory, .own = std::move(own)});
    m_most = std::max(m_most, end);
    return memory;
}

void ScratchStack::give(const std::byte* memory) noexcept {
    const auto piece = std::ranges::find(m_pieces.rbegin(), m_pieces.rend(), memory, &Piece::at);
    if (piece == m_pieces.rend())
        std::terminate();  // another thread's
    piece->at = nullptr;
    piece->own.reset();
    while (!m_pieces.empty() && m_pieces.back().at == nullptr)
        m_pieces.pop_back();
    if (!m_pieces.empty() || m_most <= m_bytes)
        return;
    try {
        replace(m_most);
    } catch (const std::bad_alloc&) {
        m_most = 0;  // whoever needs it asks again
    }
}

void ScratchStack::release() noexcept {
    if (!m_pieces.empty())
        return;
    m_block.reset();
    m_bytes = 0;
    m_most = 0;
}

void freeScratch(WorkerPool& workers) {
    workers.onEachWorker([] { ScratchStack::ofThisThread().release(); });
}

}  // namespace meshreel
