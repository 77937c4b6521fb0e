// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/gpu/factor_reads.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/kernel_trial.h"
#include "engine/kernels/gpu/matrix_variants.h"

namespace meshreel {

/// One output frame of a convolution over channel-last frames in a GPU's memory: one phase of it, where the
/// input is enlarged (see ConvolutionPhase). No im2col matrix exists.
struct GpuConvolution {
    static constexpr std::size_t mostFrames = 3;

    std::array<GpuAddress, mostFrames> frames = {};  ///< frames under the kernel, the earliest first; 0:
                                                     ///< zeros
    GpuMatrix like = {};      ///< type and layout of each of them: [height · width, ins], f32 or bf16
    std::int64_t height = 0;  ///< height of the frames
    std::int64_t width = 0;   ///< width of the frames
    std::int64_t kernelFrames = 1;
    std::int64_t kernelHeight = 1;
    std::int64_t kernelWidth = 1;
    std::int64_t firstRow = 0;  ///< source row that the kernel starts at for the first output
    std::int64_t firstColumn = 0;
    std::int64_t spaceStride = 1;  ///< source pixels from one square of outputs to the next
    std::int64_t upsample = 1;     ///< outputs along a side of such a square
    std::int64_t row = 0;          ///< row of the outputs in their squares
    std::int64_t column = 0;
    std::int64_t outHeight = 0;   ///< height of the whole output frame
    std::int64_t outWidth = 0;    ///< width of the whole output frame
    GpuMatrix weights = {};       ///< [kernelFrames · kernelHeight · kernelWidth · ins, outs], f32 or bf16
    GpuAddress bias = 0;          ///< f32 [outs]; 0: none
    bool roundsFeatures = false;  ///< f32 features are rounded to bf16 before they are multiplied
    bool addToOutput = false;
};

/// A shader of convolutions with what it takes to record it.
struct ConvolutionProgram {
    const GpuProgram* program = nullptr;
    std::int64_t pixels = 0;  ///< pixels of a group
    std::int64_t outs = 0;    ///< outputs of a group
    double workScale = 1.0;   ///< see BoundVariant
};

/// The shaders that convolve with some weights: chosen once, then read.
struct ConvolutionPrograms {
    ConvolutionProgram scalar;        ///< for factors of f32, and for frames of zeros only
    ConvolutionProgram ofWords = {};  ///< for factors of bf16 whose pixels begin at multiples of 16 bytes
    ConvolutionProgram ofAny = {};    ///< for other factors of bf16
};

/// Chooses the shaders for weights as GpuConvolution has them, over pixels of `ins` features. Factors of bf16
/// are multiplied as `narrow` says, by matrix units if they are faster, or by a stand-in where they are not
/// as its shader reads them; without `narrow` all are multiplied in f32. Throws Error{Device} when the GPU
/// refuses the shaders.
ConvolutionPrograms prepareConvolution(GpuPipelines& pipelines, const GpuMatrix& weights, std::int64_t ins,
                                       const std::optional<BoundVariant>& narrow);

/// Returns what convolves factors of any floating type without matrix units.
ConvolutionProgram scalarConvolution(GpuPipelines& pipelines, FactorReads reads);

/// Returns the ways in which matrix units may cut a convolution, which are compared with each other.
const std::vector<MatrixVariant>& convolutionVariants();

/// Returns what compares them.
KernelTrial convolutionTrial(GpuPipelines& pipelines);

/// Their names: values of VariantFilter::block.
std::vector<std::string> convolutionBlocks();

/// Returns whether one of them, or the scalar shader, computes in the form.
bool hasConvolutionIn(MatrixForm form);

/// y [outHeight · outWidth, outs] = [y +] the convolution + bias, f32 or bf16, sums in f32. `by` is prepared
/// for its weights. A sum has the same bits whatever pixels and frames are computed with it. y must not
/// overlap the input. Recorded, not awaited. Throws Error{Internal} when the shapes do not fit, or `by` was
/// not prepared for such factors.
void convolve(GpuStream& stream, const ConvolutionPrograms& by, const GpuConvolution& convolution,
              const GpuMatrix& y);

/// Returns the form in which the GPU computes convolutions of bf16 by its measurements; nothing before they
/// were measured with these shaders, or when there is no choice.
std::optional<MatrixForm> convolutionFormIn(const GpuTuning& tuning);

}  // namespace meshreel
