// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/base/error.h"
#include "engine/kernels/matmul.h"

namespace meshreel {
namespace {

// Columns of one gathered slab: enough for the inner dimension of a matrix product to run at full speed.
constexpr std::int64_t slabFeatureTarget = 384;

// One slab (768 KiB) stays in a core's L2 cache between gathering and multiplying.
constexpr std::int64_t slabFloats = 196'608;

// Strips shorter than this spend more time packing weights than multiplying.
constexpr std::int64_t minStripPixels = 64;

std::int64_t ceilDivide(std::int64_t value, std::int64_t divisor) {
    return (value + divisor - 1) / divisor;
}

}  // namespace

/// Output pixels [first, end) of one frame.
struct PackedConvolution::Strip {
    std::int64_t first;
    std::int64_t end;
    std::int64_t outWidth;
    float* out;  // of pixel `first`

    [[nodiscard]] std::int64_t pixels() const { return end - first; }
};

struct PackedConvolution::FrameExtent {
    std::int64_t height;
    std::int64_t width;
};

PackedConvolution PackedConvolution::pack(const Tensor& weight, const Tensor& bias,
                                          const ConvolutionGeometry& geometry) {
    const std::size_t rank = weight.shape().rank();
    if ((rank != 4 && rank != 5) || bias.shape() != Shape{weight.extent(0)})
        throw Error(ErrorKind::Internal, fmt::format("No convolution has a weight {} and a bias {}",
                                                     weight.shape().text(), bias.shape().text()));
    PackedConvolution packed;
    packed.m_geometry = geometry;
    packed.m_outChannels = weight.extent(0);
    packed.m_inChannels = weight.extent(1);
    packed.m_kernelFrames = rank == 5 ? weight.extent(2) : 1;
    packed.m_kernelHeight = weight.extent(rank - 2);
    packed.m_kernelWidth = weight.extent(rank - 1);
    packed.m_bias = bias.toF32();

    const std::int64_t taps = packed.m_kernelFrames * packed.m_kernelHeight * packed.m_kernelWidth;
    packed.m_weight = Tensor::empty({taps, packed.m_inChannels, packed.m_outChannels});
    const Tensor source = weight.toF32();
    const float* from = std::as_const(source).data<float>().data();
    float* to = packed.m_weight.data<float>().data();
    for (std::int64_t out = 0; out < packed.m_outChannels; ++out)
        for (std::int64_t in = 0; in < packed.m_inChannels; ++in)
            for (std::int64_t tap = 0; tap < taps; ++tap)
                to[(tap * packed.m_inChannels + in) * packed.m_outChannels + out] = *from++;
    return packed;
}

std::int64_t PackedConvolution::outFrames(std::int64_t frames) const {
    return frames < m_kernelFrames ? 0 : (frames - m_kernelFrames) / m_geometry.timeStride + 1;
}

std::int64_t PackedConvolution::outExtent(std::int64_t extent, std::int64_t kernel) const {
    const std::int64_t padded = extent * m_geometry.upsample + m_geometry.padBefore + m_geometry.padAfter;
    return padded < kernel ? 0 : (padded - kernel) / m_geometry.spaceStride + 1;
}

bool PackedConvolution::isPointwise() const {
    return m_kernelHeight == 1 && m_kernelWidth == 1 && m_geometry.spaceStride == 1 &&
           m_geometry.padBefore == 0 && m_geometry.padAfter == 0 && m_geometry.upsample == 1;
}

std::int64_t PackedConvolution::tapsPerSlab() const {
    return std::clamp<std::int64_t>(slabFeatureTarget / tapFeatures(), 1, m_kernelFrames * m_kernelHeight);
}

std::int64_t PackedConvolution::stripPixels(std::int64_t framePixels, std::int64_t frames,
                                            int workers) const {
    const std::int64_t cached = slabFloats / (tapsPerSlab() * tapFeatures());
    const std::int64_t shared = ceilDivide(framePixels * frames, workers);
    return std::clamp(std::min(cached, shared), std::min(minStripPixels, framePixels), framePixels);
}

void PackedConvolution::requireReachableColumns(std::span<const ConvolutionFrame> frames) const {
    const bool strip = std::ranges::any_of(frames, [](const ConvolutionFrame& frame) {
        return frame.left != nullptr || frame.right != nullptr;
    });
    if (strip && std::max(m_geometry.padBefore, m_geometry.padAfter) > m_geometry.upsample)
        throw Error(ErrorKind::Internal, "A convolution of strips reaches further than the next column");
}

void PackedConvolution::apply(const Execution& execution, std::span<const ConvolutionFrame> frames,
                              std::int64_t height, std::int64_t width, std::span<float> out) const {
    const std::int64_t resultFrames = outFrames(std::ssize(frames));
    const std::int64_t resultWidth = outWidth(width);
    const std::int64_t framePixels = outHeight(height) * resultWidth;
    if (std::ssize(out) != resultFrames * framePixels * m_outChannels)
        throw Error(ErrorKind::Internal,
                    fmt::format("A convolution of {} frames of {}x{} got an output of {} values",
                                frames.size(), height, width, out.size()));
    requireReachableColumns(frames);
    if (out.empty())
        return;
    const std::int64_t pixels = stripPixels(framePixels, resultFrames, execution.workers.size());
    const std::int64_t strips = ceilDivide(framePixels, pixels);
    execution.workers.parallelFor(resultFrames * strips, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> slab;
        for (std::int64_t index = begin; index < end; ++index) {
            throwIfStopped(execution.stop);
            const std::int64_t frame = index / strips;
            const std::int64_t first = index % strips * pixels;
            const Strip strip{first, std::min(framePixels, first + pixels), resultWidth,
                              out.data() + (frame * framePixels + first) * m_outChannels};
            for (std::int64_t pixel = 0; pixel < strip.pixels(); ++pixel)
                std::ranges::copy(m_bias.data<float>(), strip.out + pixel * m_outChannels);
            const auto window = frames.subspan(static_cast<std::size_t>(frame * m_geometry.timeStride),
                                               static_cast<std::size_t>(m_kernelFrames));
            if (isPointwise())
                accumulatePointwise(strip, window);
            else
                accumulateGathered(strip, window, {height, width}, slab);
        }
    });
}

