// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution_frame.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "engine/base/number_types.h"

namespace meshreel {
namespace {

template <typename From, typename To>
void copyValues(std::span<const From> from, To* to) {
    const std::span<To> target{to, from.size()};
    if constexpr (std::is_same_v<From, To>)
        std::ranges::copy(from, target.begin());
    else
        convert(from, target);
}

/// Rows [first, first + count) of a matrix, side by side.
template <typename From, typename To>
void copyPixels(const MatrixView& pixels, std::int64_t first, std::int64_t count, To* to) {
    if (pixels.stride() == pixels.width()) {
        const From* from = static_cast<const From*>(pixels.data()) + first * pixels.width();
        copyValues(std::span{from, static_cast<std::size_t>(count * pixels.width())}, to);
        return;
    }
    for (std::int64_t pixel = first; pixel < first + count; ++pixel, to += pixels.width())
        copyValues(pixels.row<From>(pixel), to);
}

template <typename From, typename To>
class PatchRow {
  public:
    PatchRow(const ConvolutionFrame& frame, std::int64_t row, std::int64_t width, To* to)
        : m_frame(frame), m_row(row), m_width(width), m_to(to) {}

    /// Source columns [begin, end).
    void gather(std::int64_t begin, std::int64_t end) {
        zeros(std::min<std::int64_t>(end, -1) - begin);
        if (begin <= -1 && end > -1)
            beside(m_frame.left);
        const std::int64_t inside = std::max<std::int64_t>(begin, 0);
        const std::int64_t count = std::min(end, m_width) - inside;
        if (count > 0) {
            copyPixels<From>(m_frame.pixels, m_row * m_width + inside, count, m_to);
            m_to += count * channels();
        }
        if (begin <= m_width && end > m_width)
            beside(m_frame.right);
        zeros(end - std::max(begin, m_width + 1));
    }

  private:
    [[nodiscard]] std::int64_t channels() const { return m_frame.pixels.width(); }

    void zeros(std::int64_t pixels) {
        if (pixels > 0)
            m_to = std::fill_n(m_to, pixels * channels(), To{});
    }

    void beside(const MatrixView& column) {
        if (column.rows() == 0)
            return zeros(1);
        copyPixels<From>(column, m_row, 1, m_to);
        m_to += channels();
    }

    const ConvolutionFrame& m_frame;
    std::int64_t m_row;
    std::int64_t m_width;
    To* m_to;
};

template <typename From, typename To>
void gatherAs(const ConvolutionFrame& frame, std::int64_t frameWidth, const PatchPlace& place, To* to) {
    const std::int64_t height = frame.pixels.rows() / frameWidth;
    const std::int64_t rowValues = place.columns * frame.pixels.width();
    for (std::int64_t row = place.firstRow; row < place.firstRow + place.rows; ++row, to += rowValues) {
        if (row < 0 || row >= height)
            std::fill_n(to, rowValues, To{});
        else
            PatchRow<From, To>(frame, row, frameWidth, to)
                .gather(place.firstColumn, place.firstColumn + place.columns);
    }
}

template <typename To>
void gatherInto(const ConvolutionFrame& frame, std::int64_t frameWidth, const PatchPlace& place, To* to) {
    if (frame.pixels.dtype() == DType::F32)
        gatherAs<float>(frame, frameWidth, place, to);
    else
        gatherAs<BFloat16>(frame, frameWidth, place, to);
}

}  // namespace

void gatherPatch(const ConvolutionFrame& frame, std::int64_t frameWidth, const PatchPlace& place, DType type,
                 void* to) {
    if (type == DType::BF16)
        gatherInto(frame, frameWidth, place, static_cast<BFloat16*>(to));
    else
        gatherInto(frame, frameWidth, place, static_cast<float*>(to));
}

}  // namespace meshreel
