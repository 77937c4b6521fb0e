// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/benchmark_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/base/background_work.h"
#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/base/stop_token.h"
#include "engine/base/units.h"
#include "engine/estimates/video_shape.h"
#include "engine/estimates/work.h"
#include "engine/events/run_event.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/norms.h"
#include "engine/kernels/rows/rope.h"
#include "engine/kernels/rows/row_kernels.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/measure/timed_forward.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/layers/layer_source.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/project/attention_check.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_writer.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"
#include "engine/timing/trace.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

/// The type of the rows that a layer of this arithmetic takes and makes.
DType rowType(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::F32 ? DType::F32 : DType::BF16;
}

// Linear layers.

/// A transformer's linear layer with what the transformer has fused to it.
struct LinearCase {
    std::string_view name;
    std::int64_t out;
    std::int64_t in;
    LinearActivation activation = LinearActivation::None;
    bool gatedResidual = false;
};

/// A transformer whose layers are measured.
struct LinearModel {
    std::string_view name;
    std::int64_t width;
    std::int64_t features;  ///< between the two layers of its feed-forward network

    [[nodiscard]] std::array<LinearCase, 4> cases() const {
        return {{{"query", width, width},
                 {"output", width, width, LinearActivation::None, true},
                 {"ffn_up", features, width, LinearActivation::GeluTanh},
                 {"ffn_down", width, features, LinearActivation::None, true}}};
    }
};

constexpr std::array linearModels{LinearModel{"1.3b", 1536, 8960}, LinearModel{"5b", 3072, 14336},
                                  LinearModel{"14b", 5120, 13824}};

/// One layer of random weights as the transformer runs it: rows of the activations' type in, products out in
/// that type, or added to the f32 residual stream.
class PreparedLinear {
  public:
    PreparedLinear(const Execution& execution, const LinearCase& linear, std::int64_t rows,
                   Arithmetic arithmetic)
        : m_execution(execution),
          m_linear(linear),
          m_arithmetic(arithmetic),
          m_bias(Tensor::zeros({linear.out})),
          m_gate(Tensor::zeros({linear.out})),
          m_matrix(PackedMatrix::pack(weights(execution, linear, rowType(arithmetic)), &m_bias, arithmetic)),
          m_x(randomRows(execution, {rows, linear.in}, rowType(arithmetic))),
          m_y(Tensor::zeros({rows, linear.out}, linear.gatedResidual ? DType::F32 : rowType(arithmetic))) {}

    [[nodiscard]] MeasuredTime measure(const BenchmarkRun& run) {
        LinearEpilogue epilogue{.activation = m_linear.activation};
        if (m_linear.gatedResidual) {
            epilogue.gate = m_gate.data<float>();
            epilogue.addToOutput = true;
        }
        return run.measure([&] { m_matrix.apply(m_execution, MatrixView(m_x), MatrixSpan(m_y), epilogue); },
                           m_arithmetic);
    }

    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(m_x.extent(0)) * static_cast<double>(m_linear.in * m_linear.out);
    }

    /// Read and written once each.
    [[nodiscard]] double bytes() const {
        const std::size_t written = m_y.bytes() * (m_linear.gatedResidual ? 2 : 1);
        return static_cast<double>(m_x.bytes() + m_matrix.bytes() + written);
    }

  private:
    static Tensor weights(const Execution& execution, const LinearCase& linear, DType type) {
        constexpr float deviation = 0.02F;
        return randomRows(execution, {linear.out, linear.in}, type, deviation, 1);
    }

    const Execution& m_execution;
    LinearCase m_linear;
    Arithmetic m_arithmetic;
    Tensor m_bias;
    Tensor m_gate;
    PackedMatrix m_matrix;
    Tensor m_x;
    Tensor m_y;
};

