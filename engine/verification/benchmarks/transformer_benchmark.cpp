// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "engine/mesh/lone_device.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/transformer/wan_tensor_specs.h"
#include "engine/models/transformer/wan_transformer.h"
#include "engine/planning/cost/transformer_flops.h"
#include "engine/timing/trace.h"
#include "engine/timing/trace_reader.h"
#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/random_rows.h"
#include "engine/verification/benchmarks/transformer_shape.h"

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

WanPrecision precisionOf(Arithmetic arithmetic) {
    return {.weights = arithmetic, .activations = arithmetic == Arithmetic::F32 ? DType::F32 : DType::BF16};
}

/// A transformer of random weights with the inputs of one pass.
class PreparedTransformer {
  public:
    PreparedTransformer(const BenchmarkRun& run, const WanTransformerConfig& config, const Shape& latents)
        : m_lone(run.execution()),
          m_transformer(makeTransformer(run, config)),
          m_latents(randomRows(run.execution(), latents, DType::F32)),
          m_context(m_transformer->prepare(m_lone.device(), conditionsOf(run, config))) {}

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
            AttentionSettings{.mode = &requireAttentionMode(run.options().attention)}, WeightShard{},
            precisionOf(run.options().arithmetic));
    }

    static WanConditions conditionsOf(const BenchmarkRun& run, const WanTransformerConfig& config) {
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
    WanContext m_context;
};

/// The parts of a pass, each as a share of it.
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
    const BenchmarkOptions& options = run.options();
    const WanTransformerConfig config = transformerConfig(options);
    const Shape latents = latentShape(options, config);
    const std::int64_t tokens = tokensOf(latents, config);
    PreparedTransformer prepared(run, config, latents);
    std::optional<Trace> trace;  // costs a pass nothing that could be measured
    const MeasuredTime time = run.measure([&] {
        trace.emplace();
        prepared.forward(*trace);
    });

    // Keys and values of the text count as well: they are computed once per prompt instead.
    const double flops =
        transformerPassFlops(config, tokens, textTokens) + textContextFlops(config, textTokens);
    run.add({.name = "dit.forward",
             .value = time.median,
             .unit = "s",
             .ratio = flops / time.median / run.peaks().matmul(options.arithmetic),
             .of = matmulPeakName(options.arithmetic),
             .spread = (time.slowest - time.fastest) / time.median,
             .rounds = time.rounds,
             .details = {{"tflop", flops / tera},
                         {"tflop_per_second", flops / tera / time.median},
                         {"tokens", static_cast<double>(tokens)},
                         {"layers", static_cast<double>(config.layers)}}});
    addShares(run, *trace);
}

}  // namespace meshreel
