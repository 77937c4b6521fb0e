// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_overhead_benchmarks.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/layers/layer_source.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

double threadCpuSeconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    constexpr double nano = 1e-9;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * nano;
}

/// CPU seconds of this thread, which records, for each of several passes.
std::vector<double> recordingSeconds(const GpuBenchmarkRun& run, std::int64_t layers) {
    constexpr std::int64_t textTokens = 16;
    nlohmann::json json = configOf(requireArchitecture("wan2.1-t2v-1.3b"), layers);
    json["num_attention_heads"] = 2;
    json["ffn_dim"] = 512;
    const WanTransformerConfig config = WanTransformerConfig::fromJson(json, "bench gpu");
    const RandomCheckpoint random(run.execution(), wanTensors(config, DType::BF16));
    const WanTransformer transformer(
        config, random.checkpoint(),
        planAttentions({.mode = &requireAttentionMode("flash"), .ulyssesShards = 1}, config), WeightShard{},
        {.weights = Arithmetic::BF16, .activations = DType::BF16}, nullptr, {}, &run.gpu().memory());
    LoneDevice lone(run.execution());
    WanConditions conditions = WanConditions::zeros(config, 1);
    conditions.text = randomRows(run.execution(), {1, textTokens, config.textDim}, DType::F32);
    const CrossAttentionCache context = transformer.prepare(lone.device(), conditions);
    const Tensor noise = randomRows(run.execution(), {1, config.inChannels, 1, 8, 8}, DType::F32, 1.0F, 4);
    constexpr float timestep = 500.0F;
    const auto pass = [&] {
        run.gpu().finish(run.execution().stop);
        const double before = threadCpuSeconds();
        static_cast<void>(transformer.forward(
            lone.device(), {.latents = noise, .timesteps = Tensor::from<float>({1}, {timestep})}, context));
        return threadCpuSeconds() - before;
    };
    static_cast<void>(pass());  // compiles
    std::vector<double> seconds;
    const int rounds = run.options().quick ? 3 : 21;
    for (int round = 0; round < rounds; ++round)
        seconds.push_back(pass());
    return seconds;
}

}  // namespace

void benchmarkGpuChain(GpuBenchmarkRun& run) {
    if (!run.wants("gpu.dispatch.chain"))
        return;
    const int dispatches = run.options().quick ? 100 : 1000;
    constexpr std::int64_t width = 256;
    Tensor into = Tensor::zeros({1, width}).in(&run.gpu().memory());
    const Tensor values = Tensor::zeros({1, width}).in(&run.gpu().memory());
    const MeasuredTime time = run.measure([&] {
        for (int each = 0; each < dispatches; ++each)
            addRows(run.execution(), MatrixSpan(into), MatrixView(values));
    });
    run.addPlainSeconds("gpu.dispatch.chain", time, {{"dispatches", dispatches}});
}

void benchmarkGpuRecording(GpuBenchmarkRun& run) {
    if (!run.wants("gpu.record.block"))
        return;
    constexpr std::int64_t layers = 9;
    const std::vector<double> few = recordingSeconds(run, 1);
    const std::vector<double> many = recordingSeconds(run, layers);
    std::vector<double> seconds;
    for (std::size_t round = 0; round < many.size(); ++round)
        seconds.push_back(std::max(0.0, many[round] - computeMedian(few)) / real(layers - 1));
    const auto [fastest, slowest] = std::ranges::minmax(seconds);
    run.addPlainSeconds("gpu.record.block",
                        {.median = computeMedian(seconds),
                         .fastest = fastest,
                         .slowest = slowest,
                         .rounds = static_cast<int>(seconds.size()),
                         .seconds = seconds},
                        {});
}

}  // namespace meshreel
