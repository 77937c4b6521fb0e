// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/memory_estimates.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/number_types.h"
#include "engine/base/numbers.h"
#include "engine/estimates/vae_memory.h"
#include "engine/estimates/video_shape.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/media/video_writer.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/encoders/clip_vision.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/encoders/wav2vec2.h"
#include "engine/models/encoders/wav2vec2_config.h"
#include "engine/models/families/model_family.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae_strips.h"
#include "engine/project/timed_prompt.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

/// What a part of a VAE has.
struct WeightCount {
    std::uint64_t parameters = 0;
    std::uint64_t tensors = 0;
};

/// No more tensors than these.
WeightCount countTinyDecoder(const WanVaeConfig& config) {
    constexpr std::int64_t blocksOfLevel = 3;
    constexpr std::int64_t kernel = 9;
    constexpr std::int64_t kernelsOfBlock = 4;  // the first convolution reads two frames
    const std::vector<std::int64_t>& widths = config.tiny->widths;
    std::int64_t count = kernel * (widths.front() * config.zDim + widths.back() * config.outChannels);
    for (std::size_t level = 0; level + 1 < widths.size(); ++level) {
        const std::int64_t channels = widths[level];
        count += blocksOfLevel * kernelsOfBlock * kernel * channels * channels;
        count += (config.temporalDownsample[level] ? 2 : 1) * channels * channels;
        count += kernel * channels * widths[level + 1];
    }
    constexpr std::size_t withBias = 2;
    const std::size_t convolutions = 2 + (widths.size() - 1) * (blocksOfLevel * kernelsOfBlock + 2);
    return {.parameters = static_cast<std::uint64_t>(count), .tensors = withBias * convolutions};
}

/// The VAE's encoder is held beside its decoder.
bool encodes(const Workload& work) {
    return work.placement.find(PlacedPart::VaeEncoder) != nullptr;
}

std::uint64_t bytes(double value) {
    return static_cast<std::uint64_t>(value);
}

/// Returns the bytes of so many weights, nearly all of which belong to convolutions, as the kernels of this
/// CPU hold them.
std::uint64_t vaeWeightBytes(std::uint64_t weights, DType activations) {
    const Arithmetic products = VaePrecision{.activations = activations}.products();
    return weights * byteSize(convolutionKernel(products).type);
}

/// Returns the weights of a part of the VAE; none where the run has no such part.
WeightCount countVaeWeights(const ModelFacts& model, const Workload& work, PlacedPart part) {
    const WeightCount decoding{.parameters = model.vaeDecoderWeights.parameters,
                               .tensors = model.vaeDecoderWeights.tensors};
    switch (part) {
        case PlacedPart::VaeEncoder:
            return encodes(work)
                       ? WeightCount{.parameters = model.vaeWeights.parameters - decoding.parameters,
                                     .tensors = model.vaeWeights.tensors - decoding.tensors}
                       : WeightCount{};
        case PlacedPart::PreviewDecoder: {
            const WanVaeConfig* const decoder = previewDecoder(model);
            return decoder == nullptr ? WeightCount{} : countTinyDecoder(decoder->forPreview());
        }
        default:
            return decoding;
    }
}

/// Returns what such weights take of a GPU's memory at most.
std::uint64_t vaeWeightBytesOnGpu(const WeightCount& weights, DType activations) {
    return weights.parameters * byteSize(activations) + weights.tensors * GpuPool::pieceAlignment;
}

/// The program, its libraries and what they allocate for themselves; OpenBLAS takes a buffer for each thread.
double resident(const Workload& work) {
    constexpr double processBytes = 8.0 * (1 << 20);
    constexpr double workerBytes = 3.0 * (1 << 20);
    return processBytes + workerBytes * work.workersPerDevice * work.devicesPerRank();
}

/// Elements alive in one layer of the text encoder: three rows of dModel, four of the heads, two of dFf, and
/// the bias of each distance.
double textEncoderElements(const Umt5Config& config, std::int64_t length) {
    const double rows = real(length);
    const double inner = real(config.heads * config.dKv);
    return rows * (3 * real(config.dModel) + 4 * inner + 2 * real(config.dFf)) +
           real(config.heads) * 2 * rows;
}