void benchmarkLinear(BenchmarkRun& run) {
    const Arithmetic arithmetic = run.options().arithmetic;
    for (const LinearModel& model : linearModels)
        for (const LinearCase& linear : model.cases())
            for (const std::int64_t rows : run.tokensOr({1280, 7800, 32760})) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                run.addFlops(fmt::format("linear.{}.{}.{}", model.name, linear.name, rows), prepared.flops(),
                             prepared.measure(run), arithmetic, prepared.bytes());
            }
}

void benchmarkInt8(BenchmarkRun& run) {
    for (const LinearCase& linear : linearModels.back().cases())
        for (const std::int64_t rows : run.tokensOr({7800})) {
            const auto secondsIn = [&](Arithmetic arithmetic) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                return prepared.measure(run);
            };
            const MeasuredTime bf16 = secondsIn(Arithmetic::BF16);
            const MeasuredTime int8 = secondsIn(Arithmetic::Int8);
            run.add({.name = fmt::format("int8.14b.{}.{}", linear.name, rows),
                     .value = int8.median,
                     .unit = "s",
                     .ratio = bf16.median / int8.median,
                     .of = "the same in bf16",
                     .spread = int8.spread(),
                     .rounds = int8.rounds,
                     .details = {{"bf16_seconds", bf16.median}}});
        }
}

/// The product that the library computes for a layer, and nothing else: rows and weights in the type that it
/// wants, no bias, no epilogue.
MeasuredTime measureLibrary(const BenchmarkRun& run, const LinearCase& linear, std::int64_t rows,
                            Arithmetic arithmetic) {
    const Execution& execution = run.execution();
    const DType type = rowType(arithmetic);
    const PackedMatrix matrix = PackedMatrix::packBy(libraryCandidate(arithmetic), arithmetic,
                                                     randomRows(execution, {linear.out, linear.in}, type));
    const Tensor x = randomRows(execution, {rows, linear.in}, type);
    Tensor y = Tensor::empty({rows, linear.out}, type);
    return run.measure([&] { matrix.apply(execution, MatrixView(x), MatrixSpan(y)); });
}

void benchmarkLibrary(BenchmarkRun& run) {
    const Arithmetic arithmetic = run.options().arithmetic;
    const std::string_view library = libraryCandidate(arithmetic).library;
    // It is given f32, whatever the layer keeps.
    const Arithmetic given = library == openBlas ? Arithmetic::F32 : arithmetic;
    for (const LinearModel& model : linearModels)
        for (const LinearCase& linear : model.cases())
            for (const std::int64_t rows : run.tokensOr({1280, 7800})) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                const MeasuredTime layer = prepared.measure(run);
                const MeasuredTime alone = measureLibrary(run, linear, rows, given);
                run.add({.name = fmt::format("library.{}.{}.{}", model.name, linear.name, rows),
                         .value = prepared.flops() / layer.median / tera,
                         .unit = "TFLOP/s",
                         .ratio = alone.median / layer.median,
                         .of = fmt::format("{} alone", library),
                         .spread = layer.spread(),
                         .rounds = layer.rounds,
                         .details = {{"library_seconds", alone.median}}});
            }
}

// Attention and rows, of the 1.3B transformer.

constexpr std::int64_t heads = 12;
constexpr std::int64_t headDim = 128;
constexpr std::int64_t width = heads * headDim;

/// A row of the table of modes whose kernel is measured, and what the row is called.
struct AttentionCase {
    std::string_view name;
    std::string_view mode;
};
constexpr std::array measuredKernels{AttentionCase{"custom", "ulysses_custom"},
                                     AttentionCase{"flash", "flash"}};

