// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae_stream.h"

#include <utility>
#include <vector>

#include "engine/models/wan_vae_features.h"
#include "engine/timing/trace.h"

namespace meshreel {

Shape VaeCoder::resultShape(const Shape& batch) const {
    return {batch[0], resultChannels, 1 + (chunks(batch[2]) - 1) * resultFrames,
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
    const std::int64_t begin = m_nextFrame;
    m_nextFrame += begin == 0 ? 1 : m_coder.sourceFrames;
    m_cache.beginChunk();
    return m_coder.apply({m_execution, m_cache, m_recorder, m_strips}, m_features.slice(begin, m_nextFrame));
}

void ChunkCounter::chunkDone() {
    ++m_done;
    if (m_progress)
        m_progress(m_done, m_total);
}

Tensor streamBatch(const Execution& execution, const VaeCoder& coder, const Tensor& batch,
                   const std::optional<TilePlan>& plan, const Probe& probe, const VaeProgress& progress) {
    const std::int64_t chunks = coder.chunks(batch.extent(2));
    const std::int64_t tiles = plan ? plan->tiles(batch.extent(3), batch.extent(4)) : 1;
    ChunkCounter counter(progress, batch.extent(0) * tiles * chunks);
    ChunkRecorder recorder(probe);
    const bool records = probe && !plan;
    const auto streamFeatures = [&](const Tensor& features) {
        ChunkStream stream(execution, coder, features, records ? &recorder : nullptr);
        std::vector<Tensor> results;
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            results.push_back(stream.next());
            counter.chunkDone();
        }
        return joinFrames(results);
    };
    std::vector<Tensor> samples;
    for (std::int64_t sample = 0; sample < batch.extent(0); ++sample) {
        recorder.beginSample();
        const Tensor features = featuresOfSample(batch, sample);
        samples.push_back(plan ? applyTiled(*plan, features, streamFeatures) : streamFeatures(features));
    }
    if (records)
        recorder.report();
    return batchOfFeatures(samples);
}

}  // namespace meshreel
