// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/plan_work.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_volume.h"
#include "engine/attention/context_split.h"
#include "engine/attention/sparse_share.h"
#include "engine/base/numbers.h"
#include "engine/checks/keyframe_plan.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/video_shape.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/control_channels.h"
#include "engine/models/families/model_family.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/sound/sound_config.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/step_passes.h"
#include "engine/project/input_files.h"
#include "engine/project/project.h"
#include "engine/project/speech_length.h"
#include "engine/project/timed_prompt.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

// A step.

/// Parts that attention to a timed prompt is cut into, and merged again: the words that hold all the time,
/// each part, and the end with the padding.
int timedParts(const RunTask& task) {
    std::size_t most = 0;
    for (const SpokenPrompt& prompt : task.prompts)
        if (prompt.isTimed())
            most = std::max(most, prompt.beginnings.size() + 1);
    return static_cast<int>(most);
}

constexpr double bytesPerActivation = sizeof(float);

WorkClass precisionClass(const WanPrecision& precision) {
    switch (precision.linears()) {
        case Arithmetic::F32:
            return WorkClass::LinearF32;
        case Arithmetic::BF16:
            return WorkClass::LinearBf16;
        case Arithmetic::Int8:
            break;
    }
    return WorkClass::LinearInt8;
}

/// GPUs have one kernel for all modes.
WorkClass attentionClass(const AttentionPlan& attention, const WanPrecision& precision, bool onGpu) {
    if (!rowOf(attention.kernel).isBlocked && !onGpu)
        return WorkClass::DenseAttention;
    return precision.activations == DType::BF16 ? WorkClass::BlockedAttentionBf16
                                                : WorkClass::BlockedAttentionF32;
}

/// Returns the share of self-attention's products that is computed, on average over the steps of the loop and
/// the blocks of the transformer: less than 1 where attention leaves blocks out.
double attendedShare(const RunTask& task) {
    const std::optional<SparsePlan>& sparse = task.attentions.sparse;
    if (!sparse || task.loopSteps() == 0)
        return 1;
    const auto layers = task.model.transformer.layers;
    const auto dense =
        std::ranges::count_if(sparse->denseLayers, [layers](std::int64_t layer) { return layer < layers; });
    double saved = 0;
    for (const SparsePhase& phase : sparse->phases) {
        const SparseRule& rule = *phase.attention.sparse;
        // Each block that is left out still costs as much as one of its keys where it counts by its mean.
        const double ofMeans = rule.row().addsMeans ? 1 / real(rule.blockTokens) : 0;
        saved += (phase.endStep - phase.firstStep) * (1 - expectedKeptShare(rule, videoGrid(task)) - ofMeans);
    }
    return 1 - std::max(0.0, saved) / task.loopSteps() * real(layers - dense) / real(layers);
}

/// What one device computes of a pass. The last tokens are padding of the largest shard.
class PassWork {
  public:
    PassWork(const RunTask& task, const Placement& placement, std::int64_t textTokens)
        : m_task(task),
          m_placement(placement),
          m_config(task.model.transformer),
          m_attention(task.attentions),
          m_textTokens(textTokens),
          m_ownTokens(shardRange(task.tokens, task.layout.shape().context, 0).size()),
          m_share(real(m_ownTokens) / real(task.tokens) / task.layout.shape().tensor),
          m_attended(attendedShare(task)) {}

    /// All of the pass but what devices exchange.
    [[nodiscard]] Work all() const {
        Work work = selfAttention(real(allBlocks(m_config)));
        work[precisionClass(m_task.precision.transformer)] += m_share * linearFlops(m_config, m_task.tokens);
        constexpr double squares = 6;  // self: query, key, value and output; cross: query and output
        work[WorkClass::Rounding] +=
            real(allBlocks(m_config)) *
            (roundedValues(squares * width(), squares * width()) +
             roundedValues(width(), real(m_config.ffnDim)) + roundedValues(real(m_config.ffnDim), width()));
        work += crossAttention();
        if (m_task.drivingKeys)
            work += pairedAttention();
        work[WorkClass::Activations] += real(allBlocks(m_config)) * blockBytes();
        work[WorkClass::Weights] += weightBytes();
        work[WorkClass::Blocks] += real(allBlocks(m_config)) + 1;  // the ends
        return work;
    }