void measureAttention(BenchmarkRun& run, const AttentionCase& attention, std::int64_t tokens) {
    const DType type = rowType(run.options().arithmetic);
    const Shape shape = HeadTensor::shapeOf(HeadOrder::ByToken, 1, tokens, heads, headDim);
    const auto rows = [&](std::uint64_t seed) {
        return HeadTensor{randomRows(run.execution(), shape, type, 1.0F, seed)};
    };
    const LocalAttention problem{.query = rows(0),
                                 .key = rows(1),
                                 .value = rows(2),
                                 .scale = 1.0 / std::sqrt(static_cast<double>(headDim))};
    HeadTensor out{Tensor::empty(shape, type)};
    const AttentionPlan plan = planAttention({.mode = &requireAttentionMode(attention.mode)},
                                             {.queryLength = tokens, .keyLength = tokens, .heads = heads});
    const Arithmetic arithmetic = type == DType::F32 ? Arithmetic::F32 : Arithmetic::BF16;
    const auto finish = [&](const QueryBlock& block, AttentionPartial& partial, AttentionPartial&) {
        finalizePartial(partial, out.outputRows(block.batch, block.firstQuery, block.head));
    };
    const MeasuredTime time =
        run.measure([&] { attendLocally(run.execution(), plan, problem, finish); }, arithmetic);
    constexpr double products = 2;  // with the keys, with the values
    const double flops = products * 2.0 * static_cast<double>(heads * headDim) * static_cast<double>(tokens) *
                         static_cast<double>(tokens);
    run.addFlops(fmt::format("attention.{}.{}", attention.name, tokens), flops, time, arithmetic,
                 4.0 * static_cast<double>(out.data.bytes()));
}

void benchmarkAttention(BenchmarkRun& run) {
    for (const AttentionCase& attention : measuredKernels)
        for (const std::int64_t tokens : run.tokensOr({7800, 32760}))
            measureAttention(run, attention, tokens);
}

void measureRows(BenchmarkRun& run, std::int64_t rows) {
    constexpr double epsilon = 1e-6;
    const Execution& execution = run.execution();
    const DType type = rowType(run.options().arithmetic);
    const Tensor hidden = randomRows(execution, {rows, width}, DType::F32);
    const Tensor ones = randomRows(execution, {width}, DType::F32, 1.0F);
    Tensor normed = Tensor::zeros({rows, width}, type);
    const MatrixView gamma(ones);
    const double read = static_cast<double>(hidden.bytes());
    const double written = static_cast<double>(normed.bytes());

    run.addBytes(fmt::format("elementwise.layer_norm.{}", rows), read + written, run.measure([&] {
        layerNorm(execution, MatrixView(hidden), epsilon, {.gamma = gamma, .beta = gamma},
                  MatrixSpan(normed));
    }));
    const std::int64_t columns = 52;  // tokens of 832 pixels
    const RotaryTable rotary = rotaryTable(
        {.frames = 1, .rows = (rows + columns - 1) / columns, .columns = columns}, headDim, 0, rows);
    const HeadNorm norm{
        .headDim = headDim, .gamma = gamma, .fullWidth = width, .epsilon = epsilon, .rotary = &rotary};
    run.addBytes(fmt::format("elementwise.query_norm_rope.{}", rows), 2 * written,
                 run.measure([&] { normaliseHeads(execution, MatrixSpan(normed), norm); }));
}

void benchmarkElementwise(BenchmarkRun& run) {
    for (const std::int64_t rows : run.tokensOr({7800, 32760}))
        measureRows(run, rows);
}

// The transformer and its video.

/// Returns the transformer that the options name, with as many layers as they say. Throws Error{Project} for
/// architectures other than text-to-video transformers of Wan 2.1, and as configOf() does.
WanTransformerConfig transformerConfig(const BenchmarkOptions& options) {
    const Architecture& architecture = requireArchitecture(options.architecture);
    if (architecture.family.part != "transformer")
        throw Error(ErrorKind::Project, sentence("{} is not a transformer", architecture.name), "--arch",
                    sentence("Choose wan2.1-t2v-1.3b or wan2.1-t2v-14b"));
    return WanTransformerConfig::fromJson(configOf(architecture, options.layers), "--arch");
}

