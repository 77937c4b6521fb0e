// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_convolution_operation.h"

namespace meshreel {

PackedConvolution PackedConvolution::pack(const Tensor& weight, const Tensor& bias,
                                          const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                          Memory* memory) {
    if (arithmetic == Arithmetic::Int8)
        throw Error(ErrorKind::Internal, "There is no convolution in int8");
    if (memory != nullptr)
        return PackedConvolution(prepareIn(
            *memory, [&](auto in) { return keepConvolution(in, weight, bias, geometry, arithmetic); }));
    return pack(weight, bias, geometry, arithmetic, convolutionKernel(arithmetic));
}

PackedConvolution PackedConvolution::pack(const Tensor& weight, const Tensor& bias,
                                          const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                          const ConvolutionKernel& kernel) {
    return PackedConvolution(
        makeHostConvolution(packConvolution(weight, bias, geometry, arithmetic, kernel)));
}

std::int64_t PackedConvolution::outFrames(std::int64_t frames) const {
    return frames < weights().kernelFrames
               ? 0
               : (frames - weights().kernelFrames) / weights().geometry.timeStride + 1;
}

std::int64_t PackedConvolution::outExtent(std::int64_t extent, std::int64_t kernel) const {
    const std::int64_t padded =
        extent * weights().geometry.upsample + weights().geometry.padBefore + weights().geometry.padAfter;
    return padded < kernel ? 0 : (padded - kernel) / weights().geometry.spaceStride + 1;
}

void PackedConvolution::requireFit(const ConvolutionCall& call, const MatrixSpan& out) const {
    const std::int64_t pixels = call.outFrames * call.outHeight * call.outWidth;
    if (out.rows() != pixels || (pixels > 0 && out.width() != weights().outChannels))
        throw Error(
            ErrorKind::Internal,
            fmt::format("A convolution of {} frames of {}x{} got an output of {} pixels of {} channels",
                        call.frames.size(), call.height, call.width, out.rows(), out.width()));
    for (const ConvolutionFrame& frame : call.frames)
        if (frame.pixels.rows() > 0 &&
            (frame.pixels.rows() != call.height * call.width || frame.pixels.width() != weights().inChannels))
            throw Error(ErrorKind::Internal,
                        fmt::format("A convolution of {} channels of {}x{} got {} pixels of {} channels",
                                    weights().inChannels, call.height, call.width, frame.pixels.rows(),
                                    frame.pixels.width()));
    requireReachableColumns(call.frames);
}

void PackedConvolution::requireReachableColumns(std::span<const ConvolutionFrame> frames) const {
    const bool strip = std::ranges::any_of(frames, [](const ConvolutionFrame& frame) {
        return frame.left.rows() > 0 || frame.right.rows() > 0;
    });
    if (strip &&
        std::max(weights().geometry.padBefore, weights().geometry.padAfter) > weights().geometry.upsample)
        throw Error(ErrorKind::Internal, "A convolution of strips reaches further than the next column");
}

void PackedConvolution::apply(const Execution& execution, std::span<const ConvolutionFrame> frames,
                              std::int64_t height, std::int64_t width, const MatrixSpan& out,
                              const ConvolutionEpilogue& epilogue) const {
    const ConvolutionCall call{
        frames, height,  width, outHeight(height), outWidth(width), outFrames(std::ssize(frames)),
        out,    epilogue};
    requireFit(call, out);
    if (out.rows() > 0)
        m_operation->apply(execution, call);
}

}  // namespace meshreel
