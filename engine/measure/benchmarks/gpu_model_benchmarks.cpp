// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_model_benchmarks.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/elapsed.h"
#include "engine/base/numbers.h"
#include "engine/estimates/video_shape.h"
#include "engine/estimates/work.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/layers/layer_source.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

constexpr std::int64_t fewLatentFrames = 2;    // for 5 frames
constexpr std::int64_t manyLatentFrames = 21;  // for 81 frames

/// Layers of the 1.3B transformer with random weights, bf16 or int8, a video of so many frames. A quick one
/// is as deep as one layer and as wide as two heads.
void measureForwardOnGpu(GpuBenchmarkRun& run, std::int64_t frames, Arithmetic weights) {
    const std::int64_t textTokens = run.options().quick ? 32 : 512;
    const std::int64_t layers = run.options().quick ? 1 : run.options().layers;
    nlohmann::json json = configOf(requireArchitecture("wan2.1-t2v-1.3b"), layers);
    if (run.options().quick) {
        json["num_attention_heads"] = 2;
        json["ffn_dim"] = 512;
    }
    const WanTransformerConfig config = WanTransformerConfig::fromJson(json, "bench gpu");
    const std::int64_t side = run.options().quick ? 4 : 0;
    const Shape latents{1, config.inChannels, (frames - 1) / 4 + 1, side > 0 ? side : 60,
                        side > 0 ? side : 104};
    const std::int64_t count = tokenCount(latents, config);
    const double flops =
        transformerPassFlops(config, count, textTokens) + textContextFlops(config, textTokens);
    const FastestPeak& peak = weights == Arithmetic::Int8 ? run.int8Peak() : run.peak();
    if (run.isTooLong(flops, peak))
        return;
    const RandomCheckpoint random(run.execution(), wanTensors(config, DType::BF16));
    const WanTransformer transformer(
        config, random.checkpoint(),
        planAttentions({.mode = &requireAttentionMode("flash"), .ulyssesShards = 1}, config), WeightShard{},
        {.weights = weights, .activations = DType::BF16}, nullptr, {}, &run.gpu().memory());
    LoneDevice lone(run.execution());
    WanConditions conditions = WanConditions::zeros(config, 1);
    conditions.text = randomRows(run.execution(), {1, textTokens, config.textDim}, DType::F32);
    const CrossAttentionCache context = transformer.prepare(lone.device(), conditions);
    const Tensor noise = randomRows(run.execution(), latents, DType::F32, 1.0F, 4);
    constexpr float timestep = 500.0F;
    const Rounds rounds{.most = run.options().quick ? 1 : 3, .seconds = 2 * run.options().rowSeconds};
    const std::string ofInt8 = weights == Arithmetic::Int8 ? ".int8" : "";
    std::vector<double> busy;  // shares of the rounds, from idle to idle
    const MeasuredTime time = measureRounds(run.execution().stop, rounds, [&] {
        const double before = run.gpu().seconds().value_or(0);
        const auto start = std::chrono::steady_clock::now();
        static_cast<void>(transformer.forward(
            lone.device(), {.latents = noise, .timesteps = Tensor::from<float>({1}, {timestep})}, context));
        run.gpu().finish(run.execution().stop);
        busy.push_back((run.gpu().seconds().value_or(0) - before) / secondsSince(start));
    });
    run.addSeconds(fmt::format("gpu.dit.forward{}.{}", ofInt8, count), flops, time, peak,
                   {{"tokens", real(count)}, {"layers", real(layers)}});
    if (busy.size() > 1)
        busy.erase(busy.begin());  // which compiles
    if (run.gpu().seconds())
        run.addBusy(fmt::format("gpu.busy.forward{}.{}", ofInt8, count), busy,
                    {{"tokens", real(count)}, {"layers", real(layers)}});
}

/// Decodes a video with the VAE of Wan 2.1 with random weights, as a run does. Returns its seconds, or 0
/// if that would take too long.
double measureDecodeOnGpu(GpuBenchmarkRun& run, std::int64_t latentFrames) {
    nlohmann::json json = configOf(requireArchitecture("wan2.1-vae"));
    if (run.options().quick)
        json["base_dim"] = 8;
    const WanVaeConfig config = WanVaeConfig::fromJson(json, "bench gpu");
    const std::int64_t factor = config.spatialFactor();
    const Shape latents{1, config.zDim, latentFrames, run.options().quick ? 2 : 480 / factor,
                        run.options().quick ? 2 : 832 / factor};
    const double flops = vaeDecodeWork(config, latents).flops;
    if (latentFrames == fewLatentFrames && run.isTooLong(flops, run.peak()))
        return 0;
    std::vector<TensorSpec> tensors = requireArchitecture("wan2.1-vae").family.tensors(json);
    for (TensorSpec& tensor : tensors)
        tensor.dtype = DType::BF16;
    const RandomCheckpoint random(run.execution(), tensors);
    const WanVae vae(config, random.checkpoint(), {.activations = DType::BF16, .weights = DType::BF16}, {},
                     &run.gpu().memory());
    const Tensor noise = randomRows(run.execution(), latents, DType::F32);
    LoneDevice lone(run.execution());
    const auto decode = [&] { static_cast<void>(vae.decodeFrames(lone.device(), 1, noise)); };
    if (!run.options().quick)
        decode();  // compiles
    const Rounds rounds{.most = run.options().quick ? 1 : 3, .seconds = 2 * run.options().rowSeconds};
    const MeasuredTime time = measureRounds(run.execution().stop, rounds, decode);
    run.addSeconds(fmt::format("gpu.vae.decode.{}x{}x{}", latents[4] * factor, latents[3] * factor,
                               1 + (latentFrames - 1) * config.temporalFactor()),
                   flops, time, run.peak());
    return time.median;
}

}  // namespace

void benchmarkGpuTransformer(GpuBenchmarkRun& run) {
    if (!run.wantsAny("gpu.dit."))
        return;
    for (const std::int64_t frames :
         run.options().quick ? std::vector<std::int64_t>{5} : std::vector<std::int64_t>{17, 81}) {
        if (run.measuresBf16())
            measureForwardOnGpu(run, frames, Arithmetic::BF16);
        if (run.measuresInt8())
            measureForwardOnGpu(run, frames, Arithmetic::Int8);
    }
}

void benchmarkGpuVae(GpuBenchmarkRun& run) {
    if (!run.wantsAny("gpu.vae."))
        return;
    const double seconds = measureDecodeOnGpu(run, fewLatentFrames);
    // Measures all of a usual video if that takes no longer than a few rounds of a row.
    if (!run.options().quick && seconds > 0 &&
        seconds * real(manyLatentFrames) / real(fewLatentFrames) < 2 * run.options().rowSeconds)
        measureDecodeOnGpu(run, manyLatentFrames);
}

}  // namespace meshreel