/// Latents of the options' video [1, channels, frames, height, width]. Throws Error{Project} for sides that
/// 16 does not divide and frames that are not 4n + 1.
Shape latentShape(const BenchmarkOptions& options, const WanTransformerConfig& config) {
    constexpr std::int64_t spatialFactor = 8;  // of the Wan 2.1 VAE
    constexpr std::int64_t temporalFactor = 4;
    constexpr std::int64_t pixelStep = 2 * spatialFactor;  // a token is two latents wide and high
    if (options.width % pixelStep != 0 || options.height % pixelStep != 0 ||
        (options.frames - 1) % temporalFactor != 0)
        throw Error(ErrorKind::Project,
                    sentence("{}x{}x{} is no size of a video", options.width, options.height, options.frames),
                    "--size", sentence("Choose sides that 16 divides and 4n + 1 frames: 832x480x17"));
    return {1, config.inChannels, (options.frames - 1) / temporalFactor + 1, options.height / spatialFactor,
            options.width / spatialFactor};
}

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

void benchmarkTransformer(BenchmarkRun& run) {
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
                                 {"layers", static_cast<double>(config.layers)}}};
    std::ranges::copy(peakDetails(time), std::back_inserter(row.details));
    run.add(std::move(row));
    addShares(run, *trace);
}

// The VAE and the text encoder.

/// Decodes the options' video in one arithmetic.
void measureDecode(BenchmarkRun& run, const Checkpoint& checkpoint, const WanVaeConfig& config,
                   Arithmetic arithmetic, const BenchmarkOptions& options) {
    const DType type = arithmetic == Arithmetic::BF16 ? DType::BF16 : DType::F32;
    const WanVae vae(config, checkpoint, {.activations = type, .weights = type});
    WanTransformerConfig latentChannels;
    latentChannels.inChannels = config.zDim;
    const Shape shape = latentShape(options, latentChannels);
    const Tensor latents = randomRows(run.execution(), shape, DType::F32);
    const MeasuredTime time =
        run.measure([&] { static_cast<void>(vae.decode(run.execution(), latents)); }, arithmetic);
    run.addFlops(fmt::format("vae.decode.{}.{}x{}x{}", nameOf(arithmetic), options.width, options.height,
                             options.frames),
                 vaeDecodeWork(config, shape).flops, time, arithmetic);
}

/// Seconds that decoding took beside an encoder that sleeps, for each chunk, as long as the chunk took to
/// decode.
struct DecodeBesideEncoder {
    double decoding = 0;  ///< until the last chunk was there
    double encoding = 0;  ///< slept
    double whole = 0;
    std::size_t chunksLeft = 0;  ///< to encode when the last was there, that one among them
};

DecodeBesideEncoder decodeBesideEncoder(Device& device, const WanVae& vae, const Tensor& latents) {
    using Clock = std::chrono::steady_clock;
    const auto secondsTo = [](Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double>(to - from).count();
    };
    DecodeBesideEncoder result;
    BackgroundWork encoder;
    const Clock::time_point start = Clock::now();
    Clock::time_point before = start;
    VaeEvents events;
    events.chunk = [&](const VaeChunk&) {
        const Clock::time_point now = Clock::now();
        const Clock::duration own = now - before;
        before = now;
        result.decoding = secondsTo(start, now);
        encoder.add([own, &result] {
            std::this_thread::sleep_for(own);
            result.encoding += std::chrono::duration<double>(own).count();
        });
    };
    static_cast<void>(vae.decodeFrames(device, 1, latents, events));
    result.chunksLeft = encoder.left();
    encoder.finish();
    result.whole = secondsTo(start, Clock::now());
    return result;
}

