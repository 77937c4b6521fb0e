// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_chunk.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/tensor/owner_allocator.h"

namespace meshreel {

FeaturePool::FeaturePool(Memory* memory)
    : m_memory(memory),
      m_free(std::make_shared<std::vector<Tensor>>()),
      m_owners(std::make_shared<std::pmr::unsynchronized_pool_resource>()) {}

Tensor FeaturePool::take(Shape shape, DType type) {
    if (m_memory != nullptr)
        return Tensor::empty(std::move(shape), type, m_memory);
    const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * byteSize(type);
    Tensor memory;
    if (const auto free = std::ranges::find(m_free->rbegin(), m_free->rend(), bytes, &Tensor::bytes);
        free != m_free->rend()) {
        memory = std::exchange(*free, std::move(m_free->back()));
        m_free->pop_back();
    } else {
        memory = Tensor::empty({static_cast<std::int64_t>(bytes)}, DType::U8);
    }
    const std::byte* data = memory.raw();
    // The memory goes back when the last tensor that looks at it is gone, unless the pool went before.
    const std::weak_ptr<std::vector<Tensor>> pool = m_free;
    const std::shared_ptr<const void> owner(
        data,
        [pool, memory = std::move(memory)](const void*) {
            if (const std::shared_ptr<std::vector<Tensor>> open = pool.lock())
                open->push_back(memory);
        },
        OwnerAllocator<std::byte>(m_owners));
    return Tensor::view(data, std::move(shape), type, owner);
}

Tensor FeaturePool::copy(const Tensor& tensor) {
    Tensor copied = take(tensor.shape(), tensor.dtype());
    copied.assign(tensor);
    return copied;
}

namespace {

/// The pixels of a [B, C, T, H, W] tensor that become one channel of a sample's features: every patch-th of
/// every patch-th row.
struct PatchPlane {
    PatchPlane(const Tensor& batch, std::int64_t sample, std::int64_t channel, std::int64_t patch)
        : rowStride(batch.extent(4) * patch) {
        const std::int64_t plane = sample * batch.extent(1) + channel / (patch * patch);
        const std::int64_t column = channel / patch % patch;
        const std::int64_t row = channel % patch;
        first = (plane * batch.extent(2) * batch.extent(3) + row) * batch.extent(4) + column;
    }

    std::int64_t first = 0;  // element of the batch
    std::int64_t rowStride;  // H is whole patches, so that frames follow each other at this distance too
};

}  // namespace

Tensor featuresOfSample(const Tensor& batch, std::int64_t index, const ShardRange& columns,
                        std::int64_t patch) {
    const std::int64_t frames = batch.extent(2);
    const std::int64_t height = batch.extent(3) / patch;
    const std::int64_t width = columns.size() / patch;
    const std::int64_t channels = batch.extent(1) * patch * patch;
    Tensor features = Tensor::empty({frames, height, width, channels});
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        const PatchPlane plane(batch, index, channel, patch);
        const float* from = batch.data<float>().data() + plane.first + columns.begin;
        float* to = features.data<float>().data() + channel;
        for (std::int64_t row = 0; row < frames * height; ++row, from += plane.rowStride)
            for (std::int64_t column = 0; column < width; ++column, to += channels)
                *to = from[column * patch];
    }
    return features;
}

void placeFeatures(const Tensor& features, std::int64_t index, std::int64_t firstFrame, std::int64_t patch,
                   Tensor& batch) {
    const std::int64_t channels = features.extent(3);
    const std::int64_t rows = features.extent(0) * features.extent(1);
    const std::int64_t width = features.extent(2);
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        const PatchPlane plane(batch, index, channel, patch);
        const float* from = features.data<float>().data() + channel;
        float* to = batch.data<float>().data() + plane.first + firstFrame * batch.extent(3) * batch.extent(4);
        for (std::int64_t row = 0; row < rows; ++row, to += plane.rowStride)
            for (std::int64_t column = 0; column < width; ++column, from += channels)
                to[column * patch] = *from;
    }
}

Tensor batchOfFeatures(std::span<const Tensor> samples, std::int64_t patch) {
    const Tensor& first = samples.front();
    Tensor batch = Tensor::empty({std::ssize(samples), first.extent(3) / (patch * patch), first.extent(0),
                                  first.extent(1) * patch, first.extent(2) * patch});
    for (std::size_t index = 0; index < samples.size(); ++index)
        placeFeatures(samples[index], static_cast<std::int64_t>(index), 0, patch, batch);
    return batch;
}

Tensor joinFrames(std::span<const Tensor> chunks) {
    const Tensor& first = chunks.front();
    if (chunks.size() == 1)
        return first;
    std::int64_t frames = 0;
    for (const Tensor& chunk : chunks)
        frames += chunk.extent(0);
    Tensor joined = Tensor::empty({frames, first.extent(1), first.extent(2), first.extent(3)}, first.dtype(),
                                  first.memory());
    std::int64_t begin = 0;
    for (const Tensor& chunk : chunks) {
        joined.slice(begin, begin + chunk.extent(0)).assign(chunk);
        begin += chunk.extent(0);
    }
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

void FrameHistory::push(const StripFeatures& read, std::int64_t capacity, FeaturePool& pool) {
    const std::int64_t frames = read.pixels.extent(0);
    for (std::int64_t frame = std::max<std::int64_t>(0, frames - capacity); frame < frames; ++frame) {
        const auto keep = [&](const Tensor& part) {
            if (part.elements() == 0 || frames == 1)
                return part;
            return pool.copy(part.slice(frame, frame + 1));
        };
        m_frames.push_back({keep(read.pixels), keep(read.left), keep(read.right)});
    }
    if (std::ssize(m_frames) > capacity)
        m_frames.erase(m_frames.begin(), m_frames.end() - capacity);
}

void FeatureCache::beginPass() {
    m_next = 0;
    ++m_passes;
}

FrameHistory& FeatureCache::next() {
    if (m_next == m_histories.size())
        m_histories.emplace_back();
    return m_histories[m_next++];
}

void ChunkRecorder::record(std::string name, const Tensor& features) {
    auto found = std::ranges::find(m_series, name, &Series::name);
    if (found == m_series.end())
        found = m_series.insert(m_series.end(), Series{std::move(name), {}});
    found->samples.resize(m_samples);
    const Tensor values = features.host().toF32();
    found->samples.back().push_back(values.raw() == features.address() ? values.clone() : values);
}

void ChunkRecorder::report() const {
    for (const Series& series : m_series) {
        std::vector<Tensor> samples;
        for (const std::vector<Tensor>& chunks : series.samples)
            samples.push_back(joinFrames(chunks));
        m_probe(series.name, batchOfFeatures(samples, 1));
    }
}

std::vector<Tensor> passFrames(const ChunkContext& chunk, FeatureCache& frames, const Tensor& features,
                               FunctionRef<Tensor(const ChunkContext& frame, Tensor pixels)> layers) {
    std::vector<Tensor> results;
    results.reserve(static_cast<std::size_t>(features.extent(0)));
    for (std::int64_t frame = 0; frame < features.extent(0); ++frame) {
        frames.beginPass();
        results.push_back(
            layers({chunk.execution, frames, chunk.pool, chunk.activations, chunk.recorder, chunk.strips},
                   features.slice(frame, frame + 1)));
    }
    return results;
}

}  // namespace meshreel