    /// What the second half of guidance finds done: the embeddings and the first block's self-attention.
    [[nodiscard]] Work shared() const {
        constexpr double squares = 4;  // query, key, value and output
        constexpr double multiplyAdd = 2;
        Work work = selfAttention(1);
        work[precisionClass(m_task.precision.transformer)] +=
            m_share * squares * multiplyAdd * real(m_task.tokens) * width() * width();
        work[WorkClass::Rounding] += roundedValues(squares * width(), squares * width());
        work[WorkClass::Activations] += blockBytes() / 2;
        work[WorkClass::Blocks] += 1;  // a half of the ends, and of a block
        work[WorkClass::Messages] += selfMessages();
        return work;
    }

    /// What a GPU copies from the host in a pass, and to it: the projected latents, the prediction, layers
    /// that are not resident.
    [[nodiscard]] double transferredBytes() const {
        const double numbers = width() + real(m_config.patchElements() * m_config.outChannels);
        const auto layers = real(std::ssize(*m_task.model.transformerLayers));
        const std::optional<std::int64_t> resident = m_placement.residentLayers();
        const double streamed = resident ? 1 - real(*resident) / layers : 0;
        return real(m_ownTokens) * numbers * bytesPerActivation + std::max(0.0, streamed) * weightBytes();
    }

    /// Meetings of devices in a pass.
    [[nodiscard]] double messages() const {
        constexpr double tensorSums = 6;  // of three sub-layers, each a reduce-scatter and an all-gather
        const MeshShape mesh = m_task.layout.shape();
        double inBlock = mesh.tensor > 1 ? tensorSums : 0;
        inBlock += mesh.fsdp > 1 ? 1 : 0;
        if (mesh.context > 1)
            inBlock += selfMessages() + meetings(m_attention.text);
        return real(allBlocks(m_config)) * inBlock;
    }

    /// Attention of the main blocks to the negative prompt, and the rows that it changes.
    [[nodiscard]] Work attentionGuidance() const {
        const double blocks = real(m_config.layers);
        const double flops = crossAttentionFlops(m_config, m_task.tokens, m_textTokens) * real(m_textTokens) /
                             real(m_textTokens + m_config.imageTokens());
        constexpr double rowPasses = 3;  // the prompt's, the negative's and the result
        const double excess = m_attention.text.headExcess();
        Work work = products(m_attention.text, excess * m_share * flops * blocks / real(allBlocks(m_config)));
        work[WorkClass::KeyPacking] +=
            excess * blocks * packedKeyBytes(m_attention.text, m_ownTokens, m_textTokens);
        work[WorkClass::Activations] +=
            blocks * m_share * real(m_task.tokens) * rowPasses * width() *
            static_cast<double>(byteSize(m_task.precision.transformer.activations));
        return work;
    }

    /// The sums of the parts of a timed prompt, which are merged.
    [[nodiscard]] Work promptTiming() const {
        constexpr double partAndSum = 3;  // read both, write one
        Work work;
        work[WorkClass::Activations] += real(allBlocks(m_config)) * (timedParts(m_task) - 1) * partAndSum *
                                        bytesPerActivation * m_share * real(m_task.tokens) * width();
        return work;
    }

  private:
    [[nodiscard]] double width() const { return real(m_config.innerDim()); }

    [[nodiscard]] double selfMessages() const {
        return m_task.layout.shape().context > 1 ? meetings(m_attention.self) + m_attention.self.rotations()
                                                 : 0;
    }

    /// What layers with int8 weights round, by what they read and write of a token.
    [[nodiscard]] double roundedValues(double in, double out) const {
        const bool rounds = m_task.precision.transformer.linears() == Arithmetic::Int8;
        return rounds ? m_share * real(m_task.tokens) * (in + out) : 0;
    }

