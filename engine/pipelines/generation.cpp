// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/record.h"
#include "engine/base/strings.h"
#include "engine/catalogue/adapters.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/open_devices.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/models/vae/latent_preview.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/pipelines/generation_phases.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/loop_seam.h"
#include "engine/pipelines/model_parts.h"
#include "engine/pipelines/preview_cache.h"
#include "engine/pipelines/progress_meter.h"
#include "engine/planning/run_task.h"
#include "engine/sampling/context_windows.h"
#include "engine/tensor/compute_device.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {
namespace {

/// With the first device's GPU, for a VAE in its memory.
Execution hostExecution(const RunContext& machine) {
    return {machine.mesh.hostWorkers(), machine.stop, machine.trace, machine.mesh.gpu(0)};
}

/// Reports what they change and which of their keys match nothing.
void tellAdapters(const GenerationContext& context) {
    for (const PlannedAdapter& planned : context.plan.adapters)
        context.sink(
            RunMessage{context.isExamined || (planned.adapter->unmatchedKeys().empty() &&
                                              planned.adapter->warnings().empty() && planned.remarks.empty())
                           ? MessageLevel::Info
                           : MessageLevel::Warning,
                       sentence("Adapter {}", describeAdapter(planned))});
}

/// Where the run has no VAE encoder in memory, the fit gets one of its own beside the decoder, gone before
/// the first step.
LatentPreview fitPreview(const GenerationContext& context, const ModelParts& parts,
                         const Checkpoint& checkpoint) {
    const WanVae& vae = parts.vae();
    const auto fit = [&] {
        if (const WanVae& own = parts.vaeEncoder(); own.holdsEncoder())
            return LatentPreview::fit(context.host, own);
        Memory* const memory = memoryFor(context.plan, PlacedPart::VaeDecoder, context.machine.mesh.gpu(0));
        const auto encoder = packVae(context.plan, checkpoint, VaeParts::EncoderOnly, memory);
        return LatentPreview::fit(context.host, *encoder);
    };
    if (context.machine.caches == nullptr)
        return fit();
    return PreviewCache(context.machine.caches->previews, context.warnings()).fitted(vae, checkpoint, fit);
}

/// Makes previews with the small decoder of the model if it has one, else by a linear map. Only bytes of
/// pixels come back from a GPU.
PreviewMaker makePreview(const GenerationContext& context, const ModelParts& parts,
                         const Checkpoint& checkpoint) {
    const RunPlan& plan = context.plan;
    const WanVaeConfig& vae = parts.vae().config();
    if (!plan.model.preview && vae.encodes())
        return [preview = fitPreview(context, parts, checkpoint)](const Execution&, const Tensor& latents) {
            return preview.frames(latents);
        };
    ComputeDevice* const gpu = context.machine.mesh.gpu(0);
    const auto decoder =
        plan.model.preview ? openPreviewDecoder(*plan.model.preview, plan.modelFolder / "preview", plan, gpu)
                           : openPreviewDecoder(vae, plan.modelFolder / "vae", plan, gpu);
    return [decoder](const Execution& execution, const Tensor& latents) {
        LoneDevice alone(execution);
        const Tensor frames = decoder->decodeFrames(alone.device(), 1, latents);
        return frames.reshaped({frames.extent(1), frames.extent(2), frames.extent(3), frames.extent(4)});
    };
}

/// Releases the pages of weights that are used in the mapped file and that the warm-up touched: the text
/// encoder's layers come before the transformer's first step, and the system's file cache keeps what it can.
void releaseTransformers(const ModelFiles& files) {
    for (const TransformerFiles& transformer : files.transformers)
        for (const std::string& name : transformer.checkpoint.names())
            transformer.checkpoint.release(name);
}

KernelNeeds kernelNeeds(const RunPlan& plan, ModelScope scope) {
    const RunPrecision& precision = plan.precision;
    KernelNeeds needs;
    if (scope != ModelScope::DecoderOnly)
        needs = WanTransformer::kernelNeeds(plan.model.transformer, precision.transformer);
    needs.convolutions = plan.placement.anyOnGpu(vaeParts) && precision.vae == DType::BF16;
    if (scope == ModelScope::Everything && plan.placement.anyOnGpu(encoderParts) &&
        precision.textEncoder == DType::BF16)
        needs.linears.push_back(Arithmetic::BF16);
    return needs;
}

/// Tells what is measured, since it takes a while where nothing is known of a GPU yet.
void prepareGpus(const GenerationContext& context, ModelScope scope) {
    const KernelNeeds needs = kernelNeeds(context.plan, scope);
    for (const std::shared_ptr<ComputeDevice>& gpu : context.machine.mesh.gpus())
        prepareKernels(
            &gpu->memory(), needs,
            {.before =
                 [&](std::string_view kernel) {
                     context.sink(RunMessage{
                         MessageLevel::Info,
                         sentence("Measuring which form of the kernel \"{}\" is the fastest on {}; "
                                  "later runs know it",
                                  kernel, gpu->name())});
                 },
             .refused =
                 [&](std::string_view kernel, std::string_view form, const Sentence& why) {
                     context.sink(RunMessage{MessageLevel::Info,
                                             sentence("{} does not compute the kernel \"{}\" in the form {}; "
                                                      "another form does: {}",
                                                      gpu->name(), kernel, form, why)});
                 }},
            context.machine.stop);
}

LoadedModel loadModel(const GenerationContext& context, ModelScope scope, int stepsDone,
                      TimingSummary& timings) {
    ModelFiles files;
    DeviceMesh& mesh = context.machine.mesh;
    timings.load = timePhase(context, Phase::Load, [&] {
        tellAdapters(context);
        files = openModelFiles(context.host, context.plan, scope, firstExperts(context.plan, stepsDone), mesh,
                               context.weightKeeper());
    });
    LoadedModel model;
    timings.compile += timePhase(context, Phase::Compile, [&] {
        prepareGpus(context, scope);
        model.parts = packModel(context.host, context.plan, files, mesh);
        context.progress.setDecodeEstimate(warmUp(context.host, mesh, context.plan, model.parts));
        if (files.textEncoder)
            releaseTransformers(files);
        if (weightsWereKept(files))
            context.sink(FoundInCache{Phase::Compile});
        if (scope == ModelScope::Everything && context.previews == Previews::Yes)
            model.preview = makePreview(context, model.parts, *files.vae);
    });
    model.tokenizer = std::move(files.tokenizer);
    return model;
}

/// Every segment's frames, on the leading process.
std::vector<Tensor> decodeSegments(const GenerationContext& context, const ModelParts& parts,
                                   const Tensor& latents) {
    const std::vector<Tensor> segments = latentSegments(context.plan, latents);
    std::vector<Tensor> videos;
    for (const Tensor& segment : segments) {
        VaeEvents events;
        double writingLeft = 0;
        events.progress = [&](int done, int total) {
            const double own = static_cast<double>(done) / total;
            context.progress.decoded(
                (static_cast<double>(videos.size()) + own) / static_cast<double>(segments.size()),
                writingLeft);
            context.sink(context.progress.at(Phase::Decode));
        };
        if (context.previews == Previews::Yes || context.decodedPart)
            events.chunk = [&](const VaeChunk& chunk) {
                const auto index = static_cast<int>(videos.size());
                const auto own = ownFrames(context.plan, index, chunk.first, chunk.result);
                if (own && context.decodedPart)
                    writingLeft = context.decodedPart(chunk.sample, *own);
                if (own && context.previews == Previews::Yes && chunk.sample == 0)
                    context.sink(*own);
            };
        videos.push_back(decodeFramesOnMesh(context, parts, segment, events));
    }
    return videos;
}

/// From here on, memory that is held on the GPUs counts for the next stage.
void beginGpuStage(const GenerationContext& context) {
    for (const std::shared_ptr<ComputeDevice>& gpu : context.machine.mesh.gpus())
        gpu->beginStage();
}

/// What a stage of the run took of a GPU's memory, on the device that took most, beside what the plan said.
template <typename MakeSentence>
void reportGpuMemory(const GenerationContext& context, std::uint64_t planned, MakeSentence make) {
    std::size_t most = 0;
    for (const std::shared_ptr<ComputeDevice>& gpu : context.machine.mesh.gpus())
        most = std::max(most, gpu->peakBytes());
    if (most > 0)
        context.sink(RunMessage{MessageLevel::Info, make(formatBytes(most), formatBytes(planned))});
}

void reportEncodingMemory(const GenerationContext& context) {
    const MemoryEstimate& memory = context.plan.memory;
    if (context.plan.placement.anyOnGpu(encoderParts) || memory.deviceVae.encoding > 0)
        reportGpuMemory(context, memory.deviceEncoding(),
                        [](const std::string& held, const std::string& planned) {
                            return sentence("Encoding held {} of the GPU's memory at most; {} were planned",
                                            held, planned);
                        });
}

void reportDenoisingMemory(const GenerationContext& context) {
    const MemoryEstimate& memory = context.plan.memory;
    reportGpuMemory(
        context, memory.deviceDenoising(), [](const std::string& held, const std::string& planned) {
            return sentence("Denoising held {} of the GPU's memory at most; {} were planned", held, planned);
        });
}

void reportDecodingMemory(const GenerationContext& context) {
    const VaeDeviceMemory& vae = context.plan.memory.deviceVae;
    if (context.plan.placement.isOnGpu(PlacedPart::VaeDecoder))
        reportGpuMemory(context, vae.weights + vae.decoding,
                        [](const std::string& held, const std::string& planned) {
                            return sentence("Decoding held {} of the GPU's memory at most; {} were planned",
                                            held, planned);
                        });
}

/// What a loop looks like where it begins again.
void reportLoopSeam(const GenerationContext& context, const Tensor& frames) {
    const std::optional<ContextWindows>& windows = context.plan.windows;
    if (!windows || windows->schedule != WindowSchedule::Looped)
        return;
    for (std::int64_t video = 0; video < frames.extent(0); ++video) {
        const Tensor own = frames.slice(video, video + 1);
        const LoopSeam seam = measureLoopSeam(
            own.reshaped({frames.extent(1), frames.extent(2), frames.extent(3), frames.extent(4)}));
        context.sink(RunMessage{
            MessageLevel::Info,
            sentence("Seam of the loop: the last frame differs from the first by {} levels of 255, "
                     "neighbouring frames by {} (median)",
                     fmt::format("{:.2f}", seam.seam), fmt::format("{:.2f}", seam.neighbours))});
    }
}

/// Measures where the video goes on from the clip before. What was computed is kept where that clip cannot be
/// read any more.
std::optional<ClipSeam> measureContinuation(const GenerationContext& context, const TrustedInputs& inputs,
                                            const Tensor& frames) {
    const RunPlan& plan = context.plan;
    if (plan.continuedFrames == 0 || !context.machine.leads())
        return std::nullopt;
    Tensor before;
    try {
        before = fittedPicture(lastFrameBefore(plan, inputs), frames.extent(2), frames.extent(3));
    } catch (const Error& unread) {
        if (unread.kind() == ErrorKind::Cancelled)
            throw;
        context.sink(
            RunMessage{MessageLevel::Warning,
                       sentence("The seam with the clip before is not measured: {}", unread.asSentence())});
        return std::nullopt;
    }
    const Tensor first =
        frames.slice(0, 1).reshaped({frames.extent(1), frames.extent(2), frames.extent(3), frames.extent(4)});
    const ClipSeam seam = measureClipSeam(before, first, plan.continuedFrames);
    context.sink(RunMessage{
        MessageLevel::Info,
        sentence("Seam: the first new frame differs from the last one of the clip before by {} levels of "
                 "255, neighbouring frames by {} (median); {} frames are of the clip before",
                 fmt::format("{:.2f}", seam.joint), fmt::format("{:.2f}", seam.neighbours),
                 plan.continuedFrames)});
    return seam;
}

/// The frames, on the leading process; the normalised latents are the same on all.
Tensor decodeObserved(const GenerationContext& context, const ModelParts& parts, const Tensor& latents,
                      TimingSummary& timings) {
    Tensor frames;
    timings.vaeDecode = timePhase(context, Phase::Decode, [&] {
        const Stopwatch compute;
        const std::vector<Tensor> videos = decodeSegments(context, parts, latents);
        timings.compute = compute.seconds();
        reportDecodingMemory(context);
        if (!context.machine.leads())
            return;
        throwIfStopped(context.machine.stop);
        const Stopwatch formatting;
        frames = joinedVideo(context.plan, videos);
        reportLoopSeam(context, frames);
        timings.hostFormatting = formatting.seconds();
        context.sink(StageMeasured{&PartTimings::hostFormatting, timings.hostFormatting});
    });
    return frames;
}

/// How the GPU multiplied bf16 or int8: another form of bf16 rounds otherwise.
void reportMatrixForm(const GenerationContext& context) {
    ComputeDevice* gpu = context.machine.mesh.gpu(0);
    const RunPrecision& precision = context.plan.precision;
    const bool isOfTransformer = precision.transformer.activations == DType::BF16;
    const bool isOfEncoders =
        context.plan.placement.anyOnGpu(encoderParts) && precision.textEncoder == DType::BF16;
    if (gpu == nullptr || !(isOfTransformer || isOfEncoders))
        return;
    const Arithmetic arithmetic = isOfTransformer ? precision.transformer.linears() : Arithmetic::BF16;
    const std::optional<MatrixForm> form = linearFormOn(*gpu, arithmetic);
    if (!form)
        return;
    const std::string name(enumName(*form));
    if (arithmetic == Arithmetic::Int8) {
        context.sink(
            RunMessage{MessageLevel::Info, sentence("The GPU multiplied int8 in the form {}", name)});
        return;
    }
    context.sink(RunMessage{
        MessageLevel::Info,
        clampsFactors(*form)
            ? sentence("The GPU multiplied bf16 in the form {}; factors beyond 65,504 were clamped to it",
                       name)
            : sentence("The GPU multiplied bf16 in the form {}", name)});
}

/// Tells, once for each reason, that a GPU of this process exchanges numbers in a slower way than planned.
/// Returns what was told so far.
Sentence reportExchange(const GenerationContext& context, Sentence told) {
    const DeviceMesh& mesh = context.machine.mesh;
    for (int local = 0; local < mesh.localDevices(); ++local) {
        ComputeDevice* gpu = mesh.gpu(local);
        const Sentence why = gpu == nullptr ? Sentence() : whyExchangeFell(*gpu);
        if (why.empty())
            continue;
        if (!(why == told))
            context.sink(RunMessage{MessageLevel::Warning, why});
        return why;
    }
    return told;
}

ModelScope makeScope(const RunContext& machine, bool denoised) {
    if (denoised)
        return ModelScope::DecoderOnly;
    return machine.leads() ? ModelScope::Everything : ModelScope::WithoutText;
}

}  // namespace