/// Tokens of a prompt at most: a token stands for one byte or more, beside the end mark and the space that
/// tokenizers put in front.
std::int64_t tokensOfPrompt(std::string_view prompt, const Project& project) {
    constexpr std::size_t marks = 2;
    return std::min(project.maxSequenceLength, static_cast<std::int64_t>(prompt.size() + marks));
}

/// Returns the tokens of the longer prompt.
std::int64_t promptTokens(const Project& project) {
    return std::max(tokensOfPrompt(project.prompt, project), tokensOfPrompt(project.negativePrompt, project));
}

/// Different parts of the transformer that the devices of the first process keep.
int distinctShards(const Workload& work) {
    std::set<std::pair<int, int>> shards;
    for (int device = 0; device < work.devicesPerRank(); ++device) {
        const DeviceCoordinates at = work.layout.coordinates(device);
        shards.emplace(at.fsdp, at.tensor);
    }
    return static_cast<int>(shards.size());
}

/// Latent frames that are decoded together.
std::int64_t decodeChunkFrames(const Project& project, const Workload& work) {
    const std::int64_t afterFirst = std::max<std::int64_t>(1, work.decodedLatents() - 1);
    return project.vaeDecodeChunk == -1 ? afterFirst : std::min(project.vaeDecodeChunk, afterFirst);
}

/// What the process keeps of the transformer.
void addKept(StageMemory& stage, const LayerMemory& memory, const Workload& work) {
    const auto shards = static_cast<std::uint64_t>(distinctShards(work));
    stage.weights += shards * memory.copied;
    stage.packed += shards * memory.packed;
    stage.mapped += shards * memory.mapped;
}

/// What is in memory of a layer that is used: devices with the same part share it, and may be at two
/// neighbours at a time; what is gathered each device has for itself.
void addUse(StageMemory& stage, const LayerMemory& memory, const Workload& work) {
    const int shards = distinctShards(work);
    const int devices = work.devicesPerRank();
    const int uses = work.layout.shape().fsdp > 1 ? devices : std::min(devices, 2 * shards);
    stage.weights += static_cast<std::uint64_t>(uses) * memory.used;
    stage.mapped += memory.mappedUse;
}

/// What encoding the longest prompt takes, and what becomes of all. A GPU gets the rows of its embedding.
double conditioningBytes(const Project& project, const Umt5Config& encoder, const Workload& work) {
    const bool onGpu = work.placement.isOnGpu(PlacedPart::TextEncoder);
    const double prompts = real(work.textsOfPrompt + 1);
    const std::int64_t tokens = promptTokens(project);
    const double encoding = onGpu ? real(tokens * encoder.dModel) : textEncoderElements(encoder, tokens);
    return f32Bytes * (encoding + prompts * real(project.maxSequenceLength * encoder.dModel)) +
           (onGpu ? real(static_cast<std::int64_t>(GpuStaging::bytes)) : 0);
}

/// What the host holds of the text encoder's weights at a time, besides the mapped file: a layer, or on the
/// way to a GPU a matrix, if that needs another type than the file's.
std::uint64_t textEncoderWeightBytes(const ModelFacts& model, const Workload& work) {
    const PartWeights& weights = model.textEncoderWeights;
    if (!work.placement.isOnGpu(PlacedPart::TextEncoder))
        return weights.memory;
    const Umt5Config& encoder = model.textEncoder;
    const bool isAsStored =
        weights.linears == DType::BF16 || (work.encoderProducts == Arithmetic::F32 && weights.copied == 0);
    const std::size_t elementBytes =
        work.encoderProducts == Arithmetic::BF16 ? sizeof(BFloat16) : sizeof(float);
    const std::int64_t largest = encoder.dModel * std::max(encoder.dFf, encoder.heads * encoder.dKv);
    return isAsStored ? 0 : static_cast<std::uint64_t>(largest) * elementBytes;
}