    /// Of the device with most heads, for which the others wait.
    [[nodiscard]] Work selfAttention(double blocks) const {
        const double flops = selfAttentionFlops(m_config, m_task.tokens) / real(allBlocks(m_config));
        const double excess = m_attention.self.headExcess();
        Work work = products(m_attention.self, m_attended * excess * blocks * m_share * flops);
        const ContextSplit& split = m_attention.self.split;
        work[WorkClass::KeyPacking] +=
            excess * blocks / split.ulysses *
            packedKeyBytes(m_attention.self, std::min(m_task.tokens, m_ownTokens * split.ulysses),
                           m_task.tokens);
        work[WorkClass::Activations] += excess * blocks * mergedBytes();
        return work;
    }

    /// To the driving video's keys of each frame; of keys in int8 also what unpacking them reads and writes.
    [[nodiscard]] Work pairedAttention() const {
        const std::int64_t frames = m_task.passFrames();
        const double excess = m_attention.self.headExcess();
        Work work = products(m_attention.self,
                             excess * m_share * pairedAttentionFlops(m_config, m_task.tokens, frames));
        constexpr double keyAndValue = 2;
        const double keys = keyAndValue * real(m_config.layers) * excess * m_share * width() *
                            real(m_task.tokens) * real(frames - 1) / real(frames);
        const auto element = static_cast<double>(byteSize(m_task.precision.transformer.activations));
        if (m_task.drivingKeys == DrivingKeysUse::Int8)
            work[WorkClass::Activations] += keys * (1 + element);
        return work;
    }

    [[nodiscard]] Work crossAttention() const {
        const double excess = m_attention.text.headExcess();
        Work work = products(m_attention.text,
                             excess * m_share * crossAttentionFlops(m_config, m_task.tokens, m_textTokens));
        work[WorkClass::KeyPacking] +=
            excess * real(allBlocks(m_config)) *
            packedKeyBytes(m_attention.text, m_ownTokens, m_textTokens + m_config.imageTokens());
        return work;
    }

    [[nodiscard]] Work products(const AttentionPlan& attention, double flops) const {
        constexpr double productsOfScore = 4;  // two multiply-adds for each element of a head
        Work work;
        work[attentionClass(attention, m_task.precision.transformer, m_placement.hasGpus())] += flops;
        work[WorkClass::Softmax] += flops / (productsOfScore * real(m_config.headDim));
        return work;
    }

    /// Each block of queries walks through all keys of its heads; of all heads that a device has weights of.
    [[nodiscard]] double packedKeyBytes(const AttentionPlan& attention, std::int64_t queries,
                                        std::int64_t keys) const {
        if (!rowOf(attention.kernel).isBlocked)
            return 0;
        const std::int64_t blockQ = attention.blocks.blockQ;
        const std::int64_t queryBlocks = (queries + blockQ - 1) / blockQ;
        return real(queryBlocks) * 2 * real(keys) * width() / m_task.layout.shape().tensor *
               bytesPerActivation;
    }

    /// A ring adds up a partial for each rotation.
    [[nodiscard]] double mergedBytes() const {
        return m_attention.self.rotations() * 2 * bytesPerActivation * m_share *
               real(m_task.tokens * m_config.innerDim());
    }

    /// What one block reads and writes beside the weights: three norms and three sums on the f32 stream, and
    /// the inputs and outputs of products, heads and the feed-forward between them.
    [[nodiscard]] double blockBytes() const {
        constexpr double streamPasses = 9;
        constexpr double headPasses = 20;
        const auto element = static_cast<double>(byteSize(m_task.precision.transformer.activations));
        return m_share * real(m_task.tokens) *
               (streamPasses * bytesPerActivation * width() +
                element * (headPasses * width() + 2 * real(m_config.ffnDim)));
    }

    [[nodiscard]] double weightBytes() const {
        const int tensor = m_task.layout.shape().tensor;
        return static_cast<double>(
            wanWeightBytes(m_config, 1, tensor, m_task.precision.transformer).resident);
    }

    static double meetings(const AttentionPlan& attention) {
        return static_cast<double>(attentionCollectives(attention).size() * attention.chunks.size());
    }

