// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/memory_block.h"

#include <algorithm>
#include <cstring>

#include "engine/base/worker_pool.h"

namespace meshreel {

namespace {

/// Below this a copy is done sooner than a team is woken up.
constexpr std::int64_t shareFromBytes = 1 << 20;

/// What workers divide: a multiple of every element's size, and of a cache line.
constexpr std::int64_t shareUnit = 4096;

/// Describes the same bytes in as few, as long rows as possible.
template <typename Byte>
BasicBlock<Byte> merged(BasicBlock<Byte> block) {
    if (block.rows == 1 || block.rowStride == block.rowBytes) {
        block.rowBytes *= block.rows;
        block.rows = block.planes;
        block.rowStride = block.planeStride;
        block.planes = 1;
        if (block.rows == 1 || block.rowStride == block.rowBytes) {
            block.rowBytes *= block.rows;
            block.rows = 1;
        }
    }
    return block;
}

/// Walks over the bytes of a block from the one at `offset`.
template <typename Byte>
class Cursor {
  public:
    Cursor(const BasicBlock<Byte>& block, std::int64_t offset)
        : m_block(block),
          m_column(offset % block.rowBytes),
          m_row(offset / block.rowBytes % block.rows),
          m_plane(offset / block.rowBytes / block.rows) {}

    [[nodiscard]] Byte* data() const {
        return m_block.data + m_plane * m_block.planeStride + m_row * m_block.rowStride + m_column;
    }
    [[nodiscard]] std::int64_t leftInRow() const { return m_block.rowBytes - m_column; }

    /// Advances by no more than is left in the row.
    void advance(std::int64_t bytes) {
        m_column += bytes;
        if (m_column < m_block.rowBytes)
            return;
        m_column = 0;
        if (++m_row < m_block.rows)
            return;
        m_row = 0;
        ++m_plane;
    }

  private:
    BasicBlock<Byte> m_block;
    std::int64_t m_column;
    std::int64_t m_row;
    std::int64_t m_plane;
};

void addFloats(const std::byte* from, std::byte* to, std::int64_t bytes) {
    const auto* source = reinterpret_cast<const float*>(from);
    auto* target = reinterpret_cast<float*>(to);
    const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(float));
    for (std::int64_t i = 0; i < count; ++i)
        target[i] += source[i];
}

/// Bytes [begin, end) of both, which are not empty.
void copyBytes(const ConstBlock& from, const Block& to, Combine combine, std::int64_t begin,
               std::int64_t end) {
    Cursor source(from, begin);
    Cursor target(to, begin);
    while (begin < end) {
        const std::int64_t run = std::min({source.leftInRow(), target.leftInRow(), end - begin});
        if (combine == Combine::AddFloats)
            addFloats(source.data(), target.data(), run);
        else
            std::memcpy(target.data(), source.data(), static_cast<std::size_t>(run));
        source.advance(run);
        target.advance(run);
        begin += run;
    }
}

}  // namespace

void copyBlock(const ConstBlock& from, const Block& to, Combine combine) {
    if (from.bytes() > 0)
        copyBytes(merged(from), merged(to), combine, 0, from.bytes());
}

void copyBlock(const ConstBlock& from, const Block& to, Combine combine, WorkerPool& workers) {
    const std::int64_t bytes = from.bytes();
    if (bytes < shareFromBytes || workers.size() == 1) {
        copyBlock(from, to, combine);
        return;
    }
    const ConstBlock source = merged(from);
    const Block target = merged(to);
    workers.parallelFor((bytes + shareUnit - 1) / shareUnit, [&](std::int64_t begin, std::int64_t end) {
        copyBytes(source, target, combine, begin * shareUnit, std::min(bytes, end * shareUnit));
    });
}

}  // namespace meshreel
