// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/driving_pass.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "engine/attention/attention_plan.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/rows/rope.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/shape.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

constexpr float drivingTime = 1;  // of 1000

}  // namespace

WanTransformer::DrivingPass::DrivingPass(const WanTransformer& model, Device& device,
                                         const DrivingStream& stream)
    : m_model(model),
      m_device(device),
      m_stream(stream),
      m_own(ownTokens(device, stream.pairs.keyLength())),
      m_times(Tensor::filled({stream.video.latents.extent(0)}, drivingTime), m_own),
      m_work(model.m_config, model.m_precision, passShape(), m_times, device.execution().memory()) {}

WanPassShape WanTransformer::DrivingPass::passShape() const {
    const int tensorDevices = m_model.m_shard.tensorDevices;
    return {.batch = m_stream.video.latents.extent(0),
            .tokens = m_own.size(),
            .exchangedShards = m_model.m_attention.self.exchangedShards(m_model.m_precision.activations,
                                                                        ringMemoryOf(m_device)),
            .tensorDevices = tensorDevices,
            .summed = tensorDevices > 1};
}

void WanTransformer::DrivingPass::embed(const LayerTensors& weights, bool keepsStart) {
    const Execution& execution = m_device.execution();
    const auto span = traceSpan(execution.trace, "patch_embedding");
    const WanEmbeddings& embeddings = *m_model.m_embeddings;
    embeddings.embedPatches(execution, weights,
                            m_model.m_patches.cut(execution, m_stream.video.latents.toF32(), m_own),
                            m_work.hidden);
    m_time = embeddings.embedTime(execution, weights, m_times, m_noProbe);
    if (keepsStart)
        m_start = m_work.hidden.clone();
}

void WanTransformer::DrivingPass::restart() {
    m_work.hidden.assign(m_start);
}

PairedKeys WanTransformer::DrivingPass::run(const LayerTensors& weights, std::int64_t index) {
    const auto span = traceSpan(m_device.execution().trace, "driving_video");
    const auto at = static_cast<std::size_t>(index);
    const WanBlock& block = m_model.m_blocks[at];
    const CrossAttentionCache& context = m_stream.video.context;
    const AttentionPlans& attention = m_model.m_attention;
    const WanBlockInputs inputs{.attention = attention,
                                .self = attention.self,
                                .sparse = nullptr,
                                .text = context.text,
                                .image = context.image,
                                .negative = context.negative,
                                .guidance = context.guidance,
                                .rotary = m_stream.rotary,
                                .timestepProjection = m_time.projection,
                                .times = m_times,
                                .context = context.blocks[at],
                                .tokens = m_stream.pairs.keyLength(),
                                .timed = {},
                                .tokensPerFrame = m_stream.pairs.tokensPerFrame,
                                .fixedM = *m_model.m_fixedM,
                                .left = *m_model.m_sparse,
                                .probe = m_noProbe};
    block.modulate(weights, inputs, m_work.modulation);
    block.project(m_device, weights, inputs, m_work);
    PairedKeys keys{.pairs = m_stream.pairs,
                    .key = gatherPaired(m_device, attention.self, m_stream.pairs, m_work.key),
                    .value = gatherPaired(m_device, attention.self, m_stream.pairs, m_work.value)};
    if (index + 1 < m_model.m_config.layers) {  // nobody wants more of the last one
        block.attend(m_device, weights, inputs, m_work);
        block.finish(m_device, weights, inputs, m_work);
    }
    return keys;
}

DrivingStream WanTransformer::prepareDriving(Device& device, DrivingVideo video, const Shape& latents,
                                             const DrivingOptions& options) const {
    requireOwnDevice(device);
    const auto whole = traceSpan(device.execution().trace, "prepare_driving_video");
    requireDriving(video, latents);
    const TokenGrid passes = m_patches.grid(latents);
    // Its frames are those of the passes behind the character's, its columns are beside theirs.
    const TokenGrid grid = m_patches.grid(video.latents.shape(), m_config.patch[0], latents[4]);
    DrivingStream stream{.video = std::move(video),
                         .rotary = {},
                         .pairs = {.tokensPerFrame = passes.rows * passes.columns, .frames = passes.frames},
                         .firstFrameBias = options.firstFrameBias};
    const ShardRange own = ownTokens(device, stream.pairs.keyLength());
    const RotaryTable table = rotaryTable(grid, m_config.headDim, own.begin, own.end);
    Memory* const memory = device.execution().memory();
    stream.rotary = {.cos = table.cos.in(memory), .sin = table.sin.in(memory)};
    if (options.use == DrivingKeysUse::Recomputed)
        return stream;
    DrivingKeys kept(options.use);
    {
        DrivingPass pass(*this, device, stream);
        const Route route = this->route();
        LayerStream layers = this->layers(device, route.embeddings, route.output);
        for (std::size_t layer = route.embeddings; layer < route.output; ++layer) {
            throwIfStopped(device.execution().stop);
            const std::shared_ptr<const LayerTensors> weights = layers.next();
            if (m_places[layer].role == WanLayerRole::Embeddings)
                pass.embed(*weights, false);
            else
                kept.add(device.execution(), pass.run(*weights, m_places[layer].index));
        }
    }
    stream.kept = std::move(kept);
    return stream;
}

}  // namespace meshreel