/// Chunks are encoded while later ones are decoded: both together take little longer than one of them.
void measureDecodeBesideEncoder(BenchmarkRun& run, const Checkpoint& checkpoint, const WanVaeConfig& config) {
    constexpr std::int64_t frames = 81;  // 21 chunks: the last, which nothing overlaps, is a twentieth
    constexpr std::int64_t smaller = 4;  // the time of a chunk does not matter here
    constexpr std::int64_t step = 16;
    BenchmarkOptions options = run.options();
    options.frames = frames;
    options.width = std::max(step, options.width / smaller / step * step);
    options.height = std::max(step, options.height / smaller / step * step);
    const WanVae vae(config, checkpoint, {.activations = DType::BF16, .weights = DType::BF16});
    WanTransformerConfig latentChannels;
    latentChannels.inChannels = config.zDim;
    const Tensor latents = randomRows(run.execution(), latentShape(options, latentChannels), DType::F32);
    LoneDevice lone(run.execution());
    std::vector<DecodeBesideEncoder> rounds;
    const MeasuredTime time =
        run.measure([&] { rounds.push_back(decodeBesideEncoder(lone.device(), vae, latents)); });
    std::ranges::sort(rounds, {}, &DecodeBesideEncoder::whole);
    const DecodeBesideEncoder& median = rounds[rounds.size() / 2];
    const double longer = std::max(median.decoding, median.encoding);
    const std::string size = fmt::format("{}x{}x{}", options.width, options.height, options.frames);
    const std::string alone = "vae.frames." + size;
    run.add({.name = alone, .value = longer, .unit = "s", .of = alone, .rounds = time.rounds});
    run.add({.name = "vae.frames_and_encoder." + size,
             .value = median.whole,
             .unit = "s",
             .ratio = median.whole / longer,
             .of = alone,
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = {{"chunks_left", static_cast<double>(median.chunksLeft)}}});
}

void benchmarkVae(BenchmarkRun& run) {
    constexpr std::int64_t oneChunk = 5;
    const Architecture& architecture = requireArchitecture("wan2.1-vae");
    const RandomCheckpoint random(run.execution(), tensorsOf(architecture));
    const WanVaeConfig config = WanVaeConfig::fromJson(configOf(architecture), "wan2.1-vae");
    measureDecode(run, random.checkpoint(), config, Arithmetic::BF16, run.options());
    BenchmarkOptions chunk = run.options();
    chunk.frames = std::min(chunk.frames, oneChunk);
    measureDecode(run, random.checkpoint(), config, Arithmetic::F32, chunk);
    measureDecodeBesideEncoder(run, random.checkpoint(), config);
}

void benchmarkText(BenchmarkRun& run) {
    constexpr std::int64_t layers = 4;
    constexpr std::int64_t length = 512;
    // Rows of the embedding are looked up, not multiplied: a few do.
    constexpr std::int64_t vocabulary = 1024;
    const Architecture& architecture = requireArchitecture("umt5-xxl");
    nlohmann::json json = configOf(architecture, std::min(layers, run.options().layers.value_or(layers)));
    json["vocab_size"] = vocabulary;
    std::vector<TensorSpec> tensors = architecture.family.tensors(json);
    for (TensorSpec& tensor : tensors)
        tensor.dtype = architecture.family.released;
    const Umt5Config config = Umt5Config::fromJson(json, "umt5-xxl");
    const RandomCheckpoint random(run.execution(), tensors);
    const Arithmetic arithmetic =
        run.options().arithmetic == Arithmetic::F32 ? Arithmetic::F32 : Arithmetic::BF16;
    const Umt5Encoder encoder(config, random.checkpoint(), arithmetic);
    Tensor ids = Tensor::empty({1, length}, DType::I64);
    std::iota(ids.data<std::int64_t>().begin(), ids.data<std::int64_t>().end(), 0);
    const MeasuredTime time =
        run.measure([&] { static_cast<void>(encoder.encode(run.execution(), ids, Tensor())); }, arithmetic);

    const auto bytes = static_cast<double>(random.checkpoint().bytes());
    const double flops = textEncodeFlops(config, length);
    const double limit = std::max(bytes / run.peaks().bandwidth, flops / run.peakBeside(time, arithmetic));
    run.add({.name = fmt::format("text.encode.{}_layers", config.layers),
             .value = time.median,
             .unit = "s",
             .ratio = time.median / limit,
             .of = fmt::format("max(bytes / peak.bandwidth, FLOPs / {})", matmulPeakName(arithmetic)),
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = {{"bytes", bytes}, {"flops", flops}}});
}

