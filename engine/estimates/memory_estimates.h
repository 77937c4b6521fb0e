// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/attention/attention_plan.h"
#include "engine/catalogue/model_facts.h"
#include "engine/estimates/placement.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/project/project.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Returns rows of the transformer's batch for each video: the prompt, the negative prompt, and that one
/// without the references.
constexpr int rowsOfVideo(bool guided, bool guidesImages) {
    return guided ? guidesImages ? 3 : 2 : 1;
}

/// Returns the small decoder that makes previews; null when a linear map does.
const WanVaeConfig* previewDecoder(const ModelFacts& model);

/// The quantities that determine the sizes of all tensors.
struct Workload {
    Shape latentShape;             ///< [videos, channels, frames, height, width]
    std::int64_t tokens = 0;       ///< in the transformer's sequence
    bool guided = false;           ///< in some step guidance makes two transformer passes
    bool guidesImages = false;     ///< and a third, without the references
    std::int64_t steps = 0;        ///< steps in which the transformer's blocks run
    std::int64_t guidedSteps = 0;  ///< those of them with negative halves
    int keptStreams = 0;           ///< copies of each row's tokens that a step cache keeps
    bool asksBehindFirstBlock = false;
    Placement placement = {};  ///< without parts: the CPU computes all of them, whole
    int workersPerDevice = 1;
    MeshLayout layout = {};
    int ranks = 1;  ///< processes that divide the devices
    WanPrecision precision = {};
    DType vaeActivations = DType::F32;
    Arithmetic encoderProducts = Arithmetic::F32;  ///< for both encoders' linear layers

    [[nodiscard]] int devicesPerRank() const { return layout.devices() / ranks; }
    [[nodiscard]] int rowsOfVideo() const { return meshreel::rowsOfVideo(guided, guidesImages); }
};

/// Bytes on one device while denoising: of the host's memory, or of the GPU's if one computes.
struct DeviceMemory {
    std::uint64_t weights = 0;   ///< what it keeps of the transformer, which devices with the same part share
    std::uint64_t used = 0;      ///< in addition while a layer is used: unpacked or streamed weights
    std::uint64_t gathered = 0;  ///< layers that are gathered over the fsdp axis, two at most at once
    std::uint64_t activations = 0;  ///< including text keys, latents and exchange buffers

    [[nodiscard]] std::uint64_t total() const { return weights + used + gathered + activations; }
};

/// Bytes of a GPU's memory that the VAE takes, where the GPU computes it.
struct VaeDeviceMemory {
    std::uint64_t weights = 0;   ///< all through the run, those of a small decoder for previews among them
    std::uint64_t encoding = 0;  ///< in addition: features while images and videos are encoded
    std::uint64_t preview = 0;   ///< features while a small decoder makes a step's preview
    std::uint64_t decoding = 0;  ///< features while the video is decoded; the transformer is gone by then
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
    /// steps.
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

/// Floating-point operations, a multiply-add being two.
struct FlopEstimate {
    double textContext = 0;       ///< cross-attention keys and values, once per prompt
    double transformerPass = 0;   ///< matrix products of one forward pass of the transformer
    double step = 0;              ///< for one denoising step, guidance included
    double denoising = 0;         ///< for all steps
    double maxDiffusionPass = 0;  ///< one forward as MaxDiffusion's Wan trainer counts it, to compare figures
};

struct DiskEstimate {
    std::uint64_t runFolder = 0;
    std::uint64_t available = 0;  ///< 0 when not checked
};

MemoryEstimate estimateMemory(const Project& project, const ModelFacts& model, const Workload& work,
                              const AttentionPlan& attention);
FlopEstimate estimateFlops(const Project& project, const ModelFacts& model, const Workload& work);
DiskEstimate estimateDisk(const Project& project, const Workload& work);

}  // namespace meshreel