DeviceMeshOptions meshOptions(const RunPlan& plan) {
    DeviceMeshOptions options;
    options.layout = plan.layout;
    options.workersPerDevice = plan.workersPerDevice;
    options.stallTimeout = plan.stallTimeout;
    options.gpus = openDevices(plan.placement.gpus, plan.memory.deviceBlock, plan.placement.exchange);
    return options;
}

GenerationResult generate(const RunContext& machine, const RunPlan& plan, const GenerationStart& start,
                          const EventSink& sink) {
    const int steps = plan.steps();
    const int stepsDone = start.resumeFrom ? start.resumeFrom->stepsDone : 0;
    ProgressMeter progress(steps, stepsDone);
    MemoryWatch memory;
    GenerationResult result;
    const GenerationContext context{machine,        hostExecution(machine), plan,     sink,
                                    start.previews, start.decoded,          progress, memory,
                                    result.memory,  start.isExamined};
    TimingSummary& timings = result.timings;
    timings.hasTrace = true;
    timings.compile = start.planningSeconds;
    LoadedModel model = loadModel(context, makeScope(machine, stepsDone == steps), stepsDone, timings);
    ModelParts& parts = model.parts;
    const Sentence exchange = reportExchange(context, {});

    const Stopwatch inference;
    Conditions conditions;
    beginGpuStage(context);
    timings.conditioning = timePhase(context, Phase::Conditioning, [&] {
        conditions = condition(context, model, start);
        result.textEncoderSkipped = conditions.textEncoderSkipped;
        if (conditions.textEncoderSkipped)
            sink(FoundInCache{Phase::Conditioning});
        timings.vaeEncode = conditions.visual.encodeSeconds;
        sink(StageMeasured{&PartTimings::vaeEncode, timings.vaeEncode});
    });
    reportEncodingMemory(context);

    beginGpuStage(context);
    timings.denoiseTotal = timePhase(context, Phase::Denoise, [&] {
        result.latents = denoiseOnMesh(context, model, conditions, result);
        parts.transformers.clear();
    });
    reportDenoisingMemory(context);
    reportMatrixForm(context);
    static_cast<void>(reportExchange(context, exchange));
    beginGpuStage(context);
    sink(LatentsReady{result.latents});

    result.frames = decodeObserved(context, parts, result.latents, timings);
    timings.inference = inference.seconds();
    result.clipSeam = measureContinuation(context, start.inputs, result.frames);
    sink(FramesReady{result.frames});
    sink(progress.finished());
    return result;
}

