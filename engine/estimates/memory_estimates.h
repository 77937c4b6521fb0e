// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/attention/attention_plan.h"
#include "engine/catalogue/model_facts.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/transformer_memory.h"
#include "engine/estimates/workload.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns the small decoder that makes previews; null when a linear map does.
const WanVaeConfig* previewDecoder(const ModelFacts& model);

/// Bytes of a GPU's memory that the VAE takes, where the GPU computes it.
struct VaeDeviceMemory {
    std::uint64_t weights = 0;   ///< all through the run, those of a small decoder for previews among them
    std::uint64_t encoding = 0;  ///< in addition: features while images and videos are encoded
    std::uint64_t preview = 0;   ///< features while a small decoder makes a step's preview
    std::uint64_t decoding = 0;  ///< features while the video is decoded; the transformer is gone by then
    std::uint64_t between = 0;   ///< features while a clip is decoded, and its end encoded, before the next
                                 ///< one is denoised; of a video after a sound
};

/// Bytes of the first device's GPU that the encoders take at most, one after the other, where it computes
/// them: a layer, and what is computed.
struct EncoderDeviceMemory {
    std::uint64_t text = 0;
    std::uint64_t image = 0;

    [[nodiscard]] std::uint64_t most() const { return std::max(text, image); }
};

/// The bytes that a stage of a run holds at most, in anonymous and shared pages. Excludes weights that are
/// used in the checkpoint's mapped file: the system can reclaim those pages.
struct StageMemory {
    std::uint64_t weights = 0;      ///< copies in another type than the file's, as the kernels read them
    std::uint64_t packed = 0;       ///< weights in the order that a kernel wants
    std::uint64_t activations = 0;  ///< tensors that are computed
    std::uint64_t workspace = 0;    ///< the program, its libraries and their scratch memory
    std::uint64_t mapped = 0;       ///< in addition: pages of the checkpoint that are read in place

    [[nodiscard]] std::uint64_t total() const { return weights + packed + activations + workspace; }
};

/// The memory of the process with the most. The text encoder comes into memory a layer at a time and is gone
/// after the prompts; the transformer is freed before decoding.
struct MemoryEstimate {
    StageMemory loading;          ///< reading, packing, warming up
    StageMemory conditioning;     ///< all weights, and one layer of the text encoder
    StageMemory denoising;        ///< transformer and VAE, with text keys and scheduler history
    StageMemory decoding;         ///< the VAE, features and caches of one chunk, the decoded video
    std::uint64_t available = 0;  ///< what the system can give
    std::uint64_t budget = 0;     ///< what the run may take of it; 0: all
    DeviceMemory device;
    VaeDeviceMemory deviceVae;
    EncoderDeviceMemory deviceEncoders;
    std::uint64_t deviceAvailable = 0;  ///< the GPU's memory, if one computes
    /// Bytes of a buffer there that small tensors share: every stage counts one that is not filled.
    std::uint64_t deviceBlock = 0;
    /// Bytes that each part takes at most where it is computed, on a device: what it keeps and what it
    /// computes. By PlacedPart; of parts that the run has.
    std::array<std::uint64_t, placedParts> parts = {};

    /// Returns the bytes of the GPU's memory while denoising, where one computes; a preview is made between
    /// steps, and what the next clip begins with between clips.
    [[nodiscard]] std::uint64_t deviceDenoising() const;

    /// Returns the bytes of the GPU's memory while prompts, images and videos are encoded, if a GPU does
    /// that.
    [[nodiscard]] std::uint64_t deviceEncoding() const {
        return device.weights + deviceVae.weights + std::max(deviceEncoders.most(), deviceVae.encoding);
    }

    /// Returns the bytes of the GPU's memory in the hungriest stage, where one computes.
    [[nodiscard]] std::uint64_t devicePeak() const;

    /// Returns the bytes of the hungriest stage.
    [[nodiscard]] std::uint64_t peak() const;

    /// Returns what the peak must stay within.
    [[nodiscard]] std::uint64_t limit() const {
        return budget == 0 ? available : std::min(available, budget);
    }
};

MemoryEstimate estimateMemory(const Project& project, const ModelFacts& model, const Workload& work,
                              const AttentionPlan& attention);

}  // namespace meshreel