void PackedConvolution::accumulatePointwise(const Strip& strip,
                                            std::span<const ConvolutionFrame> window) const {
    for (std::int64_t tap = 0; tap < m_kernelFrames; ++tap)
        if (const float* pixels = window[static_cast<std::size_t>(tap)].pixels)
            multiply(strip, pixels + strip.first * m_inChannels, m_inChannels, m_inChannels,
                     tap * m_inChannels);
}

void PackedConvolution::accumulateGathered(const Strip& strip, std::span<const ConvolutionFrame> window,
                                           const FrameExtent& in, std::vector<float>& slab) const {
    const std::int64_t slabFeatures = tapsPerSlab() * tapFeatures();
    slab.resize(static_cast<std::size_t>(strip.pixels() * slabFeatures));
    const std::int64_t taps = m_kernelFrames * m_kernelHeight;
    std::int64_t gathered = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
        const ConvolutionFrame& frame = window[static_cast<std::size_t>(tap / m_kernelHeight)];
        if (frame.pixels != nullptr)
            gatherTap(strip, frame, tap % m_kernelHeight, in, slab.data() + gathered++ * tapFeatures(),
                      slabFeatures);
        // Taps of a slab are neighbours in the weight too: it ends where it is full or the next frame is one
        // of zeros.
        const bool ends = gathered == tapsPerSlab() || tap + 1 == taps ||
                          window[static_cast<std::size_t>((tap + 1) / m_kernelHeight)].pixels == nullptr;
        if (ends && gathered > 0) {
            multiply(strip, slab.data(), gathered * tapFeatures(), slabFeatures,
                     (tap + 1 - gathered) * tapFeatures());
            gathered = 0;
        }
    }
}

void PackedConvolution::multiply(const Strip& strip, const float* features, std::int64_t count,
                                 std::int64_t stride, std::int64_t firstWeightRow) const {
    gemm(false, false, strip.pixels(), m_outChannels, count, 1.0F, features, stride,
         m_weight.data<float>().data() + firstWeightRow * m_outChannels, m_outChannels, 1.0F, strip.out,
         m_outChannels);
}

void PackedConvolution::gatherTap(const Strip& strip, const ConvolutionFrame& frame, std::int64_t kernelRow,
                                  const FrameExtent& in, float* slab, std::int64_t slabFeatures) const {
    const std::int64_t seenHeight = in.height * m_geometry.upsample;
    for (std::int64_t pixel = strip.first; pixel < strip.end; ++pixel, slab += slabFeatures) {
        const std::int64_t y =
            pixel / strip.outWidth * m_geometry.spaceStride + kernelRow - m_geometry.padBefore;
        const std::int64_t x = pixel % strip.outWidth * m_geometry.spaceStride - m_geometry.padBefore;
        if (y < 0 || y >= seenHeight) {
            std::fill_n(slab, tapFeatures(), 0.0F);
            continue;
        }
        const std::int64_t row = y / m_geometry.upsample;
        if (m_geometry.upsample == 1 && x >= 0 && x + m_kernelWidth <= in.width)
            std::copy_n(frame.pixels + (row * in.width + x) * m_inChannels, tapFeatures(), slab);
        else
            gatherBorder(frame, row, x, in.width, slab);
    }
}

/// The taps of one kernel row where they may lie outside the frame or repeat its pixels; x counts enlarged
/// columns.
void PackedConvolution::gatherBorder(const ConvolutionFrame& frame, std::int64_t row, std::int64_t x,
                                     std::int64_t width, float* slab) const {
    const auto besides = [&](const float* column) {
        return column == nullptr ? nullptr : column + row * m_inChannels;
    };
    const auto pixelAt = [&](std::int64_t seen) {
        if (seen < 0)
            return besides(frame.left);
        const std::int64_t column = seen / m_geometry.upsample;
        return column < width ? frame.pixels + (row * width + column) * m_inChannels : besides(frame.right);
    };
    for (std::int64_t seen = x; seen < x + m_kernelWidth; ++seen, slab += m_inChannels) {
        if (const float* pixel = pixelAt(seen))
            std::copy_n(pixel, m_inChannels, slab);
        else
            std::fill_n(slab, m_inChannels, 0.0F);
    }
}

}  // namespace meshreel