Tensor decodeAlone(const RunContext& machine, const RunPlan& plan, const Tensor& latents) {
    LoneDevice lone(hostExecution(machine));
    const auto vae = packVae(plan, Checkpoint::open(plan.modelFolder / "vae", ModelPart::Vae),
                             VaeParts::DecoderOnly, nullptr);
    std::vector<Tensor> videos;
    for (const Tensor& segment : latentSegments(plan, latents))
        videos.push_back(vae->decodeFrames(lone.device(), 1, vae->denormalize(segment)));
    return joinedVideo(plan, videos);
}

DecodedLatents decodeOnly(const RunContext& machine, const RunPlan& plan, const Tensor& latents,
                          Previews previews, const EventSink& sink, const DecodedPart& decoded) {
    const int steps = plan.steps();
    ProgressMeter progress(steps, steps);
    MemoryWatch memory;
    std::vector<PhaseMemory> memoryOfPhases;
    constexpr bool isExamined = true;  // what is told of a run has nothing to do with its decoding
    const GenerationContext context{
        machine, hostExecution(machine), plan,      sink, previews, decoded, progress,
        memory,  memoryOfPhases,         isExamined};

    DecodedLatents result;
    result.timings.hasTrace = true;
    const ModelParts parts = loadModel(context, ModelScope::DecoderOnly, steps, result.timings).parts;
    const Stopwatch inference;
    result.frames = decodeObserved(context, parts, latents, result.timings);
    result.timings.inference = inference.seconds();
    sink(FramesReady{result.frames});
    sink(progress.finished());
    return result;
}

}  // namespace meshreel
