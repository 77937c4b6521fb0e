// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/network_layers.h"

#include <algorithm>
#include <span>

#include "engine/base/stop_token.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

Tensor timesFactor(const Tensor& values, float factor) {
    if (factor == 1.0F)
        return values;
    Tensor scaled = Tensor::empty(values.shape());
    std::ranges::transform(values.data<float>(), scaled.data<float>().begin(),
                           [factor](float value) { return value * factor; });
    return scaled;
}

}  // namespace

PackedConvolution readConvolution(const NetworkTensors& tensors, const std::string& name, std::int64_t ins,
                                  std::int64_t outs, const ConvolutionGeometry& geometry,
                                  const NetworkMemory& where, float factor) {
    constexpr std::int64_t side = 3;
    constexpr std::int64_t transposedSide = 4;
    const Shape shape =
        geometry.transposed ? Shape{ins, outs, transposedSide, transposedSide} : Shape{outs, ins, side, side};
    const Tensor weight = timesFactor(tensors.get(name + ".weight", shape), factor);
    const Tensor bias = timesFactor(tensors.get(name + ".bias", {outs}), factor);
    return PackedConvolution::pack(weight, bias, geometry, where.arithmetic, where.memory);
}

void convolvePicture(const Execution& execution, const PackedConvolution& convolution, const MatrixView& from,
                     std::int64_t height, std::int64_t width, const MatrixSpan& into, bool adds) {
    throwIfStopped(execution.stop);
    const ConvolutionFrame frame{.pixels = from};
    convolution.apply(execution, std::span(&frame, 1), height, width, into, {.addToOutput = adds});
}

Tensor emptyPicture(const Execution& execution, std::int64_t pixels, std::int64_t channels) {
    return Tensor::empty({pixels, channels}, DType::F32, execution.memory());
}

}  // namespace meshreel
