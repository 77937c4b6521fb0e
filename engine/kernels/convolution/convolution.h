// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A 3-D convolution (or a 2-D one, frame by frame) over channel-last frames, its weights repacked once for
/// what computes it: the workers, or the GPU in whose memory it lies. No im2col matrix exists. An output
/// pixel has the same bits whatever pixels, strips and frames are computed with it. Seen through enlargement,
/// the weights that fall on the same pixel are added up once, at packing.
class PackedConvolution {
  public:
    /// Packs weight [out, in, kt, kh, kw] or [out, in, kh, kw] (of transposedBy2 [in, out, 4, 4]) of any
    /// floating type and bias [out]. The factors of all products are rounded to `arithmetic`, F32 or BF16;
    /// sums are f32. `memory` is where the packed weights are kept and applied; null: the host's. Throws
    /// Error{Internal} when the shapes do not fit, for Int8, and for an enlargement with a stride.
    static PackedConvolution pack(const Tensor& weight, const Tensor& bias,
                                  const ConvolutionGeometry& geometry,
                                  Arithmetic arithmetic = Arithmetic::F32, Memory* memory = nullptr);

    /// Packs for a given kernel, which must run on this CPU.
    static PackedConvolution pack(const Tensor& weight, const Tensor& bias,
                                  const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                  const ConvolutionKernel& kernel);

    [[nodiscard]] std::int64_t inChannels() const { return weights().inChannels; }
    [[nodiscard]] std::int64_t outChannels() const { return weights().outChannels; }
    [[nodiscard]] std::int64_t kernelFrames() const { return weights().kernelFrames; }

    /// Returns whether a strip of a wider frame needs the column left (right) of it.
    [[nodiscard]] bool readsLeftColumn() const { return weights().geometry.padBefore > 0; }
    [[nodiscard]] bool readsRightColumn() const { return weights().geometry.padAfter > 0; }

    /// Returns the memory of weights and bias.
    [[nodiscard]] std::size_t bytes() const { return weights().bytes(); }

    /// (frames - kt)/timeStride + 1, or 0 when there are fewer frames than the kernel is long.
    [[nodiscard]] std::int64_t outFrames(std::int64_t frames) const;
    [[nodiscard]] std::int64_t outHeight(std::int64_t height) const {
        return outExtent(height, weights().kernelHeight);
    }
    [[nodiscard]] std::int64_t outWidth(std::int64_t width) const {
        return outExtent(width, weights().kernelWidth);
    }

    /// `frames` of height × width pixels, past ones first. `out`: [outFrames · outHeight · outWidth, out] of
    /// f32 or bf16; must not overlap the input. The workers share the output pixels; a GPU computes whole
    /// frames, with kernels of up to three frames. Throws Error{Internal} when `out` or a frame has another
    /// size or lies in another memory, or a frame is a strip and the kernel reaches further than one column.
    void apply(const Execution& execution, std::span<const ConvolutionFrame> frames, std::int64_t height,
               std::int64_t width, const MatrixSpan& out, const ConvolutionEpilogue& epilogue = {}) const;

  private:
    explicit PackedConvolution(std::shared_ptr<const ConvolutionOperation> operation)
        : m_operation(std::move(operation)) {}
    [[nodiscard]] const ConvolutionWeights& weights() const { return m_operation->weights(); }
    [[nodiscard]] std::int64_t outExtent(std::int64_t extent, std::int64_t kernel) const;
    void requireFit(const ConvolutionCall& call, const MatrixSpan& out) const;
    void requireReachableColumns(std::span<const ConvolutionFrame> frames) const;

    std::shared_ptr<const ConvolutionOperation> m_operation;
};

}  // namespace meshreel
