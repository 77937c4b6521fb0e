// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// One row of a convolution's kernel in one input frame: the features that it reads for neighbouring output
/// pixels are at a fixed distance and may overlap.
struct ConvolutionTap {
    const void* features = nullptr;  ///< features of the first output pixel
    std::int64_t index = 0;          ///< index of the tap in the packed weights
};

/// sums[row, column, channel] += Σ over taps and features of feature · weight, for a rectangle of output
/// pixels. Every sum is built in the order of the taps and their features, whatever pixels are computed with
/// it.
struct ConvolutionPanel {
    const ConvolutionTap* taps = nullptr;
    std::int64_t tapCount = 0;
    std::int64_t features = 0;     ///< features of a tap, a multiple of the kernel's depth
    std::int64_t rows = 0;         ///< rows of output pixels
    std::int64_t columns = 0;      ///< columns of output pixels, a multiple of the kernel's pixels
    std::int64_t rowStride = 0;    ///< features from one output row to the next
    std::int64_t pixelStride = 0;  ///< features from one output pixel to the next
    const void* weights =
        nullptr;                  ///< [block of channels, packed tap, feature, channel] in the kernel's order
    std::int64_t packedTaps = 0;  ///< taps in the weights
    std::int64_t channels = 0;    ///< a multiple of the kernel's lane
    float* sums = nullptr;        ///< [rows, columns, channels]

    /// Returns where, among the weights, tap `index` of the block of `count` channels from `first` begins.
    [[nodiscard]] std::int64_t weightOffset(std::int64_t first, std::int64_t count,
                                            std::int64_t index) const {
        return (first * packedTaps + count * index) * features;
    }
};

/// A way to compute panels. Features and weights are both f32 or both bf16.
struct ConvolutionKernel {
    std::string_view name;
    DType type = DType::F32;
    std::int64_t depth = 1;     ///< a tap's features are padded to a multiple of this; weights there are zero
    std::int64_t pixels = 1;    ///< output pixels of the smallest tile
    std::int64_t channels = 1;  ///< output channels of the widest block
    std::int64_t lane = 1;      ///< output channels are padded to a multiple of this
    void (*accumulate)(const ConvolutionPanel& panel) = nullptr;
    /// Returns where the weight of a feature (counted over all taps) and a channel is in a block of
    /// `channels`.
    std::int64_t (*weightOffset)(std::int64_t feature, std::int64_t channel, std::int64_t channels) = nullptr;
};

/// One way to compute convolutions in one arithmetic.
struct ConvolutionCandidate {
    KernelCandidate needs;
    const ConvolutionKernel* kernel = nullptr;
};

/// Returns the candidates for F32 or BF16, the best first.
std::span<const ConvolutionCandidate> convolutionCandidates(Arithmetic arithmetic);

/// Returns the one that this process takes.
const ConvolutionKernel& convolutionKernel(Arithmetic arithmetic);

extern const ConvolutionKernel avx2Convolution;    ///< f32
extern const ConvolutionKernel avx512Convolution;  ///< f32, needs AVX-512F

}  // namespace meshreel