// Meshes of devices.

void benchmarkMeshRows(BenchmarkRun& run) {
    constexpr std::int64_t usualLayers = 2;
    BenchmarkOptions options = run.options();
    options.layers = options.layers.value_or(usualLayers);
    MeshBenchmark benchmark;
    benchmark.config = transformerConfig(options);
    benchmark.latents = latentShape(options, benchmark.config);
    benchmark.rounds = options.rounds;
    const std::vector<MeshSetup> setups =
        standardMeshSetups(benchmark.config.heads, benchmark.config.headDim, run.execution().workers.size());
    const std::vector<MeshTiming> timings = benchmarkMesh(benchmark, setups, run.execution().stop);
    const std::string first = "mesh." + timings.front().setup.name;
    for (const MeshTiming& timing : timings)
        run.add({.name = "mesh." + timing.setup.name,
                 .value = timing.seconds,
                 .unit = "s",
                 .ratio = timings.front().seconds / timing.seconds,
                 .of = first,
                 .spread = (timing.slowest - timing.fastest) / timing.seconds,
                 .rounds = benchmark.rounds,
                 .details = {{"workers", timing.setup.workersPerDevice},
                             {"bytes_moved", static_cast<double>(timing.bytesMoved)}}});
}

/// One device with 1, 2, 4, 8 and 16 workers, as far as there are CPUs; then the most workers as two devices,
/// and as one device each.
std::vector<MeshSetup> workerSetups(int cpus) {
    constexpr std::array teams{1, 2, 4, 8, 16};
    std::vector<MeshSetup> setups;
    for (const int workers : teams)
        if (workers <= cpus)
            setups.push_back({.name = fmt::format("1x{}", workers),
                              .layout = {},
                              .workersPerDevice = workers,
                              .attention = {}});
    const int most = setups.back().workersPerDevice;
    AttentionSettings ring;
    ring.mode = &requireAttentionMode("tokamax_ring");
    for (const int devices : {2, most})
        if (devices <= most && (devices == 2 || most > 2))
            setups.push_back({.name = fmt::format("{}x{}", devices, most / devices),
                              .layout = MeshLayout(MeshShape{.context = devices}),
                              .workersPerDevice = most / devices,
                              .attention = ring});
    return setups;
}

/// Measures how the transformer scales with workers: for one device the efficiency, seconds of one worker /
/// (workers · seconds); for several devices the speed compared with one device with as many workers.
void benchmarkWorkers(BenchmarkRun& run) {
    constexpr std::int64_t usualLayers = 2;
    BenchmarkOptions options = run.options();
    options.layers = options.layers.value_or(usualLayers);
    MeshBenchmark benchmark;
    benchmark.config = transformerConfig(options);
    benchmark.latents = latentShape(options, benchmark.config);
    benchmark.rounds = options.rounds;
    const std::vector<MeshTiming> timings =
        benchmarkMesh(benchmark, workerSetups(run.execution().workers.size()), run.execution().stop);
    const MeshTiming* oneDevice = &timings.front();  // with as many workers as are measured
    for (const MeshTiming& timing : timings) {
        const int devices = timing.setup.layout.devices();
        if (devices == 1)
            oneDevice = &timing;
        const MeshTiming& against = devices == 1 ? timings.front() : *oneDevice;
        const double share = devices == 1 ? timing.setup.workersPerDevice : 1;
        run.add({.name = "workers." + timing.setup.name,
                 .value = timing.seconds,
                 .unit = "s",
                 .ratio = against.seconds / timing.seconds / share,
                 .of = "workers." + against.setup.name,
                 .spread = (timing.slowest - timing.fastest) / timing.seconds,
                 .rounds = benchmark.rounds,
                 .details = {{"workers", timing.setup.workersPerDevice * devices}}});
    }
}

// What a run writes of its steps.

