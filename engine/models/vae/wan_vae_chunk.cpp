// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_chunk.h"

#include <algorithm>
#include <utility>

#include "engine/models/vae/wan_vae_features.h"

namespace meshreel {

void FrameHistory::push(const StripFeatures& read, std::int64_t capacity) {
    const std::int64_t frames = read.pixels.extent(0);
    for (std::int64_t frame = std::max<std::int64_t>(0, frames - capacity); frame < frames; ++frame) {
        const auto keep = [&](const Tensor& part) {
            if (part.elements() == 0 || frames == 1)
                return part;
            return part.slice(frame, frame + 1).clone();
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
    found->samples.back().push_back(features.toF32().clone());
}

void ChunkRecorder::report() const {
    for (const Series& series : m_series) {
        std::vector<Tensor> samples;
        for (const std::vector<Tensor>& chunks : series.samples)
            samples.push_back(joinFrames(chunks));
        m_probe(series.name, batchOfFeatures(samples, 1));
    }
}

std::vector<Tensor> passFrames(
    const ChunkContext& chunk, FeatureCache& frames, const Tensor& features,
    const std::function<Tensor(const ChunkContext& frame, Tensor pixels)>& layers) {
    std::vector<Tensor> results;
    for (std::int64_t frame = 0; frame < features.extent(0); ++frame) {
        frames.beginPass();
        results.push_back(
            layers({chunk.execution, frames, chunk.pool, chunk.activations, chunk.recorder, chunk.strips},
                   features.slice(frame, frame + 1)));
    }
    return results;
}

}  // namespace meshreel