/// What the encoders that a GPU computes take of its memory.
EncoderDeviceMemory estimateEncodersOnGpu(const Project& project, const ModelFacts& model,
                                          const Workload& work) {
    EncoderDeviceMemory memory;
    if (work.placement.isOnGpu(PlacedPart::ImageEncoder))
        memory.image = ClipVisionEncoder::gpuBytes(
            *model.imageEncoder, model.imageEncoderWeights.linears, work.encoderProducts,
            model.family->traits.imagePositions || work.drivingKeys ? 2 : 1);
    if (!work.placement.isOnGpu(PlacedPart::TextEncoder))
        return memory;
    std::vector<std::int64_t> lengths;
    for (const SpokenPrompt& prompt : spokenPrompts(project))
        for (const std::string& spoken : prompt.texts)
            lengths.push_back(tokensOfPrompt(spoken, project));
    if (work.guided || work.guidesAttention)
        lengths.push_back(tokensOfPrompt(project.negativePrompt, project));
    if (work.drivingKeys)
        lengths.push_back(tokensOfPrompt(drivingPrompt, project));
    memory.text = Umt5Encoder::gpuBytes(model.textEncoder, model.textEncoderWeights.linears,
                                        work.encoderProducts, lengths);
    return memory;
}

/// Devices of a process that decode at once: the strips of each group that has a video.
double decodingDevices(const Workload& work) {
    const std::int64_t groups =
        std::clamp<std::int64_t>(work.layout.devices() / work.placement.vaeStrips(), 1, work.latentShape[0]);
    return real(std::min<std::int64_t>(work.devicesPerRank(), work.placement.vaeStrips() * groups));
}

/// Where strips are taken in turn, what the middle block has made of all latents waits on the host.
double waitingBytes(const WanVaeConfig& config, const Workload& work) {
    if (work.placement.vaeStripsInTurn() == 1)
        return 0;
    return static_cast<double>(byteSize(work.vaeActivations)) *
           real(work.decodedLatents() * work.latentShape[3] * work.latentShape[4] * config.decoderBaseDim *
                config.dimMult.back());
}

double pixelsOf(const PictureSize& picture) {
    return real(picture.height * picture.width);
}

/// Pixels of the largest picture that has a size of its own; 0 without one.
double largestPicture(const Workload& work) {
    double largest = 0;
    for (const PictureSize& picture : work.pictures)
        largest = std::max(largest, pixelsOf(picture));
    return largest;
}

/// Frames of pixels, beside a video of poses, while what a clip is conditioned on is made: what the one
/// before decodes to, as it comes and joined, its end, and the clip's poses.
double clipFrames() {
    return real(2 * (motionVideoFrames + speechClipFrames) + motionVideoFrames + speechClipFrames + 1);
}

/// What a sound takes before the first step: its encoder, and what is heard in each frame of the clips, as
/// read and on every device.
double soundBytes(const ModelFacts& model, const Workload& work) {
    if (!model.audioEncoder)
        return 0;
    const Wav2Vec2Config& encoder = *model.audioEncoder;
    const auto frames = static_cast<std::int64_t>(work.soundSeconds * encoder.framesPerSecond()) + 1;
    const double heard =
        real((encoder.layers + 1) * encoder.hiddenSize) * real(work.clips * speechClipFrames);
    return static_cast<double>(Wav2Vec2Encoder::hostBytes(encoder, frames)) +
           f32Bytes * heard * (1 + work.devicesPerRank());
}

/// What encoding the task's images and videos takes: their pixels and what VACE cuts out of them, the
/// encoder's features of one chunk, the latents; and the frames of the clip before.
double visualBytes(const Project& project, const ModelFacts& model, const Workload& work) {
    const bool edits = model.family->traits.vaceBlocks;
    const bool animates = model.family->traits.animates;
    if (!encodes(work))
        return 0;
    const double pixels = real(project.height * project.width);
    // Video, mask and the two parts; poses, faces, background, mask and what is cut out of them; a driving
    // video, its segment, what is given and the segment before; or a video and its copy.
    const double videos = animates ? 6 : edits || work.drivingKeys ? 4 : 2;
    const double frames = model.family->traits.hears
                              ? (project.poseVideo.empty() ? 0 : real(project.numFrames)) + clipFrames()
                              : videos * real(project.numFrames);
    const double strips = std::min(work.devicesPerRank(), work.placement.encodeStrips());
    double ofPictures = 0;  // pixels of all that have sizes of their own
    for (const PictureSize& picture : work.pictures)
        ofPictures += pixelsOf(picture);
    const std::int64_t chunk = project.vaeEncodeChunk == -1 ? project.numFrames : project.vaeEncodeChunk;
    return f32Bytes * (work.devicesPerRank() * (pixels * (frames + real(work.clipFrames)) + ofPictures) *
                           real(model.vae.videoChannelsIn()) +
                       latentCopies * real(work.latentShape.elements())) +
           (work.placement.isOnGpu(PlacedPart::VaeEncoder)
                ? 0
                : static_cast<double>(byteSize(work.vaeActivations)) * strips *
                      std::max(vaeEncodeElements(model.vae, pixels / work.placement.encodeStrips(), chunk),
                               vaeEncodeElements(model.vae,
                                                 largestPicture(work) / work.placement.encodeStrips(), 1)));
}

