// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_convolution_operation.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/gpu_work.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/convolution/convolution_tile.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

/// How a GPU reads weights: [taps · features, outs]. The host has no use for them.
constexpr ConvolutionKernel narrowDeviceKernel{.name = "of a device",
                                               .type = DType::BF16,
                                               .channels = std::int64_t{1} << 32U,
                                               .lane = 8,
                                               .weightOffset = weightOffsetByFeature};
constexpr ConvolutionKernel deviceKernel{.name = "of a device",
                                         .type = DType::F32,
                                         .channels = std::int64_t{1} << 32U,
                                         .lane = 8,
                                         .weightOffset = weightOffsetByFeature};

/// The weights of a phase in a GPU's memory.
GpuMatrix factorsOf(const ConvolutionWeights& weights, const ConvolutionPhase& phase) {
    const std::int64_t features = weights.kernelFrames * phase.height * phase.width * weights.inChannels;
    return gpuMatrix(MatrixView(phase.weights.reshaped({features, weights.paddedOuts()})))
        .columns(0, weights.outChannels);
}

class ConvolutionOnGpu final : public ConvolutionOperation {
  public:
    ConvolutionOnGpu(GpuPipelines& pipelines, ConvolutionWeights packed)
        : ConvolutionOperation(std::move(packed)) {
        std::optional<BoundVariant> narrow;
        if (weights().arithmetic == Arithmetic::BF16)
            narrow = bindKernel(pipelines, GpuKernel::Convolution).fastest;
        for (const ConvolutionPhase& phase : weights().phases) {
            const GpuMatrix factors = factorsOf(weights(), phase);
            m_phases.push_back(
                {.factors = factors,
                 .programs = prepareConvolution(pipelines, factors, weights().inChannels, narrow)});
        }
    }

    void apply(const Execution& execution, const ConvolutionCall& call) const override {
        GpuWork& gpu = requireGpu(execution, {call.out, MatrixView(weights().bias)});
        const auto inMemory = std::ranges::find_if(
            call.frames, [](const ConvolutionFrame& frame) { return frame.pixels.rows() > 0; });
        if (inMemory == call.frames.end() || weights().kernelFrames > std::ssize(GpuConvolution().frames) ||
            (call.epilogue.norm != nullptr && call.epilogue.addToOutput))
            throw Error(ErrorKind::Internal, "a GPU does not compute this kind of convolution");
        const MatrixView& like = inMemory->pixels;
        GpuConvolution convolution{
            .like = gpuMatrix(like),
            .height = call.height,
            .width = call.width,
            .kernelFrames = weights().kernelFrames,
            .spaceStride = weights().geometry.spaceStride,
            .upsample = weights().geometry.upsample,
            .outHeight = call.outHeight,
            .outWidth = call.outWidth,
            .bias = gpuAddress(weights().bias),
            .roundsFeatures = weights().arithmetic == Arithmetic::BF16 && like.dtype() == DType::F32,
            .addToOutput = call.epilogue.addToOutput};
        const GpuMatrix out = gpuMatrix(call.out);
        for (std::int64_t frame = 0; frame < call.outFrames; ++frame) {
            for (std::int64_t kernelFrame = 0; kernelFrame < weights().kernelFrames; ++kernelFrame) {
                const ConvolutionFrame& source = call.frames[static_cast<std::size_t>(
                    frame * weights().geometry.timeStride + kernelFrame)];
                GpuAddress& address = convolution.frames.at(static_cast<std::size_t>(kernelFrame));
                address = 0;
                if (source.pixels.rows() == 0)
                    continue;
                static_cast<void>(requireGpu(execution, {source.pixels}));
                if (source.left.rows() > 0 || source.right.rows() > 0 ||
                    source.pixels.dtype() != like.dtype() || source.pixels.stride() != like.stride())
                    throw Error(ErrorKind::Internal,
                                "a convolution on a GPU takes whole frames of one layout");
                address = gpuMatrix(source.pixels).address;
            }
            const GpuMatrix y =
                out.slice(frame * call.outHeight * call.outWidth, call.outHeight * call.outWidth);
            for (std::size_t index = 0; index < weights().phases.size(); ++index) {
                const ConvolutionPhase& phase = weights().phases[index];
                convolution.kernelHeight = phase.height;
                convolution.kernelWidth = phase.width;
                convolution.firstRow = phase.firstRow;
                convolution.firstColumn = phase.firstColumn;
                convolution.row = phase.row;
                convolution.column = phase.column;
                convolution.weights = m_phases[index].factors;
                convolve(gpu.stream(), m_phases[index].programs, convolution, y);
            }
        }
        if (call.epilogue.norm != nullptr)
            call.epilogue.norm->apply(execution, call.out, call.out);
    }

  private:
    struct Phase {
        GpuMatrix factors;
        ConvolutionPrograms programs;
    };

    std::vector<Phase> m_phases;  // of the weights
};

}  // namespace

std::unique_ptr<ConvolutionOperation> keepConvolution(InVulkan in, const Tensor& weight, const Tensor& bias,
                                                      const ConvolutionGeometry& geometry,
                                                      Arithmetic arithmetic) {
    ConvolutionWeights packed =
        packConvolution(weight, bias, geometry, arithmetic,
                        arithmetic == Arithmetic::BF16 ? narrowDeviceKernel : deviceKernel);
    packed.bias = packed.bias.in(&in.memory);
    for (ConvolutionPhase& phase : packed.phases)
        phase.weights = phase.weights.in(&in.memory);
    return std::make_unique<ConvolutionOnGpu>(in.pipelines(), std::move(packed));
}

}  // namespace meshreel