    const RunTask& m_task;
    const Placement& m_placement;
    const WanTransformerConfig& m_config;
    const AttentionPlans& m_attention;
    std::int64_t m_textTokens;
    std::int64_t m_ownTokens;
    double m_share;     // of the model's work, on one device
    double m_attended;  // of self-attention's products
};

/// The task of a driving video's own pass, which has the frames of a pass but the first.
RunTask drivingTask(const RunTask& task) {
    RunTask driving = task;
    driving.tokens -= task.tokens / task.passFrames();
    driving.drivingKeys.reset();
    return driving;
}

/// That pass, but for what devices exchange.
Work drivingPassWork(const RunTask& task, const Placement& placement, std::int64_t textTokens) {
    const RunTask driving = drivingTask(task);
    const PassWork pass(driving, placement, textTokens);
    Work work = pass.all();
    work[WorkClass::Messages] += pass.messages();
    return work;
}

}  // namespace

Work stepWork(const RunTask& task, const Placement& placement, std::int64_t textTokens) {
    const PassWork pass(task, placement, textTokens);
    Work work;
    double transferred = 0;
    forEachPassKind(task, [&](const RunTask& of, std::int64_t times) {
        const PassWork ofKind(of, placement, textTokens);
        work += real(times) * ofKind.all();
        if (of.drivingKeys == DrivingKeysUse::Recomputed)
            work += real(times) * drivingPassWork(of, placement, textTokens);
        work[WorkClass::Messages] += real(times) * ofKind.messages();
        transferred += real(times) * ofKind.transferredBytes();
    });
    const MeshShape mesh = task.layout.shape();
    if (task.guided && task.sharesPasses() && mesh.data * mesh.fsdp == 1)
        work += -real(task.windowsIn(0) * task.latentShape[0]) * pass.shared();
    if (const int guided = guidedAttentionPasses(task); guided > 0)
        work += real(guided) * pass.attentionGuidance();
    if (const int timed = timedPasses(task); timed > 0)
        work += real(timed) * pass.promptTiming();
    for (const MeshTraffic& part : trafficPerStep(task))
        work[WorkClass::Exchange] += real(part.bytes);
    if (!placement.hasGpus())
        return work;
    const GpuExchangeCosts costs = costsOf(placement.exchange);
    const double exchanged = costs.copies * work[WorkClass::Exchange];
    work[WorkClass::Exchange] *= costs.hostCopies;
    work = movedToGpu(work);
    work[WorkClass::GpuTransfers] = transferred + exchanged;
    return work;
}

