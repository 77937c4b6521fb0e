// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/record_json.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_peaks.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/planning/video_shape.h"
#include "engine/planning/work.h"

namespace meshreel {
namespace {

/// A linear layer of the transformers of Wan, with what is fused to it.
struct GpuLayerCase {
    std::string_view name;
    std::int64_t out;
    std::int64_t in;
    LinearActivation activation = LinearActivation::None;
    bool gatedResidual = false;
};
constexpr std::array smallModelCases{GpuLayerCase{"1.3b.query", 1536, 1536},
                                     GpuLayerCase{"1.3b.output", 1536, 1536, LinearActivation::None, true},
                                     GpuLayerCase{"1.3b.ffn_up", 8960, 1536, LinearActivation::GeluTanh},
                                     GpuLayerCase{"1.3b.ffn_down", 1536, 8960, LinearActivation::None, true}};
constexpr std::array largeModelCases{GpuLayerCase{"14b.query", 5120, 5120},
                                     GpuLayerCase{"14b.ffn_up", 13824, 5120, LinearActivation::GeluTanh},
                                     GpuLayerCase{"14b.ffn_down", 5120, 13824, LinearActivation::None, true}};

/// A convolution of 3 × 3 × 3 of the decoder of Wan 2.1 at 832×480.
struct GpuConvolutionCase {
    std::int64_t channels;
    std::int64_t height;
    std::int64_t width;
};
constexpr std::array convolutionCases{GpuConvolutionCase{384, 120, 208}, GpuConvolutionCase{192, 240, 416},
                                      GpuConvolutionCase{96, 480, 832}};
constexpr std::array quickConvolutionCases{GpuConvolutionCase{32, 8, 8}};

constexpr std::int64_t fewTokens = 7800;    // of 832×480×17
constexpr std::int64_t manyTokens = 32760;  // of 832×480×81
constexpr std::int64_t quickTokens = 64;

constexpr std::int64_t gpuHeads = 12;
constexpr std::int64_t gpuHeadDim = 128;

/// Of results that bf16 factors and a bf16 result give, relative to their size.
constexpr double errorAllowed = 0.02;

class GpuBenchmark {
  public:
    GpuBenchmark(const Execution& execution, const GpuBenchmarkOptions& options,
                 const std::function<void(const BenchmarkRow& row)>& onRow)
        : m_execution(execution), m_options(options), m_onRow(onRow) {}

    std::vector<BenchmarkRow> measureAll() {
        measurePeaks();
        measureBandwidth();
        measureTransfer();
        for (const GpuLayerCase& each : smallModelCases)
            for (const std::int64_t rows : tokens())
                measureLinear(each, rows);
        if (!m_options.quick)
            for (const GpuLayerCase& each : largeModelCases)
                measureLinear(each, fewTokens);
        for (const std::int64_t keys : tokens())
            measureAttention(keys);
        for (const std::int64_t frames :
             m_options.quick ? std::vector<std::int64_t>{5} : std::vector<std::int64_t>{17, 81})
            measureForward(frames);
        for (const GpuConvolutionCase& each :
             m_options.quick ? std::span<const GpuConvolutionCase>(quickConvolutionCases) : convolutionCases)
            measureConvolution(each);
        measureDecode();
        return std::move(m_rows);
    }

  private:
    [[nodiscard]] GpuWork& gpu() const { return *m_execution.gpu; }
    [[nodiscard]] std::vector<std::int64_t> tokens() const {
        return m_options.quick ? std::vector<std::int64_t>{quickTokens}
                               : std::vector<std::int64_t>{fewTokens, manyTokens};
    }

    void add(BenchmarkRow row) {
        m_rows.push_back(std::move(row));
        if (m_onRow)
            m_onRow(m_rows.back());
    }

