// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_pass.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "engine/attention/attention_plan.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/probe.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/wan_block.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/tensor/matrix_view.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

// The features that a device's part of a product takes, of tokens that every device of the tensor axis has
// whole.
MatrixView ownFeatures(const Device& device, const Tensor& tokens) {
    const std::int64_t width = tokens.extent(2) / device.layout().shape().tensor;
    return MatrixView(tokens).columns(width * device.at().tensor, width);
}

// Rows of the transformer's own scale_shift_table.
enum OutputRow : std::int64_t { OutputShift, OutputScale };

// [1, tokens, 1, headDim], every value twice: the layout upstream keeps.
Tensor interleaved(const Tensor& perPair) {
    Tensor result = Tensor::empty({1, perPair.extent(0), 1, perPair.extent(1) * 2});
    const auto from = perPair.data<float>();
    const auto to = result.data<float>();
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = from[i / 2];
    return result;
}

// [VACE blocks, innerDim]: the factor of a block's hint, for each feature.
Tensor hintGates(const WanInputs& inputs, const WanTransformerConfig& config) {
    Tensor gates = Tensor::filled({std::ssize(config.vaceLayers), config.innerDim()}, 1.0F);
    for (std::size_t block = 0; block < inputs.controlScales.size(); ++block)
        std::ranges::fill(MatrixSpan(gates).row<float>(static_cast<std::int64_t>(block)),
                          inputs.controlScales[block]);
    return gates;
}

}  // namespace

VaceStream::VaceStream(Device& device, const PackedMatrix& projection, const Tensor& control, Tensor gates,
                       const Tensor& hidden)
    : m_gates(std::move(gates)), m_control(Tensor::empty(hidden.shape(), DType::F32, hidden.memory())) {
    const Execution& execution = device.execution();
    projection.apply(execution, ownFeatures(device, control), MatrixSpan(m_control));
    if (Communicator& tensor = device.along(MeshAxis::Tensor); tensor.size() > 1)
        tensor.allReduceSum(m_control.data<float>());
    addRows(execution, MatrixSpan(m_control), MatrixView(hidden));
}

void VaceStream::restore(const Tensor& saved) {
    m_control.assign(saved);
}

void VaceStream::run(Device& device, const VaceBlock& vace, const LayerTensors& weights, std::int64_t index,
                     const WanBlockInputs& inputs, WanWorkspace& work, FiniteChecks& checks) {
    const WanBlockNames& names = vace.block.names();
    const auto span = traceSpan(device.execution().trace, names.trace);
    std::swap(work.hidden, m_control);
    vace.block.modulate(weights, inputs, work.modulation);
    vace.block.selfAttention(device, weights, inputs, work);
    vace.block.finish(device, weights, inputs, work);
    std::swap(work.hidden, m_control);
    checks.add(m_control, names.error);
    if (inputs.probe)
        inputs.probe(names.probe + ".control", m_control.host());
    addHint(device, vace, weights, index, inputs, work);
}

void VaceStream::addHint(Device& device, const VaceBlock& vace, const LayerTensors& weights,
                         std::int64_t index, const WanBlockInputs& inputs, WanWorkspace& work) const {
    ResidualSum sum(device, work, {.constant = MatrixView(m_gates).row<float>(index)},
                    {.probe = &inputs.probe, .prefix = vace.block.names().probe, .name = ".hint"});
    const MatrixView features = ownFeatures(device, m_control);
    for (std::int64_t video = 0; video < work.batch(); ++video)
        sum.add(weights.matrix(vace.projection), video, 0,
                features.slice(video * work.tokens(), work.tokens()));
    sum.finish();
}

WanTransformer::Pass::Pass(const WanTransformer& model, Device& device, const TokenSequence& sequence,
                           const RotaryTable& rotary, const Probe& probe)
    : m_model(model),
      m_device(device),
      m_execution(device.execution()),
      m_sequence(sequence),
      m_own(ownTokens(device, sequence.tokens())),
      m_rotary(rotary),
      m_probe(probe),
      m_checks(m_execution) {}