namespace {

// A run.

WorkClass linearClass(DType type) {
    return type == DType::BF16 ? WorkClass::LinearBf16 : WorkClass::LinearF32;
}

WorkClass convolutionClass(DType type) {
    return type == DType::BF16 ? WorkClass::ConvolutionBf16 : WorkClass::ConvolutionF32;
}

/// Tokens of the longer prompt. A token stands for about four letters; the end has a mark.
std::int64_t likelyTextTokens(const Project& project) {
    constexpr std::size_t lettersOfToken = 4;
    const std::size_t letters = std::max(project.prompt.size(), project.negativePrompt.size());
    return std::min(project.maxSequenceLength, static_cast<std::int64_t>(letters / lettersOfToken) + 1);
}

Work preparing(const RunPlan& plan) {
    Work work;
    work[WorkClass::Runs] = 1;
    const bool both = plan.placement.keepsBothExperts() && plan.model.secondWeights;
    const auto transformers = static_cast<double>(plan.model.transformerWeights.parameters +
                                                  (both ? plan.model.secondWeights->parameters : 0));
    const auto decoder = static_cast<double>(plan.model.vaeDecoderWeights.parameters);
    const auto encoder =
        plan.encodesVideo() ? static_cast<double>(plan.model.vaeWeights.parameters) - decoder : 0;
    work[WorkClass::Packing] = (plan.placement.isOnGpu(PlacedPart::Transformer) ? 0 : transformers) +
                               (plan.placement.isOnGpu(PlacedPart::VaeDecoder) ? 0 : decoder) +
                               (plan.placement.isOnGpu(PlacedPart::VaeEncoder) ? 0 : encoder);
    if (plan.placement.hasGpus()) {
        work[WorkClass::GpuStarts] = 1;
        work[WorkClass::GpuTransfers] =
            static_cast<double>(plan.memory.device.weights + plan.memory.deviceVae.weights);
    }
    return work;
}

/// GPUs that are not the same.
std::vector<std::string> listGpus(const RunPlan& plan) {
    std::vector<std::pair<int, std::string>> gpus;
    for (const ChosenGpu& gpu : plan.placement.gpus)
        gpus.emplace_back(gpu.number, gpu.facts.id);
    std::ranges::sort(gpus);
    gpus.erase(std::unique(gpus.begin(), gpus.end()), gpus.end());  // clang 14 knows no ranges::unique
    std::vector<std::string> ids;
    for (auto& [number, id] : gpus)
        ids.push_back(std::move(id));
    std::ranges::sort(ids);
    return ids;
}

/// The VAE's work on so many videos, where the plan has that part. A GPU computes whole videos: those that
/// have none wait, which counts as if they worked.
Work vaeWork(const RunPlan& plan, PlacedPart part, const Work& ofVideos, double videos) {
    if (!plan.placement.isOnGpu(part))
        return ofVideos;
    const auto gpus = static_cast<double>(listGpus(plan).size());
    return std::max(1.0, gpus / std::max(1.0, videos)) * movedToGpu(ofVideos);
}

Work encoding(const RunPlan& plan) {
    std::vector<VideoExtent> videos;
    for (const std::int64_t frames : encodedFrames(plan))
        videos.push_back({.frames = frames, .height = plan.project.height, .width = plan.project.width});
    for (const PictureSize& picture : plan.pictures)
        videos.push_back({.frames = 1, .height = picture.height, .width = picture.width});
    Work work;
    for (const VideoExtent& video : videos) {
        const VaeWork vae = vaeEncodeWork(plan.model.vae, video);
        work[convolutionClass(plan.precision.vae)] += vae.computedFlops;
        work[WorkClass::Features] += vae.values;
        work[WorkClass::VaeLayers] += vae.layers;
    }
    return vaeWork(plan, PlacedPart::VaeEncoder, work, 1);
}

/// The sound encoder, which the CPU computes.
Work hearing(const RunPlan& plan) {
    Work work;
    if (!plan.model.audioEncoder)
        return work;
    work[WorkClass::LinearF32] = soundEncodeFlops(*plan.model.audioEncoder, heardSeconds(plan.project));
    work[WorkClass::TextWeights] = static_cast<double>(plan.model.audioEncoderWeights.parameters);
    return work;
}

Work conditioning(const RunPlan& plan, std::int64_t textTokens) {
    const double prompts =
        real(plan.latentShape[0]) * (real(plan.textsOfPrompt()) + (plan.readsNegativePrompt() ? 1 : 0)) +
        (plan.drivingKeys ? 1 : 0);
    Work text;
    text[linearClass(plan.precision.textEncoder)] =
        prompts * textEncodeFlops(plan.model.textEncoder, textTokens);
    if (plan.placement.isOnGpu(PlacedPart::TextEncoder)) {
        text = movedToGpu(text);
        text[WorkClass::GpuBlocks] = prompts * real(plan.model.textEncoder.layers);
        text[WorkClass::GpuTransfers] = real(plan.model.textEncoder.layers) *
                                        static_cast<double>(Umt5Encoder::gpuBytes(
                                            plan.model.textEncoder, plan.model.textEncoderWeights.linears,
                                            plan.precision.encoderProducts(), {}));
    } else {
        text[WorkClass::TextWeights] = static_cast<double>(plan.model.textEncoderWeights.parameters);
    }
    text[WorkClass::Prompts] = prompts;
    return encoding(plan) + text + hearing(plan);
}

/// The steps of each expert, guided or not, on one device.
Work stepsOf(const RunPlan& plan, std::int64_t textTokens) {
    RunTask ofStretch = plan;
    Work work;
    for (const ExpertSteps& stretch : plan.experts) {
        ofStretch.guided = plan.guidanceFor(stretch.expert) > 1;
        ofStretch.passes = plan.passesFor(stretch.expert);
        std::int64_t windows = 0;
        for (int step = stretch.firstStep; step < stretch.endStep; ++step)
            windows += plan.windowsIn(step);
        work += real(windows) / plan.windowsIn(0) * stepWork(ofStretch, plan.placement, textTokens);
    }
    if (plan.drivingKeys && plan.drivingKeys != DrivingKeysUse::Recomputed) {
        const Work once = drivingPassWork(plan, plan.placement, textTokens);
        work += plan.placement.hasGpus() ? movedToGpu(once) : once;
    }
    return real(plan.segments.count) * work;
}

/// Faces whose motion is encoded: those of each segment for each row, or in context windows those of the
/// clip, and a blank one, for all.
double encodedFaces(const RunPlan& plan, double rows) {
    if (plan.windows)
        return real(plan.project.numFrames) + (plan.guided ? 1 : 0);
    return rows * real(plan.segments.count * plan.segments.frames);
}

/// The keys and values of the text, the faces and the sound, on one device.
Work textContext(const RunPlan& plan, std::int64_t textTokens) {
    Work work;
    const double guiding = plan.attentionGuidance.acts() ? 1 : 0;
    const double prompts =
        real(plan.latentShape[0]) * (plan.rowsOfVideo() + real(plan.textsOfPrompt() - 1) + guiding);
    const bool onGpu = plan.placement.isOnGpu(PlacedPart::Transformer);
    const double times = real(plan.segments.count) * (prompts + (plan.drivingKeys ? 1 : 0));
    work[onGpu ? precisionClass(plan.precision.transformer) : WorkClass::LinearF32] +=
        times * real(plan.model.experts()) * textContextFlops(plan.model.transformer, textTokens);
    if (onGpu)
        work = movedToGpu(work);
    work[WorkClass::LinearF32] += encodedFaces(plan, prompts) * faceFlops(plan.model.transformer, 1);
    work[WorkClass::LinearF32] += times * soundContextFlops(plan.model.transformer);
    return work;
}

Work convolutions(const RunPlan& plan, const VaeWork& vae) {
    Work work;
    work[convolutionClass(plan.precision.vae)] = vae.computedFlops;
    work[WorkClass::Features] = vae.values;
    work[WorkClass::VaeLayers] = vae.layers;
    return work;
}

Work decoding(const RunPlan& plan) {
    const double videos = real(plan.latentShape[0]);
    return vaeWork(plan, PlacedPart::VaeDecoder,
                   videos * convolutions(plan, vaeDecodeWork(plan.model.vae, plan.videoLatentShape())),
                   videos);
}

/// Each clip after a sound but the last is decoded before the next one is denoised.
Work decodingBetweenClips(const RunPlan& plan) {
    if (!followsSpeech(plan.task))
        return {};
    const Shape clip = plan.latentShape.with(2, plan.keptFrames());
    const Work work = real(plan.segments.count - 1) * convolutions(plan, vaeDecodeWork(plan.model.vae, clip));
    return vaeWork(plan, PlacedPart::VaeDecoder, work, 1);
}

/// A small decoder's previews of the first video, one a step, on the first device while the others wait.
Work previews(const RunPlan& plan) {
    const WanVaeConfig* const decoder = previewDecoder(plan.model);
    if (decoder == nullptr)  // else a linear map makes them, in no time
        return {};
    const Work work =
        real(plan.steps()) * convolutions(plan, vaeDecodeWork(decoder->forPreview(), plan.latentShape));
    return plan.placement.isOnGpu(PlacedPart::PreviewDecoder) ? movedToGpu(work) : work;
}

/// The control video, the given first frames (with grey behind them where a mask says which they are), and
/// the reference.
std::vector<std::int64_t> encodedByControl(const RunPlan& plan) {
    const auto isGiven = [&](std::string_view key) {
        return !inputFiles(plan.project, *findInputKey(key)).empty();
    };
    const std::int64_t frames = plan.project.numFrames;
    std::vector<std::int64_t> videos{frames};
    if (plan.beginsWithClip() || isGiven("image"))
        videos.push_back(
            marksFirstFrames(*plan.model.family) ? frames : std::max<std::int64_t>(1, plan.continuedFrames));
    if (isGiven("reference_images"))
        videos.push_back(1);
    return videos;
}

}  // namespace

