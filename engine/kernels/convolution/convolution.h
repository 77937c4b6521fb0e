// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/rows/channel_norm.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// One input frame, channels last, of f32 or bf16. A frame that is a strip of a wider one brings the columns
/// next to it; where there are none the image ends and zeros are read.
struct ConvolutionFrame {
    MatrixView pixels = {};  ///< [height·width, in]; no rows: a frame of zeros, whose work is skipped
    MatrixView left = {};    ///< [height, in]: the column before the first; no rows: there is none
    MatrixView right = {};   ///< [height, in]: the column behind the last
};

struct PatchPlace;

/// The part of a convolution that makes the output pixels of one place in every upsample × upsample square
/// (all of them, where nothing is enlarged): a convolution of its own over the source pixels.
struct ConvolutionPhase {
    std::int64_t row = 0;  ///< of its output pixels in their squares
    std::int64_t column = 0;
    std::int64_t firstRow = 0;  ///< source row that the kernel starts at, from the square's source pixel
    std::int64_t firstColumn = 0;
    std::int64_t height = 1;  ///< of the kernel, in source pixels
    std::int64_t width = 1;
    Tensor weights = {};  ///< [blocks of channels, kt · height taps, features] as the kernel wants them

    /// Rounded up to the kernel's depth.
    [[nodiscard]] std::int64_t features(std::int64_t inChannels, const ConvolutionKernel& kernel) const;
};

/// How a convolution walks over its input. Time is never padded: the caller hands over the frames of the
/// past.
struct ConvolutionGeometry {
    std::int64_t timeStride = 1;
    std::int64_t spaceStride = 1;
    std::int64_t padBefore = 0;  ///< zero rows above and zero columns left of each frame
    std::int64_t padAfter = 0;   ///< zero rows below and zero columns right of each frame
    std::int64_t upsample = 1;   ///< the input is seen through nearest-neighbour enlargement by this factor

    friend bool operator==(const ConvolutionGeometry&, const ConvolutionGeometry&) = default;
};

/// What becomes of the sums before they are stored.
struct ConvolutionEpilogue {
    const ChannelNorm* norm = nullptr;  ///< applied to the channels of every output pixel
    bool addToOutput = false;           ///< what the output holds is added, after the norm
};

/// A 3-D convolution (or a 2-D one, frame by frame) over channel-last frames, its weights repacked once for
/// the kernel that this CPU takes. Workers gather patches of input that fit their L2 cache, each pixel once
/// for all columns of the kernel, and multiply them in place; no im2col matrix exists. An output pixel has
/// the same bits whatever pixels, strips and frames are computed with it. Seen through enlargement, the
/// weights that fall on the same pixel are added up once, at packing.
class PackedConvolution {
  public:
    /// weight [out, in, kt, kh, kw] or [out, in, kh, kw] of any floating type, bias [out]. The factors of all
    /// products are rounded to `arithmetic`, F32 or BF16; sums are f32. `memory` is where it is kept and
    /// applied; null: the host's. Throws Error{Internal} when the shapes do not fit, for Int8, and for an
    /// enlargement with a stride.
    static PackedConvolution pack(const Tensor& weight, const Tensor& bias,
                                  const ConvolutionGeometry& geometry,
                                  Arithmetic arithmetic = Arithmetic::F32, Memory* memory = nullptr);

    /// The same with a kernel of one's choice, which must run on this CPU.
    static PackedConvolution pack(const Tensor& weight, const Tensor& bias,
                                  const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                  const ConvolutionKernel& kernel);

    [[nodiscard]] std::int64_t inChannels() const { return m_inChannels; }
    [[nodiscard]] std::int64_t outChannels() const { return m_outChannels; }
    [[nodiscard]] std::int64_t kernelFrames() const { return m_kernelFrames; }

    /// Whether a strip of a wider frame needs the column left (right) of it.
    [[nodiscard]] bool readsLeftColumn() const { return m_geometry.padBefore > 0; }
    [[nodiscard]] bool readsRightColumn() const { return m_geometry.padAfter > 0; }

    /// Memory of weights and bias.
    [[nodiscard]] std::size_t bytes() const;

    /// (frames - kt)/timeStride + 1, or 0 when there are fewer frames than the kernel is long.
    [[nodiscard]] std::int64_t outFrames(std::int64_t frames) const;
    [[nodiscard]] std::int64_t outHeight(std::int64_t height) const {
        return outExtent(height, m_kernelHeight);
    }
    [[nodiscard]] std::int64_t outWidth(std::int64_t width) const { return outExtent(width, m_kernelWidth); }

    /// `frames` of height × width pixels, past ones first. `out`: [outFrames · outHeight · outWidth, out] of
    /// f32 or bf16; must not overlap the input. The workers share the output pixels; a GPU computes what is
    /// in its memory, whole frames and kernels of up to three frames. Throws Error{Internal} when `out` or a
    /// frame has another size, or a frame is a strip and the kernel reaches further than one column.
    void apply(const Execution& execution, std::span<const ConvolutionFrame> frames, std::int64_t height,
               std::int64_t width, const MatrixSpan& out, const ConvolutionEpilogue& epilogue = {}) const;

  private:
    struct Call;
    struct Unit;
    struct Workspace;

    PackedConvolution() = default;
    [[nodiscard]] std::int64_t outExtent(std::int64_t extent, std::int64_t kernel) const;
    [[nodiscard]] std::int64_t paddedOuts() const { return m_bias.elements(); }
    void requireFit(const Call& call, const MatrixSpan& out) const;
    void applyOnGpu(const Execution& execution, const Call& call) const;
    void requireReachableColumns(std::span<const ConvolutionFrame> frames) const;
    [[nodiscard]] bool roundsPatch(const ConvolutionFrame& frame) const;
    [[nodiscard]] PatchPlace locatePatch(const Unit& unit) const;
    [[nodiscard]] std::int64_t patchBytes(const Unit& unit) const;
    [[nodiscard]] Unit unitShape(const Call& call, int workers) const;
    void compute(const Call& call, const Unit& unit, Workspace& workspace) const;
    void accumulate(const ConvolutionPhase& phase, const Unit& unit, Workspace& workspace) const;
    void store(const ConvolutionPhase& phase, const Call& call, const Unit& unit, Workspace& workspace) const;

    ConvolutionGeometry m_geometry;
    Arithmetic m_arithmetic = Arithmetic::F32;
    const ConvolutionKernel* m_kernel = nullptr;
    std::int64_t m_inChannels = 0;
    std::int64_t m_outChannels = 0;
    std::int64_t m_kernelFrames = 1;
    std::int64_t m_kernelHeight = 1;
    std::int64_t m_kernelWidth = 1;
    Tensor m_bias;                           // f32 [out, rounded up to the kernel's lane]
    std::vector<ConvolutionPhase> m_phases;  // one; upsample² of them where the input is enlarged
};

}  // namespace meshreel