/// The driving video of all segments, which is kept until the last one has begun.
double drivingVideoBytes(const Project& project, const ModelFacts& model, const Workload& work) {
    return work.drivingKeys ? f32Bytes * real(project.height * project.width * project.numFrames *
                                              model.vae.videoChannelsOut())
                            : 0;
}

/// Pixels of a frame of a preview.
double previewPixels(const WanVaeConfig& preview, const Workload& work) {
    const double factor = real(preview.spatialFactor());
    return real(work.latentShape[3] * work.latentShape[4]) * factor * factor;
}

/// What the parts of the VAE that a GPU computes take of its memory.
VaeDeviceMemory estimateVaeOnGpu(const Project& project, const ModelFacts& model, const Workload& work) {
    const WanVaeConfig& config = model.vae;
    const double pixels = real(project.height * project.width);
    const std::int64_t latentFrames = work.decodedLatents();
    const std::int64_t decoded = decodeChunkFrames(project, work);
    const std::int64_t columns = work.latentShape[4];
    const auto strips = static_cast<int>(std::min(work.placement.vaeStripsInTurn(), columns));
    const std::int64_t seen =
        strips == 1 ? columns : widestStripInTurn(columns, strips, config.decodeReach());
    VaeDeviceMemory memory;
    for (const PlacedPart part : vaeParts)
        if (work.placement.isOnGpu(part))
            memory.weights += vaeWeightBytesOnGpu(countVaeWeights(model, work, part), work.vaeActivations);
    if (work.placement.isOnGpu(PlacedPart::VaeDecoder))
        memory.decoding = bytes(vaeDecodeBytesOnGpu(config, work.vaeActivations,
                                                    {.framePixels = pixels,
                                                     .partPixels = pixels * real(seen) / real(columns),
                                                     .latentFrames = latentFrames,
                                                     .chunk = decoded}));
    if (const WanVaeConfig* decoder = previewDecoder(model);
        decoder != nullptr && work.placement.isOnGpu(PlacedPart::PreviewDecoder)) {
        const WanVaeConfig preview = decoder->forPreview();
        const double previewed = previewPixels(preview, work);
        memory.preview = bytes(vaeDecodeBytesOnGpu(preview, work.vaeActivations,
                                                   {.framePixels = previewed,
                                                    .partPixels = previewed,
                                                    .latentFrames = latentFrames,
                                                    .chunk = decoded}));
    }
    if (work.placement.isOnGpu(PlacedPart::VaeEncoder)) {
        memory.encoding = bytes(
            vaeEncodeBytesOnGpu(config, work.vaeActivations, pixels, project.numFrames,
                                project.vaeEncodeChunk == -1 ? project.numFrames : project.vaeEncodeChunk));
        if (!work.pictures.empty())
            memory.encoding =
                std::max(memory.encoding,
                         bytes(vaeEncodeBytesOnGpu(config, work.vaeActivations, largestPicture(work), 1, 1)));
    }
    if (work.clips > 1)
        memory.between = std::max(memory.encoding, memory.decoding);
    return memory;
}

