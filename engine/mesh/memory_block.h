// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace meshreel {

class WorkerPool;

/// Bytes laid out in planes of rows: plane p, row r begins at data + p·planeStride + r·rowStride and is
/// rowBytes long. Strides are in bytes. What a collective sends or receives; both ends need as many bytes in
/// all, not the same layout.
template <typename Byte>
struct BasicBlock {
    Byte* data = nullptr;
    std::int64_t rowBytes = 0;
    std::int64_t rows = 1;
    std::int64_t rowStride = 0;
    std::int64_t planes = 1;
    std::int64_t planeStride = 0;

    [[nodiscard]] std::int64_t bytes() const { return rowBytes * rows * planes; }
};

using Block = BasicBlock<std::byte>;
using ConstBlock = BasicBlock<const std::byte>;

inline ConstBlock asConst(const Block& block) {
    return {block.data, block.rowBytes, block.rows, block.rowStride, block.planes, block.planeStride};
}

/// Returns all of `values`, side by side.
template <typename T>
Block toBlock(std::span<T> values) {
    return {reinterpret_cast<std::byte*>(values.data()), static_cast<std::int64_t>(values.size_bytes())};
}
template <typename T>
ConstBlock toBlock(std::span<const T> values) {
    return {reinterpret_cast<const std::byte*>(values.data()),
            static_cast<std::int64_t>(values.size_bytes())};
}

/// What happens to received bytes.
enum class Combine : std::uint8_t {
    Replace,
    AddFloats,  ///< the block holds f32 values, which are added to those already there
    Borrow,     ///< nothing is copied: the receiver reads the sender's memory (Loans)
};

/// Copies (or adds) `from` into `to`; both have as many bytes in all, row by row in order.
void copyBlock(const ConstBlock& from, const Block& to, Combine combine = Combine::Replace);

/// Copies with a team, if there is enough to copy.
void copyBlock(const ConstBlock& from, const Block& to, Combine combine, WorkerPool& workers);

}  // namespace meshreel
