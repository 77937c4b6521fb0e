// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/rows/channel_norm.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// One input frame, channels last, of f32 or bf16. A frame that is a strip of a wider one brings the columns
/// next to it; if there are none, the image ends and zeros are read.
struct ConvolutionFrame {
    MatrixView pixels = {};  ///< [height·width, in]; no rows: a frame of zeros, whose work is skipped
    MatrixView left = {};    ///< [height, in]: the column before the first; no rows: there is none
    MatrixView right = {};   ///< [height, in]: the column after the last
};

/// What becomes of the sums before they are stored.
struct ConvolutionEpilogue {
    const ChannelNorm* norm = nullptr;  ///< applied to the channels of every output pixel
    bool addToOutput = false;           ///< what the output holds is added, after the norm
};

/// What is convolved, and where to. The shapes fit.
struct ConvolutionCall {
    std::span<const ConvolutionFrame> frames;
    std::int64_t height;
    std::int64_t width;
    std::int64_t outHeight;
    std::int64_t outWidth;
    std::int64_t outFrames;
    const MatrixSpan& out;  ///< not empty
    const ConvolutionEpilogue& epilogue;
};

/// A convolution in the memory of what computes it.
class ConvolutionOperation {
  public:
    explicit ConvolutionOperation(ConvolutionWeights weights) : m_weights(std::move(weights)) {}
    virtual ~ConvolutionOperation() = default;
    ConvolutionOperation(const ConvolutionOperation&) = delete;
    ConvolutionOperation& operator=(const ConvolutionOperation&) = delete;

    [[nodiscard]] const ConvolutionWeights& weights() const { return m_weights; }

    /// Throws Error{Internal} when frames or outputs are in another memory, or for anything that it does not
    /// compute.
    virtual void apply(const Execution& execution, const ConvolutionCall& call) const = 0;

  private:
    ConvolutionWeights m_weights;
};

/// Workers gather patches of input that fit their L2 cache, each pixel once for all columns of the kernel,
/// and multiply them in place.
std::unique_ptr<ConvolutionOperation> makeHostConvolution(ConvolutionWeights weights);

}  // namespace meshreel