    /// Of one call of `record`, by the GPU's clock. Short ones are recorded several times a round.
    MeasuredTime measure(const std::function<void()>& record) const {
        constexpr double roundSeconds = 0.02;
        GpuStream& stream = gpu().stream();
        const auto secondsOf = [&](int times) {
            stream.finish(m_execution.stop);
            const double before = stream.gpuSeconds();
            for (int each = 0; each < times; ++each)
                record();
            stream.finish(m_execution.stop);
            return (stream.gpuSeconds() - before) / times;
        };
        const double once = secondsOf(1);
        if (m_options.quick)
            return {.median = once, .fastest = once, .slowest = once, .rounds = 1};
        const int times = std::clamp(static_cast<int>(roundSeconds / std::max(once, 1e-6)), 1, 100);
        constexpr double warmSeconds = 0.2;  // the card's frequency rises with work
        const auto start = std::chrono::steady_clock::now();
        do
            static_cast<void>(secondsOf(times));
        while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < warmSeconds);
        std::vector<double> seconds;
        double counted = 0;
        while (seconds.empty() ||
               (std::ssize(seconds) < m_options.rounds && counted < m_options.rowSeconds)) {
            seconds.push_back(secondsOf(times));
            counted += seconds.back() * times;
        }
        const auto [fastest, slowest] = std::ranges::minmax(seconds);
        return {.median = medianOf(seconds),
                .fastest = fastest,
                .slowest = slowest,
                .rounds = static_cast<int>(seconds.size())};
    }

    void addFlops(const std::string& name, double flops, const MeasuredTime& time,
                  std::vector<std::pair<std::string, double>> details) {
        details.insert(details.begin(), {"seconds", time.median});
        add({.name = name,
             .value = flops / time.median / tera,
             .unit = "TFLOP/s",
             .ratio = flops / time.median / m_peak,
             .of = m_peakName,
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = std::move(details)});
    }

    void addBytes(const std::string& name, double bytes, const MeasuredTime& time) {
        const double rate = bytes / time.median;
        m_bandwidth = std::max(m_bandwidth, rate);
        add({.name = name,
             .value = rate / giga,
             .unit = "GB/s",
             .ratio = rate / m_bandwidth,
             .of = "gpu.peak.bandwidth",
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = {{"seconds", time.median}}});
    }

    void measurePeaks() {
        const GpuBuffer memory = peakMemory(gpu().gpu());
        const VariantFilter& filter = gpu().pipelines().tuning().filter();
        for (const GpuPeak& peak : peaksOn(gpu().gpu())) {
            if (!filter.form.empty() && filter.form != enumName(peak.form))
                continue;
            const std::string name = fmt::format("gpu.peak.{}{}{}", enumName(peak.form),
                                                 peak.extents.empty() ? "" : ".", peak.extents);
            double flops = 0;
            const auto record = [&](std::uint32_t rounds) {
                return [&, rounds] {
                    flops = recordPeak(gpu().pipelines(), gpu().stream(), peak, memory, rounds);
                };
            };
            try {
                // As many rounds as take about 5 ms.
                constexpr double wanted = 0.005;
                std::uint32_t rounds = 1;
                double seconds = secondsOnce(record(rounds));
                while (seconds < wanted && rounds < 1U << 20U) {
                    rounds *= 4;
                    seconds = secondsOnce(record(rounds));
                }
                const MeasuredTime time = measure(record(rounds));
                const double rate = flops / time.median;
                if (rate > m_peak) {
                    m_peak = rate;
                    m_peakName = name;
                }
                add({.name = name,
                     .value = rate / tera,
                     .unit = "TFLOP/s",
                     .of = name,
                     .spread = time.spread(),
                     .rounds = time.rounds});
            } catch (const Error& failure) {
                if (failure.kind() != ErrorKind::Device || peak.form == MatrixForm::Scalar)
                    throw;  // a form that the driver refuses is one row less
            }
        }
    }

    double secondsOnce(const std::function<void()>& record) const {
        GpuStream& stream = gpu().stream();
        stream.finish(m_execution.stop);
        const double before = stream.gpuSeconds();
        record();
        stream.finish(m_execution.stop);
        return stream.gpuSeconds() - before;
    }

