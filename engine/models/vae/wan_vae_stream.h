// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engine/kernels/execution.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/probe.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae_chunk.h"
#include "engine/models/vae/wan_vae_strips.h"
#include "engine/models/vae/wan_vae_tiling.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Frames [begin, end).
struct FrameRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    [[nodiscard]] std::int64_t size() const { return end - begin; }
};

/// One of the VAE's two models, as a stream of chunks goes through it. The first frame is a chunk of its own
/// and becomes one frame; the others go in groups, some groups a chunk. The last chunk may have fewer: it
/// costs what it holds. Frames after the last whole group are left out.
struct VaeCoder {
    std::function<Tensor(const ChunkContext& context, FeatureCache& frames, const Tensor& chunk)> apply;
    const char* spanName;
    std::int64_t groupFrames;       ///< source frames that become something together
    std::int64_t groupResults;      ///< frames that they become
    std::int64_t chunkGroups;       ///< groups in a chunk, at least 1; -1: all
    std::int64_t sourceSide;        ///< source pixels that a latent stands for along height and width
    std::int64_t resultSide;        ///< side of the result
    std::int64_t resultChannels;    ///< channels of the result
    std::int64_t sourcePatch;       ///< pixels along a side that are one of the source's features
    std::int64_t resultPatch;       ///< patch of the result
    DType activations;              ///< for features between layers
    Memory* memory = nullptr;       ///< memory of the features; null: on the host
    std::int64_t stripsInTurn = 1;  ///< see VaeChunks; more than one needs the parts below
    /// `apply` in two parts: one that sees whole frames, and one whose pixels depend on `reach` columns of
    /// latents on each side.
    std::function<Tensor(const ChunkContext& context, const Tensor& chunk)> front = {};
    std::function<Tensor(const ChunkContext& context, FeatureCache& frames, const Tensor& features)> back =
        {};
    std::int64_t reach = 0;

    [[nodiscard]] std::int64_t chunks(std::int64_t frames) const;

    /// Returns the frames of a chunk of a video of `frames` source frames, and those that it becomes.
    [[nodiscard]] FrameRange source(std::int64_t chunk, std::int64_t frames) const;
    [[nodiscard]] FrameRange result(std::int64_t chunk, std::int64_t frames) const;

    /// Returns the shape of the result for a batch [B, C, T, H, W].
    [[nodiscard]] Shape resultShape(const Shape& batch) const;

  private:
    [[nodiscard]] FrameRange groups(std::int64_t chunk, std::int64_t frames) const;
};

/// Streams each sample of a [B, C, T, H, W] batch (or each tile of it) through the coder on one device.
/// Probes get what the layers record, untiled only.
Tensor streamBatch(const Execution& execution, const VaeCoder& coder, const Tensor& batch,
                   const std::optional<VaeTilePlan>& plan, const Probe& probe, const VaeProgress& progress);

/// Which devices get the joined result of all strips and samples; the others get no elements.
enum class JoinAt : std::uint8_t { FirstDevice, EveryDevice };

/// What chunks are joined to: f32 [B, C, T, H, W], or frames (see toFrames()) u8 [B, T, H, W, C], which each
/// device makes of its own columns, so that a quarter of the bytes travels.
enum class JoinAs : std::uint8_t { Floats, Frames };

/// Streams a batch [B, C, T, H, W], which every device of `mesh` holds, through the coder: each device takes
/// its columns of the samples of its group. Chunks are joined as soon as they are done, so that no device
/// waits longer than one chunk for another. Only a device that gets the result may listen to chunks. Throws
/// NonFiniteError naming the chunk for frames with a pixel that is not finite.
Tensor streamOnMesh(Device& device, const VaeCoder& coder, const VaeMesh& mesh, const Tensor& batch,
                    JoinAt where, const VaeEvents& events, JoinAs form = JoinAs::Floats);

}  // namespace meshreel