/// Returns what a small decoder takes of the host's memory to make a preview, pictures included; 0 without
/// one.
double previewBytes(const Project& project, const ModelFacts& model, const Workload& work) {
    const WanVaeConfig* decoder = previewDecoder(model);
    if (decoder == nullptr)
        return 0;
    constexpr double copies = 2;  // as the decoder's chunks and joined
    const WanVaeConfig preview = decoder->forPreview();
    const double pixels = previewPixels(preview, work);
    const double values = copies * pixels * real(work.latentShape[2] * preview.videoChannelsOut());
    if (work.placement.isOnGpu(PlacedPart::PreviewDecoder))  // bytes come back
        return values;
    return static_cast<double>(byteSize(work.vaeActivations)) *
               vaeDecodeElements(preview, pixels, decodeChunkFrames(project, work)) +
           f32Bytes * values;
}

/// The encoder takes frames while others are decoded.
std::uint64_t encoderBytes(const Project& project) {
    const VideoFormatInfo* const format = findVideoFormat(project.videoFormat);
    return format == nullptr ? 0
                             : bytes(format->encoderMegabytes * 1e6 +
                                     format->encoderPixelBytes * real(project.height * project.width));
}

/// Buffers that tensors share are a small part of the whole, so that what is left of them is.
void addPartlyFilledBlocks(MemoryEstimate& estimate) {
    constexpr std::uint64_t parts = 48;
    constexpr std::uint64_t smallest = std::uint64_t{64} << 10U;
    constexpr std::uint64_t largest = GpuPool::usualBlock;
    const std::uint64_t part = estimate.devicePeak() / parts / smallest * smallest;
    estimate.deviceBlock = std::clamp(part, smallest, largest);
    for (std::uint64_t* stage :
         {&estimate.device.activations, &estimate.deviceVae.encoding, &estimate.deviceVae.preview,
          &estimate.deviceVae.decoding, &estimate.deviceVae.between, &estimate.deviceEncoders.text,
          &estimate.deviceEncoders.image})
        if (*stage > 0)
            *stage += estimate.deviceBlock;
}

/// What parts of the VAE compute in the host's memory.
struct HostFeatures {
    std::uint64_t encoding = 0;
    std::uint64_t preview = 0;
    std::uint64_t decoding = 0;
};

void fillParts(MemoryEstimate& estimate, const ModelFacts& model, const Workload& work,
               const HostFeatures& onHost) {
    const auto vaeBytes = [&](PlacedPart part, std::uint64_t onGpu, std::uint64_t features) {
        const WeightCount weights = countVaeWeights(model, work, part);
        return work.placement.isOnGpu(part)
                   ? vaeWeightBytesOnGpu(weights, work.vaeActivations) + onGpu
                   : vaeWeightBytes(weights.parameters, work.vaeActivations) + features;
    };
    const auto bytesOf = [&](PlacedPart part) {
        switch (part) {
            case PlacedPart::Transformer:
            case PlacedPart::SecondTransformer:
                return estimate.device.total();
            case PlacedPart::TextEncoder:
                return work.placement.isOnGpu(part) ? estimate.deviceEncoders.text
                                                    : model.textEncoderWeights.memory;
            case PlacedPart::ImageEncoder:
                return work.placement.isOnGpu(part) ? estimate.deviceEncoders.image
                                                    : model.imageEncoderWeights.memory;
            case PlacedPart::VaeEncoder:
                return vaeBytes(part, estimate.deviceVae.encoding, onHost.encoding);
            case PlacedPart::VaeDecoder:
                return vaeBytes(part, estimate.deviceVae.decoding, onHost.decoding);
            case PlacedPart::PreviewDecoder:
                return vaeBytes(part, estimate.deviceVae.preview, onHost.preview);
            case PlacedPart::Embeddings:
                return estimate.denoising.weights + estimate.denoising.packed - estimate.decoding.packed;
        }
        return std::uint64_t{0};
    };
    for (const PartPlan& part : work.placement.parts)
        estimate.parts[static_cast<std::size_t>(part.part)] = bytesOf(part.part);
}

}  // namespace

const WanVaeConfig* previewDecoder(const ModelFacts& model) {
    const WanVaeConfig& decoder = model.preview ? *model.preview : model.vae;
    return decoder.tiny ? &decoder : nullptr;
}

std::uint64_t MemoryEstimate::deviceDenoising() const {
    return deviceVae.weights +
           std::max(device.total(), device.weights + std::max(deviceVae.preview, deviceVae.between));
}

