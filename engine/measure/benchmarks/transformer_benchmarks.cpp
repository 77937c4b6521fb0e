// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/transformer_benchmarks.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/units.h"
#include "engine/estimates/video_shape.h"
#include "engine/estimates/work.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/benchmark_workloads.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/layers/layer_source.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

constexpr std::int64_t textTokens = 512;
constexpr std::int64_t promptTokens = 30;  // what a prompt has; the rest is padding
constexpr float timestep = 500.0F;

/// What the spans of a traced pass say, seconds.
struct PassParts {
    double whole = 0;
    double attention = 0;
    double blocks = 0;  ///< in all, attention among it
    double norms = 0;   ///< norms, rotary embedding, modulation, and residuals that are not fused
    double ends = 0;    ///< embeddings before the blocks, the projection behind them
};

PassParts partsOf(const Trace& trace) {
    PassParts parts;
    for (const TracedSpan& span : parseChromeTrace(trace.chromeJson())) {
        const std::string& name = span.name;
        if (span.category == "norm")
            parts.norms += span.seconds;
        else if (name == "WanModel")
            parts.whole += span.seconds;
        else if (name == "apply_attention")
            parts.attention += span.seconds;
        else if (name == "self_attn" || name == "cross_attn" || name == "mlp")
            parts.blocks += span.seconds;
        else if (name == "patch_embedding" || name == "condition_embedder" || name == "output_projection")
            parts.ends += span.seconds;
    }
    return parts;
}

WanPrecision readPrecision(Arithmetic arithmetic) {
    return {.weights = arithmetic, .activations = rowType(arithmetic)};
}

/// A transformer with random weights and the inputs of one pass.
class PreparedTransformer {
  public:
    PreparedTransformer(const BenchmarkRun& run, const WanTransformerConfig& config, const Shape& latents)
        : m_lone(run.execution()),
          m_transformer(makeTransformer(run, config)),
          m_latents(randomRows(run.execution(), latents, DType::F32)),
          m_context(m_transformer->prepare(m_lone.device(), makeConditions(run, config))) {}

    void forward(Trace& trace) {
        const Execution& own = m_lone.device().execution();
        LoneDevice traced({own.workers, own.stop, &trace});
        static_cast<void>(m_transformer->forward(
            traced.device(), {.latents = m_latents, .timesteps = Tensor::from<float>({1}, {timestep})},
            m_context));
    }

  private:
    static std::unique_ptr<WanTransformer> makeTransformer(const BenchmarkRun& run,
                                                           const WanTransformerConfig& config) {
        // Gone before the pass: what is packed stands in memory once.
        const RandomCheckpoint random(run.execution(), wanTensors(config, DType::BF16));
        return std::make_unique<WanTransformer>(
            config, random.checkpoint(),
            planAttentions({.mode = &requireAttentionMode(run.options().attention), .ulyssesShards = 1},
                           config),
            WeightShard{}, readPrecision(run.options().arithmetic));
    }

    static WanConditions makeConditions(const BenchmarkRun& run, const WanTransformerConfig& config) {
        Tensor text = Tensor::zeros({1, textTokens, config.textDim});
        const Tensor prompt = randomRows(run.execution(), {promptTokens, config.textDim}, DType::F32);
        std::ranges::copy(prompt.data<float>(), text.data<float>().begin());
        WanConditions conditions = WanConditions::zeros(config, 1);
        conditions.text = text;
        return conditions;
    }

    LoneDevice m_lone;
    std::unique_ptr<WanTransformer> m_transformer;
    Tensor m_latents;
    CrossAttentionCache m_context;
};

/// Adds the parts of a pass, each as a share of it.
void addShares(BenchmarkRun& run, const Trace& trace) {
    const PassParts parts = partsOf(trace);
    const auto share = [&](const char* name, double seconds) {
        run.add({.name = name,
                 .value = seconds,
                 .unit = "s",
                 .ratio = seconds / parts.whole,
                 .of = "the last pass",
                 .rounds = 1});
    };
    const double products = parts.blocks - parts.attention - parts.norms;
    share("dit.share.attention", parts.attention);
    share("dit.share.linears", products);
    share("dit.share.ends", parts.ends);
    share("dit.share.other", parts.whole - parts.attention - products - parts.ends);
}

}  // namespace

void benchmarkTransformer(BenchmarkRun& run) {
    if (!run.wantsAny("dit."))
        return;
    const BenchmarkOptions& options = run.options();
    const WanTransformerConfig config = transformerConfig(options);
    const Shape latents = latentShape(options, config);
    const std::int64_t tokens = tokenCount(latents, config);
    PreparedTransformer prepared(run, config, latents);
    std::optional<Trace> trace;  // costs a pass nothing that could be measured
    const MeasuredTime time = run.measure(
        [&] {
            trace.emplace();
            prepared.forward(*trace);
        },
        options.arithmetic);

    // Keys and values of the text count as well: they are computed once per prompt instead.
    const double flops =
        transformerPassFlops(config, tokens, textTokens) + textContextFlops(config, textTokens);
    BenchmarkRow row{.name = "dit.forward",
                     .value = time.median,
                     .unit = "s",
                     .ratio = flops / time.median / run.peakBeside(time, options.arithmetic),
                     .of = matmulPeakName(options.arithmetic),
                     .spread = time.spread(),
                     .rounds = time.rounds,
                     .details = {{"tflop", flops / tera},
                                 {"tflop_per_second", flops / tera / time.median},
                                 {"tokens", static_cast<double>(tokens)},
                                 {"layers", static_cast<double>(config.layers)}},
                     .seconds = time.seconds};
    std::ranges::copy(peakDetails(time), std::back_inserter(row.details));
    run.add(std::move(row));
    addShares(run, *trace);
}

}  // namespace meshreel
