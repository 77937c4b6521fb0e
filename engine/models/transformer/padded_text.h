// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Text whose rows of padding are given once. Prompts end in rows of zeros, which a transformer attends to
/// like any other: they all make the same key and value, so that n of them are one whose weight is n.
struct PaddedText {
    Tensor rows;                    ///< f32 [batch, kept rows, width]
    std::int64_t lastRowCount = 1;  ///< rows of the text that it stands for

    /// text f32 [batch, rows, width].
    static PaddedText of(const Tensor& text);

    /// What was computed of the kept rows [batch, kept rows, width], for every row of the text.
    [[nodiscard]] Tensor repeated(const Tensor& kept) const;
};

}  // namespace meshreel