    /// A sum of two matrices: two numbers are read and one is written.
    void measureBandwidth() {
        const std::int64_t rows = m_options.quick ? 256 : 32768;
        constexpr std::int64_t width = 2048;
        const Tensor into = Tensor::zeros({rows, width}).in(&gpu().memory());
        const Tensor values = Tensor::zeros({rows, width}).in(&gpu().memory());
        const MeasuredTime time = measure([&] {
            addRows(gpu().pipelines(), gpu().stream(), gpuMatrix(MatrixView(into)),
                    gpuMatrix(MatrixView(values)));
        });
        addBytes("gpu.peak.bandwidth", 3.0 * real(rows * width) * sizeof(float), time);
    }

    void measureTransfer() {
        const std::int64_t elements = (m_options.quick ? 1 : 64) * std::int64_t{1} << 20;
        const Tensor here = Tensor::zeros({elements});
        Tensor there = here.in(&gpu().memory());
        const auto bytes = static_cast<double>(here.bytes());
        const Rounds rounds{.most = m_options.quick ? 1 : 3, .seconds = m_options.rowSeconds};
        addBytes("gpu.transfer.to", bytes, measureRounds(m_execution.stop, rounds, [&] {
                     there = here.in(&gpu().memory());
                     gpu().stream().finish(m_execution.stop);
                 }));
        addBytes("gpu.transfer.from", bytes,
                 measureRounds(m_execution.stop, rounds, [&] { static_cast<void>(there.host()); }));
    }

    /// A row that takes longer than the options say, by the rate of the rows before, is left out.
    [[nodiscard]] bool isTooLong(double flops) const {
        constexpr double share = 0.05;  // of the peak, that every kernel makes
        return !m_options.quick && flops / (share * m_peak) > 4 * m_options.rowSeconds;
    }

    void measureLinear(const GpuLayerCase& layer, std::int64_t rows) {
        const double flops = 2.0 * real(rows) * real(layer.out) * real(layer.in);
        if (isTooLong(flops))
            return;
        constexpr float deviation = 0.02F;
        const Tensor x = randomRows(m_execution, {rows, layer.in}, DType::BF16);
        const Tensor weight = randomRows(m_execution, {layer.out, layer.in}, DType::BF16, deviation, 1);
        const Tensor bias = randomRows(m_execution, {layer.out}, DType::F32, 1.0F, 2);
        const Tensor gate = randomRows(m_execution, {layer.out}, DType::F32, 1.0F, 3);
        const PackedMatrix matrix = PackedMatrix::keepIn(gpu().memory(), weight, &bias, Arithmetic::BF16);
        const Tensor gpuX = x.in(&gpu().memory());
        Tensor y = Tensor::zeros({rows, layer.out}, layer.gatedResidual ? DType::F32 : DType::BF16)
                       .in(&gpu().memory());
        LinearEpilogue epilogue{.activation = layer.activation};
        if (layer.gatedResidual) {
            epilogue.gate = gate.data<float>();
            epilogue.addToOutput = true;
        }
        const auto apply = [&] { matrix.apply(m_execution, MatrixView(gpuX), MatrixSpan(y), epilogue); };
        apply();
        const auto expected = [&](std::int64_t row, std::int64_t column) {
            double sum = static_cast<double>(bias.data<float>()[static_cast<std::size_t>(column)]);
            sum += dot(x, row, weight, column, layer.in);
            if (layer.activation == LinearActivation::GeluTanh)
                sum *= 0.5 * (1.0 + std::tanh(0.7978845608028654 * (sum + 0.044715 * sum * sum * sum)));
            return layer.gatedResidual
                       ? sum * static_cast<double>(gate.data<float>()[static_cast<std::size_t>(column)])
                       : sum;
        };
        const std::string name = fmt::format("gpu.linear.{}.{}", layer.name, rows);
        const double error = errorOf(name, y, expected);
        addFlops(name, flops, measure(apply), {{"error", error}});
    }

    static double dot(const Tensor& x, std::int64_t xRow, const Tensor& weight, std::int64_t weightRow,
                      std::int64_t count, std::int64_t first = 0) {
        const Tensor one = x.slice(xRow, xRow + 1).toF32();
        const Tensor other = weight.slice(weightRow, weightRow + 1).toF32();
        double sum = 0;
        for (std::int64_t i = first; i < first + count; ++i)
            sum += static_cast<double>(one.data<float>()[static_cast<std::size_t>(i)]) *
                   static_cast<double>(other.data<float>()[static_cast<std::size_t>(i)]);
        return sum;
    }

