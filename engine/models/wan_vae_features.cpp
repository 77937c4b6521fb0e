// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae_features.h"

#include <algorithm>
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

Tensor batchOfFeatures(std::span<const Tensor> samples) {
    const Tensor& first = samples.front();
    const std::int64_t channels = first.extent(3);
    const std::int64_t pixels = first.elements() / channels;
    Tensor batch =
        Tensor::empty({std::ssize(samples), channels, first.extent(0), first.extent(1), first.extent(2)});
    float* to = batch.data<float>().data();
    for (const Tensor& sample : samples) {
        const float* from = sample.data<float>().data();
        for (std::int64_t channel = 0; channel < channels; ++channel)
            for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
                *to++ = from[pixel * channels + channel];
    }
    return batch;
}

Tensor joinFrames(std::span<const Tensor> chunks) {
    std::int64_t frames = 0;
    for (const Tensor& chunk : chunks)
        frames += chunk.extent(0);
    const Tensor& first = chunks.front();
    Tensor joined = Tensor::empty({frames, first.extent(1), first.extent(2), first.extent(3)});
    auto to = joined.data<float>().begin();
    for (const Tensor& chunk : chunks)
        to = std::ranges::copy(chunk.data<float>(), to).out;
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
