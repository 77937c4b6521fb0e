// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/kernels/round_up.h"
#include "engine/models/vae/wan_vae_features.h"
#include "engine/timing/trace.h"

namespace meshreel {

std::int64_t VaeCoder::chunks(std::int64_t frames) const {
    const std::int64_t groups = (frames - 1) / groupFrames;
    if (groups == 0)
        return 1;
    return 1 + (chunkGroups == -1 ? 1 : ceilDivide(groups, chunkGroups));
}

/// Of a chunk after the first.
FrameRange VaeCoder::groups(std::int64_t chunk, std::int64_t frames) const {
    const std::int64_t all = (frames - 1) / groupFrames;
    const std::int64_t together = chunkGroups == -1 ? all : chunkGroups;
    return {(chunk - 1) * together, std::min(all, chunk * together)};
}

FrameRange VaeCoder::source(std::int64_t chunk, std::int64_t frames) const {
    if (chunk == 0)
        return {0, 1};
    const FrameRange range = groups(chunk, frames);
    return {1 + range.begin * groupFrames, 1 + range.end * groupFrames};
}

FrameRange VaeCoder::result(std::int64_t chunk, std::int64_t frames) const {
    if (chunk == 0)
        return {0, 1};
    const FrameRange range = groups(chunk, frames);
    return {1 + range.begin * groupResults, 1 + range.end * groupResults};
}

Shape VaeCoder::resultShape(const Shape& batch) const {
    return {batch[0], resultChannels, result(chunks(batch[2]) - 1, batch[2]).end,
            batch[3] / sourceSide * resultSide, batch[4] / sourceSide * resultSide};
}

ChunkStream::ChunkStream(const Execution& execution, const VaeCoder& coder, Tensor features,
                         ChunkRecorder* recorder, WidthStrips* strips)
    : m_execution(execution),
      m_coder(coder),
      m_features(std::move(features)),
      m_recorder(recorder),
      m_strips(strips) {}

Tensor ChunkStream::next() {
    throwIfStopped(m_execution.stop);
    const Trace::Span span = traceSpan(m_execution.trace, m_coder.spanName);
    const FrameRange frames = m_coder.source(m_nextChunk++, m_features.extent(0));
    m_memory.chunks.beginPass();
    return m_coder.apply(
        {m_execution, m_memory.chunks, m_memory.pool, m_coder.activations, m_recorder, m_strips},
        m_memory.frames, m_features.slice(frames.begin, frames.end));
}

void ChunkCounter::chunkDone() {
    ++m_done;
    if (m_progress)
        m_progress(m_done, m_total);
}

Tensor streamBatch(const Execution& execution, const VaeCoder& coder, const Tensor& batch,
                   const std::optional<VaeTilePlan>& plan, const Probe& probe, const VaeProgress& progress) {
    const std::int64_t frames = batch.extent(2);
    const std::int64_t chunks = coder.chunks(frames);
    const std::int64_t tiles =
        plan ? plan->tiles(batch.extent(3) / coder.sourcePatch, batch.extent(4) / coder.sourcePatch) : 1;
    ChunkCounter counter(progress, batch.extent(0) * tiles * chunks);
    ChunkRecorder recorder(probe);
    const bool records = probe && !plan;
    Tensor result = Tensor::empty(coder.resultShape(batch.shape()));
    using Sink = std::function<void(const Tensor& chunk, std::int64_t firstFrame)>;
    const auto stream = [&](const Tensor& features, const Sink& sink) {
        ChunkStream chunked(execution, coder, features, records ? &recorder : nullptr);
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            sink(chunked.next(), coder.result(chunk, frames).begin);
            counter.chunkDone();
        }
    };
    const auto streamTile = [&](const Tensor& tile) {
        std::vector<Tensor> results;
        stream(tile, [&](const Tensor& chunk, std::int64_t) { results.push_back(chunk); });
        return joinFrames(results);
    };
    for (std::int64_t sample = 0; sample < batch.extent(0); ++sample) {
        recorder.beginSample();
        const Tensor features = featuresOfSample(batch, sample, {0, batch.extent(4)}, coder.sourcePatch);
        if (plan)
            placeFeatures(applyTiled(*plan, features, streamTile), sample, 0, coder.resultPatch, result);
        else
            stream(features, [&](const Tensor& chunk, std::int64_t firstFrame) {
                placeFeatures(chunk, sample, firstFrame, coder.resultPatch, result);
            });
    }
    if (records)
        recorder.report();
    return result;
}

}  // namespace meshreel