    /// Of samples, relative to the size of what was expected. Throws Error{Device} when it is too large.
    double errorOf(const std::string& name, const Tensor& y,
                   const std::function<double(std::int64_t row, std::int64_t column)>& expected) const {
        const std::int64_t rows = y.extent(0);
        const std::int64_t width = y.extent(1);
        double differences = 0;
        double sizes = 0;
        for (const std::int64_t row : {std::int64_t{0}, rows / 3, rows - 2, rows - 1}) {
            const Tensor found = y.slice(row, row + 1).host().toF32();
            for (const std::int64_t column : {std::int64_t{0}, width / 5, width / 2 + 3, width - 1}) {
                const double value = expected(row, column);
                const double difference =
                    static_cast<double>(found.data<float>()[static_cast<std::size_t>(column)]) - value;
                differences += difference * difference;
                sizes += value * value;
            }
        }
        const double error = std::sqrt(differences / sizes);
        if (!(error <= errorAllowed))  // also when it is not a number
            throw Error(ErrorKind::Device,
                        sentence("{} computes wrong values in {}: an error of {:.3g}, {:.3g} is allowed",
                                 gpu().gpu().name(), name, error, errorAllowed),
                        {}, sentence("Update the GPU driver, or use the CPU"));
        return error;
    }

    void measureAttention(std::int64_t count) {
        constexpr std::int64_t width = gpuHeads * gpuHeadDim;
        const double flops = 4.0 * real(count) * real(count) * real(width);
        if (isTooLong(flops))
            return;
        const auto random = [&](std::uint64_t seed) {
            return randomRows(m_execution, {count, width}, DType::BF16, 1.0F, seed);
        };
        const Tensor q = random(1);
        const Tensor k = random(2);
        const Tensor v = random(3);
        const Tensor gpuQ = q.in(&gpu().memory());
        const Tensor gpuK = k.in(&gpu().memory());
        const Tensor gpuV = v.in(&gpu().memory());
        const Tensor y = Tensor::zeros({count, width}, DType::BF16).in(&gpu().memory());
        const double scale = 1.0 / std::sqrt(real(gpuHeadDim));
        const auto record = [&] {
            attend(gpu().pipelines(), gpu().stream(),
                   {.heads = gpuHeads,
                    .headDim = gpuHeadDim,
                    .q = gpuMatrix(MatrixView(gpuQ)),
                    .k = gpuMatrix(MatrixView(gpuK)),
                    .v = gpuMatrix(MatrixView(gpuV)),
                    .scale = scale},
                   gpuMatrix(MatrixView(y)));
        };
        record();
        const Tensor keys = k.toF32();
        const Tensor values = v.toF32();
        const auto expected = [&](std::int64_t row, std::int64_t column) {
            const std::int64_t first = column / gpuHeadDim * gpuHeadDim;
            const Tensor query = q.slice(row, row + 1).toF32();
            double sum = 0;
            double weighted = 0;
            for (std::int64_t key = 0; key < count; ++key) {
                double score = 0;
                for (std::int64_t i = first; i < first + gpuHeadDim; ++i)
                    score +=
                        static_cast<double>(query.data<float>()[static_cast<std::size_t>(i)]) *
                        static_cast<double>(keys.data<float>()[static_cast<std::size_t>(key * width + i)]);
                const double weight = std::exp(score * scale);
                sum += weight;
                weighted +=
                    weight *
                    static_cast<double>(values.data<float>()[static_cast<std::size_t>(key * width + column)]);
            }
            return weighted / sum;
        };
        const std::string name = fmt::format("gpu.attention.{}", count);
        const double error = errorOf(name, y, expected);
        addFlops(name, flops, measure(record), {{"error", error}});
    }

