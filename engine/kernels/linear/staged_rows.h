// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/scratch_buffer.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// Rows of another matrix where oneDNN can read or write them: side by side, at least `rows` of them.
class StagedRows {
  public:
    /// Uninitialised; what an earlier call gave is no longer valid.
    MatrixSpan take(std::int64_t rows, std::int64_t width, DType type);

    /// The rows of x as `type`; rows and columns that x lacks are zeros.
    MatrixView fill(const MatrixView& x, std::int64_t rows, std::int64_t width, DType type);

  private:
    ScratchBuffer m_memory;
};

/// Row `index` of `from`, converted to the type of `to`, whose other columns stay as they are.
void copyRow(const MatrixView& from, std::int64_t index, const MatrixSpan& to);

}  // namespace meshreel
