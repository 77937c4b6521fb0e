// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae_features.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace meshreel {

Tensor featuresOfSample(const Tensor& batch, std::int64_t index) {
    return featuresOfSample(batch, index, {0, batch.extent(4)});
}

Tensor featuresOfSample(const Tensor& batch, std::int64_t index, const ShardRange& columns) {
    const std::int64_t channels = batch.extent(1);
    const std::int64_t rows = batch.extent(2) * batch.extent(3);
    const std::int64_t width = batch.extent(4);
    Tensor features = Tensor::empty({batch.extent(2), batch.extent(3), columns.size(), channels});
    const float* from = batch.data<float>().data() + index * channels * rows * width + columns.begin;
    float* to = features.data<float>().data();
    for (std::int64_t channel = 0; channel < channels; ++channel)
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < columns.size(); ++column)
                to[(row * columns.size() + column) * channels + channel] =
                    from[(channel * rows + row) * width + column];
    return features;
}

void placeFeatures(const Tensor& features, std::int64_t index, std::int64_t firstFrame, Tensor& batch) {
    const std::int64_t channels = features.extent(3);
    const std::int64_t pixels = features.elements() / channels;
    const std::int64_t framePixels = batch.extent(3) * batch.extent(4);
    const float* from = features.data<float>().data();
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        float* to = batch.data<float>().data() +
                    ((index * channels + channel) * batch.extent(2) + firstFrame) * framePixels;
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
            to[pixel] = from[pixel * channels + channel];
    }
}

Tensor batchOfFeatures(std::span<const Tensor> samples) {
    const Tensor& first = samples.front();
    Tensor batch = Tensor::empty(
        {std::ssize(samples), first.extent(3), first.extent(0), first.extent(1), first.extent(2)});
    for (std::size_t index = 0; index < samples.size(); ++index)
        placeFeatures(samples[index], static_cast<std::int64_t>(index), 0, batch);
    return batch;
}

Tensor joinFrames(std::span<const Tensor> chunks) {
    const Tensor& first = chunks.front();
    if (chunks.size() == 1)
        return first;
    std::int64_t frames = 0;
    for (const Tensor& chunk : chunks)
        frames += chunk.extent(0);
    Tensor joined = Tensor::empty({frames, first.extent(1), first.extent(2), first.extent(3)}, first.dtype());
    std::byte* to = joined.raw();
    for (const Tensor& chunk : chunks)
        to = std::copy_n(chunk.raw(), chunk.bytes(), to);
    return joined;
}

Tensor cropFeatures(const Tensor& features, std::int64_t top, std::int64_t left, std::int64_t height,
                    std::int64_t width) {
    const std::int64_t rows = std::min(height, features.extent(1) - top);
    const std::int64_t columns = std::min(width, features.extent(2) - left);
    const std::int64_t channels = features.extent(3);
    Tensor crop = Tensor::empty({features.extent(0), rows, columns, channels});
    const float* from = features.data<float>().data();
    float* to = crop.data<float>().data();
    for (std::int64_t frame = 0; frame < features.extent(0); ++frame)
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t pixel = (frame * features.extent(1) + top + row) * features.extent(2) + left;
            to = std::copy_n(from + pixel * channels, columns * channels, to);
        }
    return crop;
}

}  // namespace meshreel
