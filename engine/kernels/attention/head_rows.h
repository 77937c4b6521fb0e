// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/base/number_types.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Rows side by side or `stride` elements apart.
template <typename Real>
struct Rows {
    const Real* data = nullptr;
    std::int64_t stride = 0;
    [[nodiscard]] const Real* row(std::int64_t index) const { return data + index * stride; }
    [[nodiscard]] Rows from(std::int64_t index) const { return {row(index), stride}; }
};

using FloatRows = Rows<float>;

/// Rows of one head in memory that it does not own, f32 or bf16, each `stride` elements after the previous
/// one.
class HeadRows {
  public:
    HeadRows() = default;
    HeadRows(const float* data, std::int64_t stride) : m_data(data), m_stride(stride) {}
    HeadRows(const BFloat16* data, std::int64_t stride)
        : m_data(data), m_stride(stride), m_type(DType::BF16) {}

    /// `data` points to elements of `type`. Throws Error{Internal} when that is neither f32 nor bf16.
    HeadRows(const void* data, DType type, std::int64_t stride);

    [[nodiscard]] bool present() const { return m_data != nullptr; }
    [[nodiscard]] DType type() const { return m_type; }
    [[nodiscard]] std::int64_t stride() const { return m_stride; }

    /// Returns the rows from `index` on.
    [[nodiscard]] HeadRows from(std::int64_t index) const;

    /// Returns the f32 rows. Throws Error{Internal} for bf16 ones.
    [[nodiscard]] FloatRows floats() const;

    /// Returns the bf16 rows. Throws Error{Internal} for f32 ones.
    [[nodiscard]] Rows<BFloat16> narrow() const;

    /// Row `index` as f32 of `to.size()` elements.
    void read(std::int64_t index, std::span<float> to) const;

  private:
    const void* m_data = nullptr;
    std::int64_t m_stride = 0;
    DType m_type = DType::F32;
};

/// Rows to write, f32 or bf16, each `stride` elements after the one before.
class OutputRows {
  public:
    OutputRows(float* data, std::int64_t stride) : m_data(data), m_stride(stride) {}
    OutputRows(BFloat16* data, std::int64_t stride) : m_data(data), m_stride(stride), m_type(DType::BF16) {}

    /// `data` points to elements of `type`. Throws Error{Internal} when that is neither f32 nor bf16.
    OutputRows(void* data, DType type, std::int64_t stride);

    /// values · factor, rounded to the rows' type, into row `index`.
    void write(std::int64_t index, std::span<const float> values, float factor) const;

  private:
    void* m_data = nullptr;
    std::int64_t m_stride = 0;
    DType m_type = DType::F32;
};

/// What the softmax raises to the power of the scores: e of q·k·scale, or 2 of q·k·scale·log2 e. The same
/// weights either way.
enum class ExponentBase : std::uint8_t { Natural, Two };

/// The largest score of a query whose keys are none or all masked.
inline constexpr float noKey = -std::numeric_limits<float>::infinity();

/// Softmax attention of some query rows over some of the keys, not yet normalised. Over all keys the result
/// is output/sum; partials over disjoint keys merge exactly, in any order, whichever kernel they come from.
/// "exp" and "score" are those of `base`. Must end on the thread that computed it.
struct AttentionPartial {
    /// Resets to the attention of `queryCount` rows over no keys.
    void reset(std::int64_t queryCount, std::int64_t width,
               ExponentBase exponentBase = ExponentBase::Natural);

    std::int64_t queries = 0;
    std::int64_t headDim = 0;
    ExponentBase base = ExponentBase::Natural;
    ScratchVector<float> output;   ///< [queries, headDim]: Σ exp(score - maximum)·value
    ScratchVector<float> maximum;  ///< [queries]: what was subtracted from the scores: their largest or just
                                   ///< above it, so that sum is never small; -infinity when no key is valid
    ScratchVector<float> sum;      ///< [queries]: Σ exp(score - maximum)
};

/// Adds the keys of `part` to those queries of `into` that it holds, which are the ones from `first` on.
/// Throws Error{Internal} when their bases differ.
void mergePartials(AttentionPartial& into, const AttentionPartial& part, std::int64_t first = 0);

/// output/sum into `out`; rows without any valid key become zeros. `places`: the row of each query; nullptr:
/// query i is row i.
void finalizePartial(const AttentionPartial& partial, const OutputRows& out,
                     const std::int32_t* places = nullptr);
void finalizePartial(const AttentionPartial& partial, float* out, std::int64_t stride);

}  // namespace meshreel
