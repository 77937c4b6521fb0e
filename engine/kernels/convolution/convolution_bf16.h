// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/number_types.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/tiles/tile_shape.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

constexpr std::int64_t tileFloats = 16;   // floats in a row
constexpr std::int64_t tileBFloats = 32;  // bf16 numbers in a row; for weights, pairs of features of 16
                                          // channels

/// Pairs of features are side by side for each of 16 channels; a tile of weights is 16 such pairs.
constexpr std::int64_t weightOffsetByTile(std::int64_t feature, std::int64_t channel, std::int64_t channels) {
    const std::int64_t tile = feature / tileBFloats * (channels / tileFloats) + channel / tileFloats;
    return (tile * tileRows + feature % tileBFloats / 2) * tileBFloats + channel % tileFloats * 2 +
           feature % 2;
}

/// `pixelTiles` × 16 output pixels by `channelTiles` × 16 channels over all taps, the sums in tiles 0 to 3,
/// features in 4 and 5, weights in 6 and 7. Features are read in place: neighbouring pixels' overlap.
template <typename Tiles, int pixelTiles, int channelTiles>
void accumulateTiles(Tiles& tiles, const ConvolutionPanel& panel, std::int64_t firstFeature,
                     std::int64_t firstChannel, float* sums) {
    constexpr std::int64_t floatBytes = sizeof(float);
    const std::int64_t sumBytes = panel.channels * floatBytes;
    const std::int64_t pixelBytes = panel.pixelStride * static_cast<std::int64_t>(sizeof(BFloat16));
    float* lowerSums = sums + tileRows * panel.channels;
    tiles.template load<0>(sums, sumBytes);
    if constexpr (channelTiles == 2)
        tiles.template load<1>(sums + tileFloats, sumBytes);
    if constexpr (pixelTiles == 2)
        tiles.template load<2>(lowerSums, sumBytes);
    if constexpr (pixelTiles == 2 && channelTiles == 2)
        tiles.template load<3>(lowerSums + tileFloats, sumBytes);
    for (std::int64_t tap = 0; tap < panel.tapCount; ++tap) {
        const auto* features = static_cast<const BFloat16*>(panel.taps[tap].features) + firstFeature;
        const auto* weights =
            static_cast<const BFloat16*>(panel.weights) +
            panel.weightOffset(firstChannel, channelTiles * tileFloats, panel.taps[tap].index);
        for (std::int64_t feature = 0; feature < panel.features; feature += tileBFloats) {
            tiles.template load<4>(features + feature, pixelBytes);
            tiles.template load<6>(weights, tileRowBytes);
            tiles.template multiplyBf16<0, 4, 6>();
            if constexpr (channelTiles == 2) {
                tiles.template load<7>(weights + tileRows * tileBFloats, tileRowBytes);
                tiles.template multiplyBf16<1, 4, 7>();
            }
            if constexpr (pixelTiles == 2) {
                tiles.template load<5>(features + feature + tileRows * panel.pixelStride, pixelBytes);
                tiles.template multiplyBf16<2, 5, 6>();
            }
            if constexpr (pixelTiles == 2 && channelTiles == 2)
                tiles.template multiplyBf16<3, 5, 7>();
            weights += channelTiles * tileRows * tileBFloats;
        }
    }
    tiles.template store<0>(sums, sumBytes);
    if constexpr (channelTiles == 2)
        tiles.template store<1>(sums + tileFloats, sumBytes);
    if constexpr (pixelTiles == 2)
        tiles.template store<2>(lowerSums, sumBytes);
    if constexpr (pixelTiles == 2 && channelTiles == 2)
        tiles.template store<3>(lowerSums + tileFloats, sumBytes);
}

template <typename Tiles, int channelTiles>
void accumulateBlockOfTiles(Tiles& tiles, const ConvolutionPanel& panel, std::int64_t firstChannel) {
    for (std::int64_t row = 0; row < panel.rows; ++row)
        for (std::int64_t column = 0; column < panel.columns; column += 2 * tileRows) {
            const std::int64_t feature = row * panel.rowStride + column * panel.pixelStride;
            float* sums = panel.sums + (row * panel.columns + column) * panel.channels + firstChannel;
            if (column + tileRows < panel.columns)
                accumulateTiles<Tiles, 2, channelTiles>(tiles, panel, feature, firstChannel, sums);
            else
                accumulateTiles<Tiles, 1, channelTiles>(tiles, panel, feature, firstChannel, sums);
        }
}

template <typename Tiles>
void accumulateOnTiles(const ConvolutionPanel& panel) {
    constexpr std::int64_t blockChannels = 2 * tileFloats;
    Tiles tiles;
    std::int64_t channel = 0;
    for (; channel + blockChannels <= panel.channels; channel += blockChannels)
        accumulateBlockOfTiles<Tiles, 2>(tiles, panel, channel);
    if (channel < panel.channels)
        accumulateBlockOfTiles<Tiles, 1>(tiles, panel, channel);
}

/// Returns the convolution over bf16 features and weights on a tile unit.
template <typename Tiles>
constexpr ConvolutionKernel tileConvolution(std::string_view name) {
    return {.name = name,
            .type = DType::BF16,
            .depth = tileBFloats,
            .pixels = tileRows,
            .channels = 2 * tileFloats,
            .lane = tileFloats,
            .accumulate = accumulateOnTiles<Tiles>,
            .weightOffset = weightOffsetByTile};
}

extern const ConvolutionKernel amxConvolution;         ///< needs AMX-BF16
extern const ConvolutionKernel avx512Bf16Convolution;  ///< needs AVX512-BF16

}  // namespace meshreel