/// Writes `count` steps from number `first` on; returns the seconds that this took.
double writeSteps(RunWriter& writer, int first, int count, int devices) {
    using Clock = std::chrono::steady_clock;
    const std::vector<DeviceTime> times(
        static_cast<std::size_t>(devices),
        {.computing = 0.1, .exchanging = 0.01, .waiting = 0.001, .bytesReceived = 1});
    const Clock::time_point start = Clock::now();
    for (int step = first; step < first + count; ++step) {
        writer(StepRecord{.step = step, .seconds = 0.111});
        writer(StepDeviceTimes{.step = step, .devices = times});
    }
    return secondsSince(start);
}

/// The first and the last thousand steps of a long run: rows are appended, so both take the same time.
void benchmarkRecords(BenchmarkRun& run) {
    constexpr int steps = 10000;
    constexpr int part = 1000;
    constexpr int devices = 128;
    const ScratchFolder scratch;
    const RunFolder folder = RunFolder::create(scratch.path() / "run");
    const LogPtr log = silentLog();
    RunWriter writer(folder, *log, ignoreEvent);
    std::vector<double> seconds;
    for (int first = 0; first < steps; first += part) {
        throwIfStopped(run.execution().stop);
        seconds.push_back(writeSteps(writer, first, part, devices));
    }
    const std::string firstRow = fmt::format("records.{}_devices.first_{}_steps", devices, part);
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    run.add({.name = firstRow, .value = seconds.front(), .unit = "s", .of = firstRow, .rounds = 1});
    run.add({.name = fmt::format("records.{}_devices.last_{}_steps", devices, part),
             .value = seconds.back(),
             .unit = "s",
             .ratio = seconds.back() / seconds.front(),
             .of = firstRow,
             .rounds = 1,
             .details = {{"steps", steps}, {"total_seconds", total}}});
}

constexpr std::string_view everything = "all";

constexpr std::array groups{
    BenchmarkGroup{"peaks", "this machine's own limits, which every other group measures too", true,
                   [](BenchmarkRun&) {}},
    BenchmarkGroup{"linear", "the linear layers of the 1.3B, 5B and 14B transformers", true, benchmarkLinear},
    BenchmarkGroup{"int8", "layers of the 14B transformer in int8 against bf16", true, benchmarkInt8},
    BenchmarkGroup{"library",
                   "the linear layers against the product that OpenBLAS or oneDNN computes for them", false,
                   benchmarkLibrary},
    BenchmarkGroup{"attention", "custom and flash attention, 12 heads of 128", true, benchmarkAttention},
    BenchmarkGroup{"elementwise", "norms, rotary embedding, activations", true, benchmarkElementwise},
    BenchmarkGroup{"dit", "one forward pass of a transformer of random weights", true, benchmarkTransformer},
    BenchmarkGroup{"vae", "decoding with the Wan 2.1 VAE", true, benchmarkVae},
    BenchmarkGroup{"text", "encoding with four layers of UMT5-XXL", true, benchmarkText},
    BenchmarkGroup{"mesh", "the transformer on meshes of devices", false, benchmarkMeshRows},
    BenchmarkGroup{"workers", "the transformer on 1, 2, 4, 8 and 16 workers, and as 2 and 16 devices", false,
                   benchmarkWorkers},
    BenchmarkGroup{"records", "writing 10,000 steps of 128 devices into a run folder", false,
                   benchmarkRecords},
};

}  // namespace

std::span<const BenchmarkGroup> benchmarkGroups() {
    return groups;
}

void measureGroup(BenchmarkRun& run, std::string_view name) {
    const auto* found = std::ranges::find(groups, name, &BenchmarkGroup::name);
    if (found == groups.end() && name != everything) {
        std::string names(everything);
        for (const BenchmarkGroup& group : groups)
            names += ", " + std::string(group.name);
        throw Error(ErrorKind::Project, sentence("there is no group '{}'", name), "bench",
                    sentence("Choose among {}", names));
    }
    for (const BenchmarkGroup& group : groups)
        if (group.name == name || (name == everything && group.inAll))
            group.measure(run);
}

}  // namespace meshreel