    /// Layers of the 1.3B transformer with random weights, a video of so many frames.
    void measureForward(std::int64_t frames) {
        constexpr std::int64_t textTokens = 512;
        const std::int64_t layers = m_options.quick ? 1 : m_options.layers;
        const WanTransformerConfig config = WanTransformerConfig::fromJson(
            configOf(requireArchitecture("wan2.1-t2v-1.3b"), layers), "bench gpu");
        const std::int64_t side = m_options.quick ? 4 : 0;
        const Shape latents{1, config.inChannels, (frames - 1) / 4 + 1, side > 0 ? side : 60,
                            side > 0 ? side : 104};
        const std::int64_t count = tokensOf(latents, config);
        const double flops =
            transformerPassFlops(config, count, textTokens) + textContextFlops(config, textTokens);
        if (isTooLong(flops))
            return;
        const RandomCheckpoint random(m_execution, wanTensors(config, DType::BF16));
        const WanTransformer transformer(
            config, random.checkpoint(),
            planAttentions({.mode = &requireAttentionMode("flash"), .ulyssesShards = 1}, config),
            WeightShard{}, {.weights = Arithmetic::BF16, .activations = DType::BF16}, nullptr, {},
            &gpu().memory());
        LoneDevice lone(m_execution);
        WanConditions conditions = WanConditions::zeros(config, 1);
        conditions.text = randomRows(m_execution, {1, textTokens, config.textDim}, DType::F32);
        const WanContext context = transformer.prepare(lone.device(), conditions);
        const Tensor noise = randomRows(m_execution, latents, DType::F32, 1.0F, 4);
        constexpr float timestep = 500.0F;
        const Rounds rounds{.most = m_options.quick ? 1 : 3, .seconds = 2 * m_options.rowSeconds};
        const MeasuredTime time = measureRounds(m_execution.stop, rounds, [&] {
            static_cast<void>(transformer.forward(
                lone.device(), {.latents = noise, .timesteps = Tensor::from<float>({1}, {timestep})},
                context));
        });
        add({.name = fmt::format("gpu.dit.forward.{}", count),
             .value = time.median,
             .unit = "s",
             .ratio = flops / time.median / m_peak,
             .of = m_peakName,
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = {{"tflop", flops / tera},
                         {"tflop_per_second", flops / tera / time.median},
                         {"tokens", real(count)},
                         {"layers", real(layers)}}});
    }

    void measureConvolution(const GpuConvolutionCase& of) {
        constexpr std::int64_t kernel = 3;
        constexpr std::int64_t taps = kernel * kernel * kernel;
        const std::int64_t pixels = of.height * of.width;
        const double flops = 2.0 * real(taps * pixels) * real(of.channels * of.channels);
        if (isTooLong(flops))
            return;
        constexpr float deviation = 0.02F;
        const Tensor x = randomRows(m_execution, {pixels, of.channels}, DType::BF16);
        const Tensor weight = randomRows(m_execution, {of.channels, of.channels, kernel, kernel, kernel},
                                         DType::BF16, deviation, 1)
                                  .toF32();
        const Tensor bias = randomRows(m_execution, {of.channels}, DType::F32, 1.0F, 2);
        const auto packed = PackedConvolution::pack(weight, bias, {.padBefore = 1, .padAfter = 1},
                                                    Arithmetic::BF16, &gpu().memory());
        const Tensor gpuX = x.in(&gpu().memory());
        const std::vector<ConvolutionFrame> frames(static_cast<std::size_t>(kernel),
                                                   ConvolutionFrame{.pixels = MatrixView(gpuX)});
        Tensor y = Tensor::zeros({pixels, of.channels}, DType::BF16).in(&gpu().memory());
        const auto apply = [&] { packed.apply(m_execution, frames, of.height, of.width, MatrixSpan(y)); };
        apply();
        const Tensor features = x.toF32();
        const auto expected = [&](std::int64_t pixel, std::int64_t out) {
            double sum = static_cast<double>(bias.data<float>()[static_cast<std::size_t>(out)]);
            for (std::int64_t tap = 0; tap < taps; ++tap) {
                const std::int64_t row = pixel / of.width - 1 + tap / kernel % kernel;
                const std::int64_t column = pixel % of.width - 1 + tap % kernel;
                if (row < 0 || row >= of.height || column < 0 || column >= of.width)
                    continue;
                for (std::int64_t in = 0; in < of.channels; ++in)
                    sum += static_cast<double>(features.data<float>()[static_cast<std::size_t>(
                               (row * of.width + column) * of.channels + in)]) *
                           static_cast<double>(weight.data<float>()[static_cast<std::size_t>(
                               (out * of.channels + in) * taps + tap)]);
            }
            return sum;
        };
        const std::string name = fmt::format("gpu.convolution.{}.{}x{}", of.channels, of.width, of.height);
        const double error = errorOf(name, y, expected);
        addFlops(name, flops, measure(apply), {{"error", error}});
    }

