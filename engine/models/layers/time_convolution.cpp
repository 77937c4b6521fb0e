// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/time_convolution.h"

#include <algorithm>
#include <cstddef>

#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

PackedMatrix packedTaps(const LayerTensors& tensors, const std::string& name) {
    const Tensor& weight = tensors.get(name + ".weight");
    return PackedMatrix::pack(weight.reshaped({weight.extent(0), weight.extent(1) * weight.extent(2)}),
                              &tensors.get(name + ".bias"));
}

}  // namespace

TimeConvolution::TimeConvolution(const LayerTensors& tensors, const std::string& name, std::int64_t stride)
    : m_taps(tensors.get(name + ".weight").extent(2)),
      m_stride(stride),
      m_matrix(packedTaps(tensors, name)) {}

Tensor TimeConvolution::apply(const Execution& execution, const Tensor& x) const {
    const std::int64_t frames = (x.extent(0) - 1) / m_stride + 1;
    const std::int64_t width = x.extent(1);
    const auto from = x.data<float>();
    Tensor seen = Tensor::empty({frames, width * m_taps});  // for every output frame
    const auto to = seen.data<float>();
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t tap = 0; tap < m_taps; ++tap) {
            const std::int64_t source = std::max<std::int64_t>(0, frame * m_stride + tap - (m_taps - 1));
            for (std::int64_t channel = 0; channel < width; ++channel)
                to[static_cast<std::size_t>((frame * width + channel) * m_taps + tap)] =
                    from[static_cast<std::size_t>(source * width + channel)];
        }
    Tensor result = Tensor::empty({frames, m_matrix.outFeatures()});
    m_matrix.apply(execution, MatrixView(seen), MatrixSpan(result));
    return result;
}

Tensor copiedColumns(const Tensor& x, std::int64_t first, std::int64_t count) {
    Tensor part = Tensor::empty({x.extent(0), count});
    for (std::int64_t row = 0; row < x.extent(0); ++row)
        std::ranges::copy(MatrixView(x).columns(first, count).row<float>(row),
                          part.slice(row, row + 1).data<float>().begin());
    return part;
}

}  // namespace meshreel
