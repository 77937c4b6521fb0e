// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/base/stop_token.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/probe.h"
#include "engine/models/vae/video_frames.h"
#include "engine/models/vae/wan_vae_chunk.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

/// One sample on its way through a coder.
class ChunkStream {
  public:
    /// `features` [T, H, W, C]: a strip of the frames when `strips` is given.
    ChunkStream(const Execution& execution, const VaeCoder& coder, Tensor features,
                ChunkRecorder* recorder = nullptr, WidthStrips* strips = nullptr);

    /// The result [T', H', W', C'] of the next chunk, in the coder's memory. Throws Error{Cancelled}.
    [[nodiscard]] Tensor next();

  private:
    const Execution& m_execution;
    const VaeCoder& m_coder;
    Tensor m_features;
    ChunkRecorder* m_recorder;
    WidthStrips* m_strips;
    StreamMemory m_memory;
    std::int64_t m_nextChunk = 0;
};

/// Counts the result's frames for a VaeProgress, which may be empty.
class FrameCounter {
  public:
    /// For so many passes over a source of `frames` frames.
    FrameCounter(const VaeProgress& progress, const VaeCoder& coder, std::int64_t passes, std::int64_t frames)
        : m_progress(progress),
          m_coder(coder),
          m_sourceFrames(frames),
          m_total(passes * coder.result(coder.chunks(frames) - 1, frames).end) {}

    void chunkDone(std::int64_t chunk) {
        m_done += m_coder.result(chunk, m_sourceFrames).size();
        if (m_progress)
            m_progress(static_cast<int>(m_done), static_cast<int>(m_total));
    }

  private:
    const VaeProgress& m_progress;
    const VaeCoder& m_coder;
    std::int64_t m_sourceFrames;
    std::int64_t m_done = 0;
    std::int64_t m_total;
};

ChunkStream::ChunkStream(const Execution& execution, const VaeCoder& coder, Tensor features,
                         ChunkRecorder* recorder, WidthStrips* strips)
    : m_execution(execution),
      m_coder(coder),
      m_features(std::move(features)),
      m_recorder(recorder),
      m_strips(strips),
      m_memory(coder.memory) {}

Tensor ChunkStream::next() {
    throwIfStopped(m_execution.stop);
    const Trace::Span span = traceSpan(m_execution.trace, m_coder.spanName);
    const FrameRange frames = m_coder.source(m_nextChunk++, m_features.extent(0));
    m_memory.chunks.beginPass();
    return m_coder.apply(
        {m_execution, m_memory.chunks, m_memory.pool, m_coder.activations, m_recorder, m_strips},
        m_memory.frames, m_features.slice(frames.begin, frames.end).in(m_coder.memory));
}

/// A chunk of one round; the devices of each group work on their sample of it.
struct ChunkOfRound {
    std::int64_t round;
    std::int64_t chunk;
};

/// Where results of the given shape [B, C, T, H, W] are joined.
Tensor emptyResult(const Shape& shape, JoinAs form) {
    return form == JoinAs::Floats
               ? Tensor::empty(shape)
               : Tensor::empty({shape[0], shape[2], shape[3], shape[4], shape[1]}, DType::U8);
}

/// The result of a batch as it comes in from all devices, chunk by chunk.
class Joint {
  public:
    Joint(Communicator& everyone, const VaeCoder& coder, const VaeMesh& mesh, const Tensor& batch,
          JoinAt where, JoinAs form)
        : m_everyone(everyone),
          m_coder(coder),
          m_mesh(mesh),
          m_sourceFrames(batch.extent(2)),
          m_shape(coder.resultShape(batch.shape())),
          m_where(where),
          m_form(form) {
        if (!receives(everyone.position()))
            return;
        m_result = emptyResult(m_shape, m_form);
    }

    /// Collective. `part` [1, C', T', H', W'], or [1, T', H', W', C'] as frames: this device's columns; no
    /// elements when it had nothing to do.
    void add(const ChunkOfRound& at, const Tensor& part) {
        std::vector<ConstBlock> sends;
        std::vector<Block> places;
        for (int device = 0; device < m_everyone.size(); ++device) {
            sends.push_back(receives(device) ? toBlock(std::span(part.raw(), part.bytes())) : ConstBlock{});
            places.push_back(receives(m_everyone.position()) ? place(device, at) : Block{});
        }
        m_everyone.allToAll(sends, places);
    }