    /// A video of five frames by the VAE of Wan 2.1 with random weights, as a run decodes it.
    void measureDecode() {
        constexpr std::int64_t latentFrames = 2;
        nlohmann::json json = configOf(requireArchitecture("wan2.1-vae"));
        if (m_options.quick)
            json["base_dim"] = 16;
        const WanVaeConfig config = WanVaeConfig::fromJson(json, "bench gpu");
        const std::int64_t factor = config.spatialFactor();
        const Shape latents{1, config.zDim, latentFrames, m_options.quick ? 2 : 480 / factor,
                            m_options.quick ? 2 : 832 / factor};
        const double flops = vaeDecodeWork(config, latents).flops;
        if (isTooLong(flops))
            return;
        std::vector<TensorSpec> tensors = requireArchitecture("wan2.1-vae").family.tensors(json);
        for (TensorSpec& tensor : tensors)
            tensor.dtype = DType::BF16;
        const RandomCheckpoint random(m_execution, tensors);
        const WanVae vae(config, random.checkpoint(), {.activations = DType::BF16, .weights = DType::BF16},
                         {}, &gpu().memory());
        const Tensor noise = randomRows(m_execution, latents, DType::F32);
        LoneDevice lone(m_execution);
        const auto decode = [&] { static_cast<void>(vae.decodeFrames(lone.device(), 1, noise)); };
        decode();  // compiles
        const Rounds rounds{.most = m_options.quick ? 1 : 3, .seconds = 2 * m_options.rowSeconds};
        const MeasuredTime time = measureRounds(m_execution.stop, rounds, decode);
        add({.name = fmt::format("gpu.vae.decode.{}x{}x{}", latents[4] * factor, latents[3] * factor,
                                 1 + (latentFrames - 1) * config.temporalFactor()),
             .value = time.median,
             .unit = "s",
             .ratio = flops / time.median / m_peak,
             .of = m_peakName,
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = {{"tflop", flops / tera}, {"tflop_per_second", flops / tera / time.median}}});
    }

    const Execution& m_execution;
    GpuBenchmarkOptions m_options;
    const std::function<void(const BenchmarkRow& row)>& m_onRow;
    std::vector<BenchmarkRow> m_rows;
    double m_peak = 0;  // FLOP/s, of the fastest form
    std::string m_peakName;
    double m_bandwidth = 0;
};

}  // namespace

std::vector<BenchmarkRow> benchmarkGpu(const Execution& execution, const GpuBenchmarkOptions& options,
                                       const std::function<void(const BenchmarkRow& row)>& onRow) {
    return GpuBenchmark(execution, options, onRow).measureAll();
}

nlohmann::ordered_json gpuBenchmarkJson(std::span<const BenchmarkRow> rows, const ChosenGpu& chosen,
                                        const Execution& execution) {
    nlohmann::ordered_json json = benchmarkJson(rows, execution.workers.size());
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const MeasuredKernel& kernel : execution.gpu->pipelines().tuning().kernels()) {
        RecordJson entry = RecordJson::object();
        putFields(entry, kernel);
        entry.erase("gpu");
        kernels.push_back(std::move(entry));
    }
    json["machine"]["gpu"] = {{"name", chosen.facts.name},
                              {"kind", enumName(chosen.facts.kind)},
                              {"driver", chosen.facts.driver},
                              {"vulkan", chosen.facts.vulkan},
                              {"memory_total", chosen.facts.memoryTotal},
                              {"kernels", std::move(kernels)}};
    return json;
}

}  // namespace meshreel