std::vector<Tensor> WanTransformer::Pass::run(const WanInputs& inputs,
                                              std::span<const CrossAttentionCache* const> contexts,
                                              BlockReuse* reuse) {
    cutBlocks(inputs.step);
    std::vector<Tensor> projected;
    {
        const TokenTimes times(timesteps(inputs), m_own);
        if (inputs.soundScale != 1.0F)
            m_soundGate.assign(static_cast<std::size_t>(m_model.m_config.innerDim()), inputs.soundScale);
        const bool timed = std::ranges::any_of(
            contexts, [](const CrossAttentionCache* context) { return !context->timed.empty(); });
        WanWorkspace work(m_model.m_config, m_model.m_precision, passShape(inputs, times, timed), times,
                          m_execution.memory());
        BlockKeeper keeper(m_execution, reuse, contexts.size());
        takeDriving(inputs);
        Start start;
        for (const CrossAttentionCache* context : contexts)
            projected.push_back(predict(
                inputs,
                {.context = *context, .times = times, .index = projected.size(), .count = contexts.size()},
                keeper, start, work));
        m_driving.reset();
    }
    for (Tensor& one : projected)
        one = m_model.m_patches.assemble(m_execution, gatherTokens(m_device, one, m_sequence.tokens()),
                                         m_sequence.video());
    return projected;
}

Tensor WanTransformer::Pass::predict(const WanInputs& inputs, const BlockCall& call, BlockKeeper& keeper,
                                     Start& start, WanWorkspace& work) {
    takeTimes(inputs, call.context);
    const Route route = m_model.route();
    const std::size_t end = route.output + 1;
    const std::size_t blocks = route.embeddings + 1;
    // One walk where nothing is asked: sharded layers are then gathered ahead all the way.
    std::size_t split = end;
    if (keeper.skips())
        split = blocks;
    else if (keeper.asks())
        split = route.behindFirstBlock;

    std::optional<LayerStream> layers;
    layers.emplace(m_model.layers(m_device, call.first() ? route.embeddings : blocks, split));
    if (call.first()) {
        const std::shared_ptr<const LayerTensors> weights = layers->next();
        embed(*weights, inputs, call.times, start, work);
        if (m_driving && !keeper.skips())
            m_driving->embed(*weights, !call.last());
        keeper.embedded(work.hidden);
        if (keeper.skips() && !call.last())
            keepStart(start, work);
    } else {
        resume(start, work);
        if (m_driving && !keeper.skips())
            m_driving->restart();
    }
    runBlocks(*layers, blocks, std::min(split, route.output), call, start, work);
    bool skipped = false;
    if (split < end) {
        m_checks.finish();  // before a decision depends on the first block's values
        skipped = keeper.skips() || keeper.firstBlockDone(call.index, work.hidden);
        const std::size_t next = skipped ? route.output : split;
        layers.reset();
        layers.emplace(m_model.layers(m_device, next, end));
        runBlocks(*layers, next, route.output, call, start, work);
    }
    if (skipped)
        keeper.addKept(call.index, work.hidden);
    else
        keeper.blocksDone(call.index, work.hidden);
    Tensor projected = project(*layers->next(), start.time.embedding, work);
    m_checks.finish();
    return projected;
}

WanPassShape WanTransformer::Pass::passShape(const WanInputs& inputs, const TokenTimes& times,
                                             bool timed) const {
    const int tensorDevices = m_model.m_shard.tensorDevices;
    const RingMemory ring = ringMemoryOf(m_device);
    const AttentionPlans& attention = m_model.m_attention;
    const DType type = m_model.m_precision.activations;
    double shards = attention.self.exchangedShards(type, ring);
    if (inputs.driving != nullptr)
        shards += attention.self.biasedShards(type, m_execution.hasOwnMemory());
    if (timed)
        shards = std::max(shards, attention.text.exchangedShards(type, ring) +
                                      attention.text.biasedShards(type, m_execution.hasOwnMemory()));
    return {.batch = inputs.latents.extent(0),
            .tokens = m_own.size(),
            .exchangedShards = shards,
            .tensorDevices = tensorDevices,
            .summed = tensorDevices > 1 || m_probe || times.scattered()};
}

