// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/attention/head_rows.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

enum class HeadOrder : std::uint8_t {
    ByToken,  ///< [batch, tokens, heads, headDim], as projections give and take it
    ByHead,   ///< [batch, heads, tokens, headDim], which kernels read fastest
};

/// One row for each head of each token, f32 or bf16. Copying it shares its memory.
struct HeadTensor {
    Tensor data;
    HeadOrder order = HeadOrder::ByToken;

    /// Returns the shape of a tensor in that order.
    static Shape shapeOf(HeadOrder order, std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                         std::int64_t headDim);

    [[nodiscard]] std::int64_t batch() const { return data.extent(0); }
    [[nodiscard]] std::int64_t tokens() const { return data.extent(order == HeadOrder::ByToken ? 1 : 2); }
    [[nodiscard]] std::int64_t heads() const { return data.extent(order == HeadOrder::ByToken ? 2 : 1); }
    [[nodiscard]] std::int64_t headDim() const { return data.extent(3); }

    /// Returns the shape with another number of tokens.
    [[nodiscard]] Shape shapeWith(std::int64_t tokens) const;

    /// Returns the rows of one head of one batch element, from `token` on.
    [[nodiscard]] HeadRows rows(std::int64_t batch, std::int64_t token, std::int64_t head) const;
    [[nodiscard]] OutputRows outputRows(std::int64_t batch, std::int64_t token, std::int64_t head);
};

/// Returns the beginning of a buffer's memory under another shape, which must fit.
HeadTensor takeFront(const HeadTensor& buffer, Shape shape);

}  // namespace meshreel