    /// What a chunk has become, of the sample of each group.
    void tell(const ChunkOfRound& at, const VaeChunkResult& listener) const {
        const FrameRange frames = m_coder.result(at.chunk, m_sourceFrames);
        std::int64_t told = -1;  // the devices of a group follow each other and have one sample
        for (int device = 0; device < m_everyone.size(); ++device) {
            const std::optional<std::int64_t> sample = m_mesh.sample(device, m_shape[0], at.round);
            if (!sample || *sample == told)
                continue;
            told = *sample;
            listener({told, frames.begin, partOf(told, frames)});
        }
    }

    [[nodiscard]] Tensor take() { return std::move(m_result); }

  private:
    [[nodiscard]] Tensor partOf(std::int64_t sample, const FrameRange& frames) const {
        const Tensor own = m_result.slice(sample, sample + 1);
        if (m_form == JoinAs::Floats)
            return sliced(own, 2, frames.begin, frames.end);
        return own.reshaped({own.extent(1), own.extent(2), own.extent(3), own.extent(4)})
            .slice(frames.begin, frames.end);
    }

    [[nodiscard]] bool receives(int device) const { return m_where == JoinAt::EveryDevice || device == 0; }

    /// Where the part of a device belongs.
    [[nodiscard]] Block place(int device, const ChunkOfRound& at) {
        const ShardRange columns = m_mesh.columns(device, m_shape[4] / m_coder.resultSide);
        const std::optional<std::int64_t> sample = m_mesh.sample(device, m_shape[0], at.round);
        if (!sample || columns.size() == 0)
            return {};
        const FrameRange frames = m_coder.result(at.chunk, m_sourceFrames);
        // A plane holds a channel of all frames, or all channels side by side.
        const std::int64_t planes = m_form == JoinAs::Floats ? m_shape[1] : 1;
        const std::int64_t columnBytes =
            static_cast<std::int64_t>(byteSize(m_result.dtype())) * m_shape[1] / planes * m_coder.resultSide;
        const std::int64_t firstRow = (*sample * planes * m_shape[2] + frames.begin) * m_shape[3];
        const std::int64_t rowStride = m_shape[4] / m_coder.resultSide * columnBytes;
        return {.data = m_result.raw() + firstRow * rowStride + columns.begin * columnBytes,
                .rowBytes = columns.size() * columnBytes,
                .rows = frames.size() * m_shape[3],
                .rowStride = rowStride,
                .planes = planes,
                .planeStride = m_shape[2] * m_shape[3] * rowStride};
    }

    Communicator& m_everyone;
    const VaeCoder& m_coder;
    const VaeMesh& m_mesh;
    std::int64_t m_sourceFrames;
    Shape m_shape;
    JoinAt m_where;
    JoinAs m_form;
    Tensor m_result;
};

/// Pixels of some bytes each, in planes of frames: where columns are copied from and to.
template <typename Byte>
struct ColumnBytes {
    Byte* data;
    std::int64_t planes;
    std::int64_t frames;
    std::int64_t height;
    std::int64_t width;
    std::int64_t pixelBytes;

    [[nodiscard]] Byte* at(std::int64_t plane, std::int64_t row, std::int64_t column) const {
        return data + ((plane * frames * height + row) * width + column) * pixelBytes;
    }
};

/// Columns [begin, begin + count) of all frames of `from` to frames from `frame` on and columns from `column`
/// on.
void copyColumns(const ColumnBytes<const std::byte>& from, std::int64_t begin, std::int64_t count,
                 const ColumnBytes<std::byte>& to, std::int64_t frame, std::int64_t column) {
    for (std::int64_t plane = 0; plane < from.planes; ++plane)
        for (std::int64_t row = 0; row < from.frames * from.height; ++row)
            std::copy_n(from.at(plane, row, begin), count * from.pixelBytes,
                        to.at(plane, frame * to.height + row, column));
}