std::vector<std::int64_t> encodedFrames(const RunPlan& plan) {
    const std::int64_t frames = plan.project.numFrames;
    std::vector<std::int64_t> videos;
    switch (plan.task) {
        case WanTask::TextToVideo:
            break;
        case WanTask::SubjectsToVideo:
            for (const GroupShape& group : plan.groups)  // each picture by itself
                videos.resize(videos.size() + static_cast<std::size_t>(group.latents[2]), 1);
            break;
        case WanTask::TracksToVideo:
        case WanTask::MoveToVideo:  // behind several frames, the one where tracks begin by itself, too
            videos = {frames};
            if (plan.continuedFrames > 1)
                videos.push_back(1);
            break;
        case WanTask::ImageToVideo:
            if (plan.chainsClips && plan.continuedFrames > 0)
                return {1, plan.takenFrames()};
            if (plan.chainsClips)
                return {1};
            return {plan.model.tokenTimesteps() ? std::max<std::int64_t>(1, plan.continuedFrames) : frames};
        case WanTask::FirstLastFrame:
            if (plan.model.tokenTimesteps())
                return {std::max<std::int64_t>(1, plan.continuedFrames), 1};
            return {frames};
        case WanTask::KeyframesToVideo:
            if (!plan.model.tokenTimesteps())
                return {frames};
            if (plan.continuedFrames > 0)
                videos.push_back(plan.continuedFrames);
            for (const PlannedKeyframe& picture : plan.keyframes.pictures)  // between the ends behind a first
                videos.push_back(picture.frames == 1 ? 1 : picture.frames + 1);
            break;
        case WanTask::VideoToVideo:
            videos = {frames};
            break;
        case WanTask::SourcesToVideo:  // the pictures are of other sizes
            if (!plan.project.video.empty())
                videos = {frames};
            break;
        case WanTask::ControlToVideo:
            videos = encodedByControl(plan);
            break;
        case WanTask::VaceEditing:  // what stays, what changes, and the references
            videos = {frames, frames};
            videos.resize(videos.size() + static_cast<std::size_t>(plan.referenceFrames), 1);
            break;
        case WanTask::Animation:
        case WanTask::Replacement:
        case WanTask::DrivenAnimation:  // the character, what is given, the poses or the driving video
            for (std::int64_t segment = 0; segment < plan.segments.count; ++segment)
                videos.insert(videos.end(), {1, plan.segments.frames, plan.segments.frames});
            break;
        case WanTask::SpeechToVideo:  // the picture, the motion before, the poses with the first one twice
            for (std::int64_t clip = 0; clip < plan.segments.count; ++clip) {
                videos.push_back(1);
                if (clip > 0)
                    videos.push_back(motionVideoFrames);
                if (!plan.project.poseVideo.empty())
                    videos.push_back(plan.segments.frames + 1);
            }
            break;
    }
    if (plan.holdsClip())
        videos.push_back(plan.continuedFrames);
    return videos;
}

RunWork measureWork(const RunPlan& plan) {
    const std::int64_t textTokens = likelyTextTokens(plan.project);
    RunWork work{.steps = plan.steps(),
                 .devices = plan.devicesPerRank(),
                 .workersPerDevice = plan.workersPerDevice,
                 .gpus = listGpus(plan)};
    work[RunStage::Preparing] = preparing(plan);
    work[RunStage::Conditioning] = conditioning(plan, textTokens);
    work[RunStage::Denoising] = real(work.devices) * (stepsOf(plan, textTokens) + previews(plan));
    work[RunStage::Denoising][WorkClass::Steps] = real(work.steps);
    work.aroundSteps = real(work.devices) * textContext(plan, textTokens);
    work.aroundSteps[WorkClass::Checkpoints] = real(work.steps);
    work.aroundSteps += decodingBetweenClips(plan);
    work[RunStage::Decoding] = decoding(plan);
    return work;
}

}  // namespace meshreel