void WanTransformer::Pass::report(std::string_view name, const Tensor& value) const {
    if (m_probe)
        m_probe(name, value.host());
}

void WanTransformer::Pass::embed(const LayerTensors& weights, const WanInputs& inputs,
                                 const TokenTimes& times, Start& start, WanWorkspace& work) const {
    if (m_probe) {
        m_probe("rope_cos", interleaved(m_rotary.cos.host()));
        m_probe("rope_sin", interleaved(m_rotary.sin.host()));
    }
    const WanTransformerConfig& config = m_model.m_config;
    const WanEmbeddings& embeddings = *m_model.m_embeddings;
    {
        const auto span = traceSpan(m_execution.trace, "patch_embedding");
        const Tensor patches = m_sequence.cut(m_execution, m_model.m_patches, inputs, m_own);
        embeddings.embedPatches(m_execution, weights, patches, work.hidden);
        for (const ReferencePatches& part :
             m_sequence.cutReferences(m_execution, m_model.m_patches, inputs, m_own))
            embeddings.embedReference(m_execution, weights, part.patches, part.first, work.hidden);
        report("patch_embed", work.hidden);
        if (inputs.pose)
            embeddings.addPose(m_execution, weights, inputs.pose->toF32(), m_own, work.hidden);
        if (config.sound)
            embedGroups(weights, inputs, work);
        if (inputs.control)
            start.control.emplace(
                m_device, weights.matrix(m_model.m_controlProjection.value()),
                embeddings.embedControl(m_execution, weights, inputs.control->toF32(), m_own, m_probe),
                hintGates(inputs, config), work.hidden);
    }
    const auto span = traceSpan(m_execution.trace, "condition_embedder");
    start.time = embeddings.embedTime(m_execution, weights, times, m_probe);
}

void WanTransformer::Pass::keepStart(Start& start, const WanWorkspace& work) const {
    start.hidden = work.hidden.clone();
    if (start.control)
        start.controlTokens = start.control->saved();
}

void WanTransformer::Pass::resume(Start& start, WanWorkspace& work) const {
    work.hidden.assign(start.hidden);
    if (start.control)
        start.control->restore(start.controlTokens);
}

// The first block's self-attention does not depend on the context: it is done once.
void WanTransformer::Pass::runBlock(const LayerTensors& weights, std::int64_t index,
                                    const WanBlockInputs& inputs, const BlockCall& call, Start& start,
                                    WanWorkspace& work) {
    const WanBlock& block = m_model.m_blocks[static_cast<std::size_t>(index)];
    const auto span = traceSpan(m_execution.trace, block.names().trace);
    WanBlockInputs own = inputs;
    own.paired = drivingKeys(weights, index);
    if (call.context.skippedBlock == index)
        return;
    block.modulate(weights, own, work.modulation);
    if (call.first() || index > 0)
        block.selfAttention(m_device, weights, own, work);
    if (index == 0 && call.first() && !call.last())
        keepStart(start, work);
    block.finish(m_device, weights, own, work);
    m_checks.add(work.hidden, block.names().error);
}

void WanTransformer::Pass::takeDriving(const WanInputs& inputs) {
    m_stream = inputs.driving;
    if (m_stream == nullptr)
        return;
    if (!m_stream->kept)
        m_driving.emplace(m_model, m_device, *m_stream);
    const FramePairs& pairs = m_stream->pairs;
    if (m_stream->firstFrameBias == 0.0F)
        return;
    m_firstFrameBias.assign(static_cast<std::size_t>(pairs.frames), m_stream->firstFrameBias);
    m_biasedSelf = {{.keys = {pairs.tokensPerFrame, 2 * pairs.tokensPerFrame}, .ofFrames = m_firstFrameBias}};
}

