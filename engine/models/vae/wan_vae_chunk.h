// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/function_ref.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/execution.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/probe.h"
#include "engine/models/vae/wan_vae_strips.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Hands out tensors, and reuses their memory when they are gone: layers of one size follow each other, and
/// fresh memory from the system costs a page fault every 4 KiB. Tensors in a device's memory come from that
/// memory's own pool. For one thread; tensors may outlive the pool.
class FeaturePool {
  public:
    explicit FeaturePool(Memory* memory = nullptr);

    /// Uninitialised.
    [[nodiscard]] Tensor take(Shape shape, DType type);

    /// Returns a copy, in the pool's memory.
    [[nodiscard]] Tensor copy(const Tensor& tensor);

    /// Returns an empty list, the same each time: for the frames that the next convolution reads.
    [[nodiscard]] std::vector<ConvolutionFrame>& frameList() {
        m_frames.clear();
        return m_frames;
    }

  private:
    Memory* m_memory;                                     // null: the host's
    std::shared_ptr<std::vector<Tensor>> m_free;          // bytes
    std::shared_ptr<std::pmr::memory_resource> m_owners;  // for the owners of tensors
    std::vector<ConvolutionFrame> m_frames;
};

// Inside the VAE one sample's features are [T, H, W, C]: channels last, frames contiguous. f32 unless said
// otherwise.
//
// If pixels are coded in squares of patch × patch, features [T, H/patch, W/patch, C·patch²] stand for videos
// [B, C, T, H, W]: column x and row y of a square's channel c are channel (c·patch + x)·patch + y.

/// Returns some columns of sample `index` of a [B, C, T, H, W] tensor as features. H and the columns are
/// whole patches.
Tensor featuresOfSample(const Tensor& batch, std::int64_t index, const ShardRange& columns,
                        std::int64_t patch);

/// Features of equal shapes, one a sample, as [B, C, T, H, W].
Tensor batchOfFeatures(std::span<const Tensor> samples, std::int64_t patch);

/// Writes features to frames from `firstFrame` on of sample `index` of a [B, C, T, H, W] tensor.
void placeFeatures(const Tensor& features, std::int64_t index, std::int64_t firstFrame, std::int64_t patch,
                   Tensor& batch);

/// Chunks of any one type, one after the other in time; they agree in everything else, their memory as well.
Tensor joinFrames(std::span<const Tensor> chunks);

/// Returns rows [top, top + height) and columns [left, left + width) of every frame, cut at the frame's
/// border.
Tensor cropFeatures(const Tensor& features, std::int64_t top, std::int64_t left, std::int64_t height,
                    std::int64_t width);

/// The last frames that one causal convolution has read, oldest first, with what lay beside them. Missing
/// ones count as zeros.
class FrameHistory {
  public:
    [[nodiscard]] std::span<const StripFeatures> frames() const { return m_frames; }

    /// Appends the frames of `read`, which nobody may write to any more, and keeps the last `capacity`: a
    /// single frame itself, of several copies out of `pool`.
    void push(const StripFeatures& read, std::int64_t capacity, FeaturePool& pool);

  private:
    std::vector<StripFeatures> m_frames;  // one frame each
};

/// What streaming along time carries from one pass through some layers to the next: a history for each causal
/// convolution, in the order in which a pass runs them.
class FeatureCache {
  public:
    /// Call before each pass.
    void beginPass();

    [[nodiscard]] bool firstPass() const { return m_passes == 1; }

    /// Returns the history of the next convolution of this pass.
    FrameHistory& next();

  private:
    std::deque<FrameHistory> m_histories;  // references stay valid while it grows
    std::size_t m_next = 0;
    std::int64_t m_passes = 0;
};

/// Joins what the chunks of each sample pass by, and hands it to a probe as [B, C, T, H, W].
class ChunkRecorder {
  public:
    explicit ChunkRecorder(const Probe& probe) : m_probe(probe) {}

    void beginSample() { ++m_samples; }
    void record(std::string name, const Tensor& features);
    void report() const;

  private:
    struct Series {
        std::string name;
        std::vector<std::vector<Tensor>> samples;  // [sample][chunk]
    };

    const Probe& m_probe;
    std::size_t m_samples = 0;
    std::vector<Series> m_series;  // in the order of their first record
};

/// What a stream keeps between its chunks.
struct StreamMemory {
    /// `memory` is where features lie; null: the host's.
    explicit StreamMemory(Memory* memory) : pool(memory) {}

    FeatureCache chunks;  ///< for the layers that take the frames of a chunk together
    FeatureCache frames;  ///< for the layers that take frames one by one, because they are the largest
    FeaturePool pool;
};

/// What the layers need to work on some frames.
struct ChunkContext {
    const Execution& execution;
    FeatureCache& cache;
    FeaturePool& pool;
    DType activations = DType::F32;     ///< for features between layers
    ChunkRecorder* recorder = nullptr;  ///< none when nobody probes
    WidthStrips* strips = nullptr;      ///< none: the features are whole frames

    void record(std::string_view name, const Tensor& features) const {
        if (recorder != nullptr)
            recorder->record(std::string(name), features);
    }
    void record(std::string_view prefix, std::string_view name, const Tensor& features) const {
        if (recorder != nullptr)
            recorder->record(std::string(prefix).append(name), features);
    }
    void record(std::string_view prefix, std::size_t number, const Tensor& features) const {
        if (recorder != nullptr)
            recorder->record(std::string(prefix).append(std::to_string(number)), features);
    }
};

/// Passes the frames of [T, H, W, C] one by one through layers that keep their past in `frames`. Returns what
/// becomes of each.
std::vector<Tensor> passFrames(const ChunkContext& chunk, FeatureCache& frames, const Tensor& features,
                               FunctionRef<Tensor(const ChunkContext& frame, Tensor pixels)> layers);

}  // namespace meshreel
