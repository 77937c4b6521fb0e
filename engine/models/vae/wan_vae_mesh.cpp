// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_mesh.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/models/vae/wan_vae_features.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

constexpr auto floatBytes = static_cast<std::int64_t>(sizeof(float));

/// A chunk of one round; the devices of each group work on their sample of it.
struct ChunkOfRound {
    std::int64_t round;
    std::int64_t chunk;
};

/// The result of a batch as it comes in from all devices, chunk by chunk.
class Joint {
  public:
    Joint(Communicator& everyone, const VaeCoder& coder, const VaeMesh& mesh, const Tensor& batch,
          JoinAt where)
        : m_everyone(everyone),
          m_coder(coder),
          m_mesh(mesh),
          m_sourceFrames(batch.extent(2)),
          m_shape(coder.resultShape(batch.shape())),
          m_where(where) {
        if (receives(everyone.position()))
            m_result = Tensor::empty(m_shape);
    }

    /// Collective. `part` [1, C', T', H', W']: this device's columns; no elements when it had nothing to do.
    void add(const ChunkOfRound& at, const Tensor& part) {
        std::vector<ConstBlock> sends;
        std::vector<Block> places;
        for (int device = 0; device < m_everyone.size(); ++device) {
            sends.push_back(receives(device) ? blockOf(part.data<float>()) : ConstBlock{});
            places.push_back(receives(m_everyone.position()) ? place(device, at) : Block{});
        }
        m_everyone.allToAll(sends, places);
    }

    /// What a chunk of the first sample, which is of the first round, has become.
    void tell(std::int64_t chunk, const VaeChunkResult& listener) const {
        constexpr std::size_t frameAxis = 2;
        const FrameRange frames = m_coder.result(chunk, m_sourceFrames);
        listener(frames.begin, sliced(m_result.slice(0, 1), frameAxis, frames.begin, frames.end));
    }

    [[nodiscard]] Tensor take() { return std::move(m_result); }

  private:
    [[nodiscard]] bool receives(int device) const { return m_where == JoinAt::EveryDevice || device == 0; }

    /// Where the part of a device belongs.
    [[nodiscard]] Block place(int device, const ChunkOfRound& at) {
        const ShardRange columns = m_mesh.columns(device, m_shape[4] / m_coder.resultSide);
        const std::optional<std::int64_t> sample = m_mesh.sample(device, m_shape[0], at.round);
        if (!sample || columns.size() == 0)
            return {};
        const FrameRange frames = m_coder.result(at.chunk, m_sourceFrames);
        const std::int64_t firstRow = (*sample * m_shape[1] * m_shape[2] + frames.begin) * m_shape[3];
        const std::int64_t rowStride = m_shape[4] * floatBytes;
        return {
            .data = m_result.raw() + firstRow * rowStride + columns.begin * m_coder.resultSide * floatBytes,
            .rowBytes = columns.size() * m_coder.resultSide * floatBytes,
            .rows = frames.size() * m_shape[3],
            .rowStride = rowStride,
            .planes = m_shape[1],
            .planeStride = m_shape[2] * m_shape[3] * rowStride};
    }

    Communicator& m_everyone;
    const VaeCoder& m_coder;
    const VaeMesh& m_mesh;
    std::int64_t m_sourceFrames;
    Shape m_shape;
    JoinAt m_where;
    Tensor m_result;
};

/// The source columns of a strip; the last takes those that are too few for a latent as well.
ShardRange sourceColumns(const WidthStrips& strips, const VaeCoder& coder, std::int64_t width) {
    const ShardRange latents = strips.columns();
    return {latents.begin * coder.sourceSide, strips.isLast() ? width : latents.end * coder.sourceSide};
}

}  // namespace

Tensor streamOnMesh(Device& device, const VaeCoder& coder, const VaeMesh& mesh, const Tensor& batch,
                    JoinAt where, const VaeEvents& events) {
    Communicator& everyone = device.everyone();
    const std::int64_t latentColumns = batch.extent(4) / coder.sourceSide;
    std::optional<WidthStrips> strips;
    if (mesh.columns(everyone.position(), latentColumns).size() > 0)
        strips.emplace(mesh, everyone, latentColumns);
    const std::int64_t rounds = mesh.rounds(batch.extent(0));
    const std::int64_t chunks = coder.chunks(batch.extent(2));
    ChunkCounter counter(events.progress, rounds * chunks);
    Joint joint(everyone, coder, mesh, batch, where);
    for (std::int64_t round = 0; round < rounds; ++round) {
        std::optional<ChunkStream> stream;
        const auto sample = mesh.sample(everyone.position(), batch.extent(0), round);
        if (strips && sample)
            stream.emplace(device.execution(), coder,
                           featuresOfSample(batch, *sample, sourceColumns(*strips, coder, batch.extent(4)),
                                            coder.sourcePatch),
                           nullptr, &*strips);
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            throwIfStopped(device.execution().stop);
            Tensor part;
            if (stream)
                part = batchOfFeatures(std::vector{stream->next()}, coder.resultPatch);
            joint.add({round, chunk}, part);
            if (events.chunk && round == 0)
                joint.tell(chunk, events.chunk);
            counter.chunkDone();
        }
    }
    return joint.take();
}

}  // namespace meshreel