const PairedKeys* WanTransformer::Pass::drivingKeys(const LayerTensors& weights, std::int64_t index) {
    if (m_stream == nullptr)
        return nullptr;
    if (m_stream->kept)
        return &m_stream->kept->ofBlock(m_execution, index, m_paired);
    m_paired = PairedKeys();  // before the next are there
    m_paired = m_driving->run(weights, index);
    return &m_paired;
}

void WanTransformer::Pass::runBlocks(LayerStream& layers, std::size_t begin, std::size_t end,
                                     const BlockCall& call, Start& start, WanWorkspace& work) {
    const AttentionPlans& attention = m_model.m_attention;
    // A block of the control stream attends as the layer whose hint it makes.
    const auto inputsWith = [&](const BlockContext& context, std::int64_t layer) {
        return WanBlockInputs{
            .attention = attention,
            .self = attention.selfIn(m_step, layer),
            .sparse = m_blocks ? &*m_blocks : nullptr,
            .checksSparse = call.first() && attention.sparse && layer == attention.sparse->checkedLayer,
            .text = call.context.text,
            .image = call.context.image,
            .negative = call.context.negative,
            .guidance = call.context.guidance,
            .rotary = m_rotary,
            .timestepProjection = start.time.projection,
            .times = call.times,
            .context = context,
            .tokens = m_sequence.tokens(),
            .timed = m_timed,
            .tokensPerFrame = tokensPerFrame(),
            .fixedM = *m_model.m_fixedM,
            .left = *m_model.m_sparse,
            .probe = m_probe,
            .biasedSelf = m_biasedSelf};
    };
    for (const auto& [role, index] : std::span(m_model.m_places).subspan(begin, end - begin)) {
        const auto at = static_cast<std::size_t>(index);
        throwIfStopped(m_execution.stop);
        const std::shared_ptr<const LayerTensors> weights = layers.next();
        if (role == WanLayerRole::VideoBlock)
            runBlock(*weights, index, inputsWith(call.context.blocks[at], index), call, start, work);
        else if (role == WanLayerRole::VaceBlock)
            start.control->run(m_device, m_model.m_vaceBlocks[at], *weights, index,
                               inputsWith(call.context.vaceBlocks[at], m_model.m_config.vaceLayers[at]), work,
                               m_checks);
        else if (role == WanLayerRole::AudioInjector)
            m_model.m_injectors[at].run(m_device, *weights, call.context.sound.injectors[at], hearingTokens(),
                                        work, m_probe);
        else
            m_model.m_faceAdapters[at].run(m_device, *weights, call.context.faces.adapters[at],
                                           faceTokens(call.context), work, m_probe);
    }
}

void WanTransformer::Pass::cutBlocks(std::optional<int> step) {
    m_step = step;
    const std::optional<SparsePlan>& sparse = m_model.m_attention.sparse;
    if (!sparse || !step)
        return;
    for (const SparsePhase& phase : sparse->phases)
        if (*step >= phase.firstStep && *step < phase.endStep)
            m_blocks.emplace(phase.attention, m_sequence.video(), m_sequence.tokens());
}

Tensor WanTransformer::Pass::timesteps(const WanInputs& inputs) const {
    Tensor given = inputs.timesteps.toF32();
    if (!m_model.m_config.sound || given.shape().rank() == 2)
        return given;
    Tensor ofTokens = Tensor::zeros({given.extent(0), m_sequence.tokens()});
    for (std::int64_t video = 0; video < given.extent(0); ++video)
        std::ranges::fill(ofTokens.slice(video, video + 1)
                              .data<float>()
                              .first(static_cast<std::size_t>(m_sequence.video().tokens())),
                          std::as_const(given).data<float>()[static_cast<std::size_t>(video)]);
    return ofTokens;
}