std::uint64_t MemoryEstimate::devicePeak() const {
    return std::max({deviceEncoding(), deviceDenoising(), deviceVae.weights + deviceVae.decoding});
}

std::uint64_t MemoryEstimate::peak() const {
    return std::max({loading.total(), conditioning.total(), denoising.total(), decoding.total()});
}

MemoryEstimate estimateMemory(const Project& project, const ModelFacts& model, const Workload& work,
                              const AttentionPlan& attention) {
    MemoryEstimate estimate;
    estimate.device = estimateDeviceMemory(model, work, attention, promptTokens(project));
    estimate.deviceVae = estimateVaeOnGpu(project, model, work);
    estimate.deviceEncoders = estimateEncodersOnGpu(project, model, work);
    if (work.placement.hasGpus())
        addPartlyFilledBlocks(estimate);
    const int devices = work.devicesPerRank();
    const double pixels = real(project.height * project.width);
    // Of a clip before its latents, their noise, and both as a step has them.
    constexpr double heldCopies = 3;
    const double latents =
        f32Bytes * (latentCopies * real(work.latentShape.elements()) +
                    heldCopies * real(work.latentShape.with(2, work.heldFrames).elements()));

    StageMemory& decoding = estimate.decoding;
    decoding.workspace = bytes(resident(work));
    for (const PlacedPart part : vaeParts)
        if (!work.placement.isOnGpu(part))
            decoding.packed +=
                vaeWeightBytes(countVaeWeights(model, work, part).parameters, work.vaeActivations) *
                (part != PlacedPart::PreviewDecoder && project.replicateVae
                     ? static_cast<std::uint64_t>(devices)
                     : 1);

    const LayerMemory transformer = transformerMemoryOnHost(model, work);
    StageMemory& loading = estimate.loading;
    loading = decoding;
    addKept(loading, transformer, work);

    StageMemory& conditioning = estimate.conditioning;
    conditioning = loading;
    addUse(loading, transformer, work);
    loading.weights += static_cast<std::uint64_t>(devices) * estimate.device.gathered;
    conditioning.weights += textEncoderWeightBytes(model, work);
    conditioning.mapped = model.textEncoderWeights.mapped;  // the transformer's pages are given back
    // The prompts first, then the images: the text encoder is gone by then.
    conditioning.activations = bytes(std::max(conditioningBytes(project, model.textEncoder, work),
                                              visualBytes(project, model, work) + soundBytes(model, work)) +
                                     latents);

    StageMemory& denoising = estimate.denoising;
    denoising = loading;
    denoising.activations = work.placement.hasGpus()
                                ? bytes(latents + hostBytesBesideGpu(attention, model.transformer, work))
                                : static_cast<std::uint64_t>(devices) * estimate.device.activations;
    denoising.activations +=
        bytes(previewBytes(project, model, work) + drivingVideoBytes(project, model, work));

    // The video as bytes, and the frames of one chunk twice as f32. Strips and groups work side by side.
    const double video =
        pixels * real(work.latentShape[0] * project.numFrames) * real(model.vae.videoChannelsOut());
    const std::int64_t chunk = decodeChunkFrames(project, work);
    const double chunkElements =
        pixels * real(chunk * model.vae.temporalFactor() * model.vae.videoChannelsOut());
    const double features =
        work.placement.isOnGpu(PlacedPart::VaeDecoder)
            ? real(static_cast<std::int64_t>(GpuStaging::bytes)) + waitingBytes(model.vae, work)
            : static_cast<double>(byteSize(work.vaeActivations)) * decodingDevices(work) *
                  vaeDecodeElements(model.vae, pixels / work.placement.vaeStrips(), chunk);
    if (work.clips > 1)  // the transformer's own values are gone while a clip is decoded
        denoising.activations =
            std::max(denoising.activations, bytes(visualBytes(project, model, work) + features + latents));
    decoding.activations =
        bytes(video + devices * latents + features + f32Bytes * 2 * chunkElements) + encoderBytes(project);
    fillParts(estimate, model, work,
              {.encoding = bytes(visualBytes(project, model, work)),
               .preview = bytes(previewBytes(project, model, work)),
               .decoding = bytes(features)});
    return estimate;
}

}  // namespace meshreel
