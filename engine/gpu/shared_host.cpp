// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/shared_host.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/gpu/vulkan_library.h"

namespace meshreel {
namespace {

/// Whether a GPU takes no more memory of the host's, or not this, and works on.
bool isOfImports(VkResult result) {
    return isOutOfMemory(result) || result == VK_ERROR_INVALID_EXTERNAL_HANDLE ||
           result == VK_ERROR_TOO_MANY_OBJECTS;
}

}  // namespace

SharedHost::Block::Block(std::size_t bytes)
    : memory(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment})), bytes) {}

SharedHost::Block::~Block() {
    ::operator delete (memory.data(), std::align_val_t{alignment});
}

SharedHost& SharedHost::ofThisProcess() {
    static SharedHost memory;
    return memory;
}

std::shared_ptr<std::byte> SharedHost::allocate(std::size_t bytes) {
    const std::size_t size = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    constexpr std::size_t mostWaste = 2;  // a large block does not go to a small tensor
    const std::lock_guard lock(m_mutex);
    std::shared_ptr<Block> best;
    for (const std::shared_ptr<Block>& block : m_blocks)
        if (!block->isTaken && block->memory.size() >= size && block->memory.size() <= mostWaste * size &&
            (best == nullptr || block->memory.size() < best->memory.size()))
            best = block;
    if (best == nullptr)
        best = m_blocks.emplace_back(std::make_shared<Block>(size));
    best->isTaken = true;
    return {best->memory.data(), [this, best](std::byte* /*begin*/) {
                const std::lock_guard giving(m_mutex);
                best->isTaken = false;
            }};
}

std::shared_ptr<SharedHost::Block> SharedHost::find(std::span<const std::byte> range) const {
    const std::lock_guard lock(m_mutex);
    for (const std::shared_ptr<Block>& block : m_blocks)
        if (range.data() >= block->memory.data() &&
            range.data() + range.size() <= block->memory.data() + block->memory.size())
            return block;
    return nullptr;
}

void SharedHost::shrink() {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_blocks, [](const std::shared_ptr<Block>& block) {
        return !block->isTaken && block.use_count() == 1;
    });
}

std::optional<SharedHostImports::Place> SharedHostImports::find(std::span<const std::byte> range) {
    if (m_isRefused || m_gpu.hostAlignment() == 0 || SharedHost::alignment % m_gpu.hostAlignment() != 0)
        return std::nullopt;
    std::shared_ptr<SharedHost::Block> block = SharedHost::ofThisProcess().find(range);
    if (block == nullptr)
        return std::nullopt;
    const std::span<std::byte> memory = block->memory;
    Import& made = m_imports[memory.data()];
    if (made.buffer == nullptr) {
        try {
            made = {.block = std::move(block), .buffer = std::make_unique<GpuBuffer>(m_gpu, memory)};
        } catch (const VulkanFailure& failure) {
            m_imports.erase(memory.data());
            if (!isOfImports(failure.result()))
                throw;
            // The system limits what a process may pin. Copies go through the GPU's own buffer then.
            m_isRefused = true;
            if (m_refusal.empty())
                m_refusal = failure.message();
            return std::nullopt;
        } catch (...) {
            m_imports.erase(memory.data());
            throw;
        }
    }
    return Place{.buffer = made.buffer.get(),
                 .offset = static_cast<std::size_t>(range.data() - memory.data())};
}

void SharedHostImports::clear() {
    m_imports.clear();
    m_isRefused = false;
    SharedHost::ofThisProcess().shrink();
}

}  // namespace meshreel