void WanTransformer::Pass::embedGroups(const LayerTensors& weights, const WanInputs& inputs,
                                       WanWorkspace& work) const {
    const WanEmbeddings& embeddings = *m_model.m_embeddings;
    const std::int64_t patches = m_sequence.patchTokens();
    const std::int64_t first = std::max(m_own.begin, patches);  // of motion's, on this device
    if (first < m_own.end && !inputs.groups.empty())
        embeddings.embedMotion(m_execution, weights, inputs.groups.back().latents.toF32(),
                               {first - patches, m_own.end - patches}, first - m_own.begin, work.hidden);
    embeddings.markKinds(m_execution, weights, m_own, m_sequence.video().tokens(), patches, work.hidden);
    report("tokens", work.hidden);
}

HearingTokens WanTransformer::Pass::hearingTokens() const {
    const std::int64_t end = std::min(m_own.end, m_sequence.video().tokens());
    return {.firstToken = m_own.begin,
            .count = std::max<std::int64_t>(0, end - m_own.begin),
            .tokensPerFrame = tokensPerFrame(),
            .keysPerFrame = m_model.m_config.sound->tokensPerFrame(),
            .gate = m_soundGate};
}

void WanTransformer::Pass::takeTimes(const WanInputs& inputs, const CrossAttentionCache& context) {
    m_biases.clear();
    m_timed.clear();
    m_biases.reserve(context.timed.size());  // spans of them stay
    const std::int64_t frames = m_sequence.video().frames;
    const std::int64_t framesOfPatch = inputs.latents.extent(2) / frames;
    const std::int64_t withGroups = (m_sequence.tokens() + tokensPerFrame() - 1) / tokensPerFrame();
    for (const TimedKeys& timed : context.timed) {
        const std::int64_t count = context.text.count;
        const ShardRange kept{std::min(timed.tokens.begin, count), std::min(timed.tokens.end, count)};
        std::vector<float>& own = m_biases.emplace_back();
        for (std::int64_t frame = 0; frame < frames; ++frame) {
            const auto latent = static_cast<std::size_t>(frame * framesOfPatch);
            own.push_back(timed.ofFrames.at(
                inputs.frames.empty() ? latent : static_cast<std::size_t>(inputs.frames.at(latent))));
        }
        own.resize(static_cast<std::size_t>(withGroups), 0.0F);  // groups hear all
        m_timed.push_back({.keys = kept, .ofFrames = own});
    }
}

std::int64_t WanTransformer::Pass::tokensPerFrame() const {
    return m_sequence.video().rows * m_sequence.video().columns;
}

FaceTokens WanTransformer::Pass::faceTokens(const CrossAttentionCache& context) const {
    return {.firstToken = m_own.begin,
            .tokensPerFrame = m_sequence.tokens() / context.faces.frames,
            .keysPerFrame = m_model.m_config.animate->faceTokens()};
}

// f32 [batch, own tokens, patch · outChannels], on the host.
Tensor WanTransformer::Pass::project(const LayerTensors& weights, const Tensor& timeEmbedding,
                                     WanWorkspace& work) const {
    const auto span = traceSpan(m_execution.trace, "output_projection");
    const OutputLayer& output = m_model.m_output;
    work.modulation.set(weights.at(output.scaleShift), timeEmbedding,
                        std::array<std::int64_t, 1>{OutputScale});
    work.modulation.norm(m_execution, work.hidden, m_model.m_config.epsilon, OutputShift, OutputScale,
                         work.hidden);
    const Tensor projected = applyTo(m_execution, weights.matrix(output.projection), work.hidden).host();
    report("proj_in", work.hidden);
    report("proj_out", projected);
    return projected;
}

}  // namespace meshreel