/// Some columns of features [T, H, W, C] on the host.
Tensor columnsOf(const Tensor& features, const ShardRange& columns) {
    Tensor part = Tensor::empty({features.extent(0), features.extent(1), columns.size(), features.extent(3)},
                                features.dtype());
    const std::int64_t pixelBytes =
        features.extent(3) * static_cast<std::int64_t>(byteSize(features.dtype()));
    copyColumns({features.raw(), 1, features.extent(0), features.extent(1), features.extent(2), pixelBytes},
                columns.begin, columns.size(),
                {part.raw(), 1, part.extent(0), part.extent(1), part.extent(2), pixelBytes}, 0, 0);
    return part;
}

/// A sample's result that one device makes strip by strip: f32 [1, C, T, H, W] or frames u8 [1, T, H, W, C].
class StripResult {
  public:
    StripResult(Tensor sample, JoinAs form) : m_sample(std::move(sample)), m_form(form) {}

    /// `part` is likewise, of the frames from `frame` on; its columns [begin, begin + count) are those from
    /// `column` on.
    void place(const Tensor& part, std::int64_t begin, std::int64_t count, std::int64_t frame,
               std::int64_t column) {
        copyColumns(bytesOf<const std::byte>(part.raw(), part.shape()), begin, count,
                    bytesOf<std::byte>(m_sample.raw(), m_sample.shape()), frame, column);
    }

    [[nodiscard]] Tensor frames(const FrameRange& range) const {
        if (m_form == JoinAs::Floats)
            return sliced(m_sample, 2, range.begin, range.end);
        return m_sample
            .reshaped({m_sample.extent(1), m_sample.extent(2), m_sample.extent(3), m_sample.extent(4)})
            .slice(range.begin, range.end);
    }

  private:
    template <typename Byte>
    [[nodiscard]] ColumnBytes<Byte> bytesOf(Byte* data, const Shape& shape) const {
        if (m_form == JoinAs::Floats)
            return {data, shape[1], shape[2], shape[3], shape[4], sizeof(float)};
        return {data, 1, shape[1], shape[2], shape[3], shape[4]};
    }

    Tensor m_sample;
    JoinAs m_form;
};

/// What a chunk's features become on this device; refused when a frame is not finite.
Tensor joinable(const Execution& execution, const VaeCoder& coder, const Tensor& features, JoinAs form,
                std::int64_t chunk, std::int64_t chunks) {
    if (form == JoinAs::Floats)
        return batchOfFeatures(std::vector{features.host()}, coder.resultPatch);
    FiniteChecks checks(execution);
    checks.add(features, fmt::format("the VAE decoder in chunk {} of {}", chunk + 1, chunks));
    Tensor frames = toFrames(execution, features, coder.resultPatch);  // waits for the GPU
    checks.finish();
    return frames;
}

/// Runs streamOnMesh() for one device that takes the strips of frames in turn. Work that needs whole frames
/// comes first and waits on the host; chunks are complete with the last strip.
Tensor streamStripsInTurn(Device& device, const VaeCoder& coder, const Tensor& batch, const VaeEvents& events,
                          JoinAs form) {
    const Execution& execution = device.execution();
    const std::int64_t latentColumns = batch.extent(4);
    const auto strips = static_cast<int>(std::min(coder.stripsInTurn, latentColumns));
    const std::int64_t chunks = coder.chunks(batch.extent(2));
    FrameCounter counter(events.progress, coder, batch.extent(0) * strips, batch.extent(2));
    Tensor result = emptyResult(coder.resultShape(batch.shape()), form);
    for (std::int64_t sample = 0; sample < batch.extent(0); ++sample) {
        const Tensor latents = featuresOfSample(batch, sample, {0, latentColumns}, coder.sourcePatch);
        StreamMemory whole(coder.memory);
        std::vector<Tensor> fronts;
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            const FrameRange frames = coder.source(chunk, batch.extent(2));
            whole.chunks.beginPass();
            fronts.push_back(coder
                                 .front({execution, whole.chunks, whole.pool, coder.activations},
                                        latents.slice(frames.begin, frames.end).in(coder.memory))
                                 .host());
        }
        whole = StreamMemory(coder.memory);
        StripResult joined(result.slice(sample, sample + 1), form);
        for (int strip = 0; strip < strips; ++strip) {
            const auto [own, seen] = stripInTurn(latentColumns, strips, strip, coder.reach);
            StreamMemory memory(coder.memory);
            for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
                throwIfStopped(execution.stop);
                const Trace::Span span = traceSpan(execution.trace, coder.spanName);
                memory.chunks.beginPass();
                const Tensor features =
                    coder.back({execution, memory.chunks, memory.pool, coder.activations}, memory.frames,
                               columnsOf(fronts[static_cast<std::size_t>(chunk)], seen).in(coder.memory));
                const FrameRange frames = coder.result(chunk, batch.extent(2));
                joined.place(joinable(execution, coder, features, form, chunk, chunks),
                             (own.begin - seen.begin) * coder.resultSide, own.size() * coder.resultSide,
                             frames.begin, own.begin * coder.resultSide);
                if (events.chunk && strip + 1 == strips)
                    events.chunk({sample, frames.begin, joined.frames(frames)});
                counter.chunkDone(chunk);
            }
        }
    }
    return result;
}

