// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/models/probe.h"
#include "engine/models/wan_vae_strips.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The last frames that one causal convolution has read, oldest first, with what lay beside them. Missing
/// ones count as zeros.
class FrameHistory {
  public:
    [[nodiscard]] std::span<const StripFeatures> frames() const { return m_frames; }

    /// Appends the frames of `chunk` and keeps the last `capacity`.
    void push(const StripFeatures& chunk, std::int64_t capacity);

  private:
    std::vector<StripFeatures> m_frames;  // one frame each
};

/// What streaming along time carries from one chunk to the next: a history for each causal convolution, in
/// the order in which a chunk meets them.
class FeatureCache {
  public:
    /// Call before each chunk.
    void beginChunk();

    [[nodiscard]] bool firstChunk() const { return m_chunks == 1; }

    /// The history of the next convolution of this chunk.
    FrameHistory& next();

  private:
    std::deque<FrameHistory> m_histories;  // references stay valid while it grows
    std::size_t m_next = 0;
    std::int64_t m_chunks = 0;
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

/// What the layers need to work on one chunk.
struct ChunkContext {
    const Execution& execution;
    FeatureCache& cache;
    ChunkRecorder* recorder = nullptr;  ///< none when nobody probes
    WidthStrips* strips = nullptr;      ///< none: the features are whole frames

    void record(const std::string& name, const Tensor& features) const {
        if (recorder != nullptr)
            recorder->record(name, features);
    }
};

}  // namespace meshreel
