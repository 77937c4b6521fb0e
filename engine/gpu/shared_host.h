// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/gpu/gpu.h"

namespace meshreel {

/// Memory of the host's that GPUs import, for what they exchange: one copies to it, another one from it. What
/// was given up is given out again, because importing takes long. Threads may share it.
class SharedHost {
  public:
    /// Blocks begin and end at multiples of it: no GPU wants more.
    static constexpr std::size_t alignment = std::size_t{64} << 10;

    struct Block {
        explicit Block(std::size_t bytes);
        ~Block();
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;

        std::span<std::byte> memory;
        bool isTaken = false;
    };

    /// Returns the one that the GPUs of this process share.
    static SharedHost& ofThisProcess();

    /// Uninitialised. Throws std::bad_alloc.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes);
    /// Returns the block that a range lies in; null: it is other memory.
    [[nodiscard]] std::shared_ptr<Block> find(std::span<const std::byte> range) const;
    /// Frees what nobody has taken and no GPU has imported.
    void shrink();

  private:
    mutable std::mutex m_mutex;
    std::vector<std::shared_ptr<Block>> m_blocks;
};

/// What one GPU has imported of it. For its thread.
class SharedHostImports {
  public:
    explicit SharedHostImports(const Gpu& gpu) : m_gpu(gpu) {}

    /// A range as the GPU copies it.
    struct Place {
        const GpuBuffer* buffer;
        std::size_t offset;
    };
    /// Returns a range of the host's, imported now if it was not; nothing where it is other memory, or the
    /// GPU takes no more until clear(). Throws Error{Device} for what is no matter of memory.
    [[nodiscard]] std::optional<Place> find(std::span<const std::byte> range);
    /// Gives up all, when the GPU is idle. One that took no more is asked again.
    void clear();
    /// Returns why the GPU took no more at some time; empty when it took all.
    [[nodiscard]] const Sentence& refusal() const { return m_refusal; }

  private:
    struct Import {
        std::shared_ptr<SharedHost::Block> block;
        std::unique_ptr<GpuBuffer> buffer;
    };

    const Gpu& m_gpu;
    bool m_isRefused = false;
    Sentence m_refusal;
    std::map<const std::byte*, Import> m_imports;  // by the block's beginning
};

}  // namespace meshreel