/// The source columns of a strip; the last takes those that are too few for a latent as well.
ShardRange sourceColumns(const WidthStrips& strips, const VaeCoder& coder, std::int64_t width) {
    const ShardRange latents = strips.columns();
    return {latents.begin * coder.sourceSide, strips.isLast() ? width : latents.end * coder.sourceSide};
}

}  // namespace

std::int64_t VaeCoder::chunks(std::int64_t frames) const {
    const std::int64_t groups = (frames - 1) / groupFrames;
    if (groups == 0)
        return 1;
    return 1 + (chunkGroups == -1 ? 1 : ceilDivide(groups, chunkGroups));
}

/// The groups of a chunk after the first.
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

Tensor streamBatch(const Execution& execution, const VaeCoder& coder, const Tensor& batch,
                   const std::optional<VaeTilePlan>& plan, const Probe& probe, const VaeProgress& progress) {
    const std::int64_t frames = batch.extent(2);
    const std::int64_t chunks = coder.chunks(frames);
    const std::int64_t tiles =
        plan ? plan->tiles(batch.extent(3) / coder.sourcePatch, batch.extent(4) / coder.sourcePatch) : 1;
    FrameCounter counter(progress, coder, batch.extent(0) * tiles, frames);
    ChunkRecorder recorder(probe);
    const bool records = probe && !plan;
    Tensor result = Tensor::empty(coder.resultShape(batch.shape()));
    using Sink = std::function<void(const Tensor& chunk, std::int64_t firstFrame)>;
    const auto stream = [&](const Tensor& features, const Sink& sink) {
        ChunkStream chunked(execution, coder, features, records ? &recorder : nullptr);
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            sink(chunked.next().host(), coder.result(chunk, frames).begin);
            counter.chunkDone(chunk);
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

Tensor streamOnMesh(Device& device, const VaeCoder& coder, const VaeMesh& mesh, const Tensor& batch,
                    JoinAt where, const VaeEvents& events, JoinAs form) {
    Communicator& everyone = device.everyone();
    if (coder.stripsInTurn > 1 && everyone.size() == 1)
        return streamStripsInTurn(device, coder, batch, events, form);
    const std::int64_t latentColumns = batch.extent(4) / coder.sourceSide;
    std::optional<WidthStrips> strips;
    if (mesh.columns(everyone.position(), latentColumns).size() > 0)
        strips.emplace(mesh, everyone, latentColumns);
    const std::int64_t rounds = mesh.rounds(batch.extent(0));
    const std::int64_t chunks = coder.chunks(batch.extent(2));
    FrameCounter counter(events.progress, coder, rounds, batch.extent(2));
    Joint joint(everyone, coder, mesh, batch, where, form);
    for (std::int64_t round = 0; round < rounds; ++round) {
        std::optional<ChunkStream> stream;
        const auto sample = mesh.sample(everyone.position(), batch.extent(0), round);
        if (strips && sample)
            stream.emplace(device.execution(), coder,
                           featuresOfSample(batch, *sample, sourceColumns(*strips, coder, batch.extent(4)),
                                            coder.sourcePatch),
                           nullptr, mesh.workingStrips(latentColumns) > 1 ? &*strips : nullptr);
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            throwIfStopped(device.execution().stop);
            Tensor part;
            if (stream)
                part = joinable(device.execution(), coder, stream->next(), form, chunk, chunks);
            joint.add({round, chunk}, part);
            if (events.chunk)
                joint.tell({round, chunk}, events.chunk);
            counter.chunkDone(chunk);
        }
    }
    return joint.take();
}

}  // namespace meshreel
