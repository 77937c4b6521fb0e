// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/attention/attention_mode.h"
#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/record.h"
#include "engine/base/record_json.h"
#include "engine/base/units.h"
#include "engine/estimates/video_shape.h"
#include "engine/estimates/work.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/measure/benchmarks/benchmark_run.h"
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
#include "engine/tensor/compute_device.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/tensor_file.h"

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

constexpr std::int64_t fewTokens = 7800;    // for 832×480×17
constexpr std::int64_t manyTokens = 32760;  // for 832×480×81
constexpr std::int64_t quickTokens = 16;

constexpr std::int64_t fewLatentFrames = 2;    // for 5 frames
constexpr std::int64_t manyLatentFrames = 21;  // for 81 frames

constexpr std::int64_t gpuHeads = 12;
constexpr std::int64_t gpuHeadDim = 128;

/// For results with bf16 or int8 factors and a bf16 result, relative to their size.
constexpr double errorAllowed = 0.02;

/// The fastest of some peaks: what rows are compared with.
struct FastestPeak {
    double rate = 0;  ///< operations a second; 0: none was measured
    std::string name = {};
    std::string_view unit = "TFLOP/s";

    void consider(double other, const std::string& otherName) {
        if (other > rate) {
            rate = other;
            name = otherName;
        }
    }
};

/// One way to multiply rows of bf16 by a linear layer's weights.
struct LinearWay {
    Arithmetic arithmetic = Arithmetic::BF16;
    MatrixForm form = MatrixForm::Scalar;  ///< for int8; bf16 uses the fastest
    const FastestPeak* peak = nullptr;
    std::string prefix = {};  ///< for its rows
};

class GpuBenchmark {
  public:
    GpuBenchmark(const Execution& execution, const GpuBenchmarkOptions& options,
                 const std::function<void(const BenchmarkRow& row)>& onRow)
        : m_execution(execution), m_options(options), m_onRow(onRow) {}

    std::vector<BenchmarkRow> measureAll() {
        requireOfferedForm();
        measurePeaks();
        measureBandwidth();
        measureTransfer();
        if (measuresBf16()) {
            measureChain();
            measureRecording();
        }
        const std::vector<LinearWay> ways = linearWays();
        for (const GpuLayerCase& each : smallModelCases)
            for (const std::int64_t rows : tokens())
                measureLinear(each, rows, ways);
        if (!m_options.quick)
            for (const GpuLayerCase& each : largeModelCases)
                measureLinear(each, fewTokens, ways);
        if (measuresBf16())
            for (const std::int64_t keys : tokens())
                measureAttention(keys);
        for (const std::int64_t frames :
             m_options.quick ? std::vector<std::int64_t>{5} : std::vector<std::int64_t>{17, 81}) {
            if (measuresBf16())
                measureForward(frames, Arithmetic::BF16);
            if (measuresInt8())
                measureForward(frames, Arithmetic::Int8);
        }
        if (measuresBf16()) {
            for (const GpuConvolutionCase& each :
                 m_options.quick ? std::span<const GpuConvolutionCase>(quickConvolutionCases)
                                 : convolutionCases)
                measureConvolution(each);
            const double seconds = measureDecode(fewLatentFrames);
            // Measures all of a usual video if that takes no longer than a few rounds of a row.
            if (!m_options.quick && seconds > 0 &&
                seconds * real(manyLatentFrames) / real(fewLatentFrames) < 2 * m_options.rowSeconds)
                measureDecode(manyLatentFrames);
        }
        return std::move(m_rows);
    }

  private:
    [[nodiscard]] ComputeDevice& gpu() const { return *m_execution.gpu; }
    [[nodiscard]] std::vector<std::int64_t> tokens() const {
        return m_options.quick ? std::vector<std::int64_t>{quickTokens}
                               : std::vector<std::int64_t>{fewTokens, manyTokens};
    }

    /// The form that alone is measured; nothing: every one.
    [[nodiscard]] std::optional<MatrixForm> onlyForm() const {
        return enumNamed<MatrixForm>(findTuning(gpu()).filter().form);
    }
    [[nodiscard]] bool measuresBf16() const { return !onlyForm() || !takesInt8(*onlyForm()); }
    [[nodiscard]] bool measuresInt8() const {
        return !onlyForm() || takesInt8(*onlyForm()) || *onlyForm() == MatrixForm::Scalar;
    }

    /// Throws Error{Device} when the form that alone is measured is none of the GPU's.
    void requireOfferedForm() const {
        if (!onlyForm() || *onlyForm() == MatrixForm::Scalar)
            return;
        const OfferedForm& offer = findMatrixOffers(gpu()).of(*onlyForm());
        if (offer.extents.empty())
            throw Error(ErrorKind::Device,
                        sentence("{} does not multiply in the form {}: {}", gpu().name(),
                                 enumName(offer.form), offer.why),
                        "--form",
                        sentence("Choose another form: the list of devices names those of each GPU"));
    }

    /// bf16 in the fastest form, and int8 in each. Throws Error{Device} when no kernel takes the form that
    /// alone is measured.
    [[nodiscard]] std::vector<LinearWay> linearWays() {
        std::vector<LinearWay> ways;
        if (measuresBf16())
            ways.push_back({.peak = &m_peak, .prefix = "gpu.linear"});
        if (measuresInt8())
            for (const MatrixForm form : int8FormsOn(gpu()))
                ways.push_back(
                    {.arithmetic = Arithmetic::Int8,
                     .form = form,
                     .peak = &int8Peak(form),
                     .prefix = fmt::format("gpu.linear.{}",
                                           form == MatrixForm::Scalar ? "int8_scalar" : enumName(form))});
        if (ways.empty())
            throw Error(ErrorKind::Device,
                        sentence("No kernel multiplies in the sizes that {} offers for the form {}",
                                 gpu().name(), findTuning(gpu()).filter().form),
                        "--form",
                        sentence("Choose another form: the list of devices names those of each GPU"));
        return ways;
    }

    [[nodiscard]] FastestPeak& int8Peak(MatrixForm form) {
        return m_int8Peaks.try_emplace(form, FastestPeak{.unit = int8Unit}).first->second;
    }

    /// Layers of int8 weights take this form meanwhile.
    void inForm(MatrixForm form, const std::function<void()>& measured) {
        GpuTuning& usual = findTuning(gpu());
        const auto [place, isNew] = m_int8Tunings.try_emplace(form, usual);
        GpuTuning& restricted = place->second;
        if (isNew)
            restricted.restrict({.form = std::string(enumName(form)), .block = usual.filter().block});
        std::swap(usual, restricted);
        measured();
        std::swap(usual, restricted);
    }

    void add(BenchmarkRow row) {
        m_rows.push_back(std::move(row));
        if (m_onRow)
            m_onRow(m_rows.back());
    }

    /// Measures one call of `record`, by the GPU's clock. Short ones are recorded several times a round.
    MeasuredTime measure(const std::function<void()>& record) const {
        constexpr double roundSeconds = 0.02;
        const auto secondsOf = [&](int times) {
            const double before = secondsOnGpu();
            for (int each = 0; each < times; ++each)
                record();
            return (secondsOnGpu() - before) / times;
        };
        const double once = secondsOf(1);
        if (m_options.quick)
            return {.median = once, .fastest = once, .slowest = once, .rounds = 1};
        const int times = std::clamp(static_cast<int>(roundSeconds / std::max(once, 1e-6)), 1, 100);
        constexpr double warmSeconds = 0.2;  // the card's frequency rises with work
        const auto start = std::chrono::steady_clock::now();
        do
            static_cast<void>(secondsOf(times));
        while (secondsSince(start) < warmSeconds);
        std::vector<double> seconds;
        double counted = 0;
        while (seconds.empty() ||
               (std::ssize(seconds) < m_options.rounds && counted < m_options.rowSeconds)) {
            seconds.push_back(secondsOf(times));
            counted += seconds.back() * times;
        }
        const auto [fastest, slowest] = std::ranges::minmax(seconds);
        return {.median = computeMedian(seconds),
                .fastest = fastest,
                .slowest = slowest,
                .rounds = static_cast<int>(seconds.size())};
    }

    /// Measures a call and compares what the first one wrote; in a quick benchmark that is the only one.
    MeasuredTime measureCompared(const std::function<void()>& record,
                                 const std::function<void()>& compare) const {
        if (m_options.quick) {
            const MeasuredTime once = measure(record);
            compare();
            return once;
        }
        record();
        compare();
        return measure(record);
    }

    /// The rate of an operation.
    void addRate(const std::string& name, double flops, const MeasuredTime& time, const FastestPeak& peak,
                 std::vector<std::pair<std::string, double>> details) {
        details.insert(details.begin(), {"seconds", time.median});
        add({.name = name,
             .value = flops / time.median / tera,
             .unit = std::string(peak.unit),
             .ratio = flops / time.median / peak.rate,
             .of = peak.name,
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = std::move(details)});
    }

    /// The seconds of many operations together.
    void addSeconds(const std::string& name, double flops, const MeasuredTime& time, const FastestPeak& peak,
                    const std::vector<std::pair<std::string, double>>& details = {}) {
        BenchmarkRow row{
            .name = name,
            .value = time.median,
            .unit = "s",
            .ratio = flops / time.median / peak.rate,
            .of = peak.name,
            .spread = time.spread(),
            .rounds = time.rounds,
            .details = {{"tflop", flops / tera}, {"tflop_per_second", flops / tera / time.median}}};
        std::ranges::copy(details, std::back_inserter(row.details));
        add(std::move(row));
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
        DevicePeaks work(m_execution);
        for (std::size_t index = 0; index < work.peaks().size(); ++index) {
            const DevicePeaks::Peak& peak = work.peaks()[index];
            if (onlyForm() && *onlyForm() != peak.form)
                continue;
            const std::string name = "gpu.peak." + peak.name;
            double flops = 0;
            const auto record = [&](std::uint32_t rounds) {
                return [&, rounds] { flops = work.compute(index, rounds); };
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
                if (peak.ofInt8)
                    int8Peak(peak.form).consider(rate, name);
                FastestPeak& ofAllForms = peak.ofInt8 ? m_int8Peak : m_peak;
                ofAllForms.consider(rate, name);
                add({.name = name,
                     .value = rate / tera,
                     .unit = std::string(ofAllForms.unit),
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
        const double before = secondsOnGpu();
        record();
        return secondsOnGpu() - before;
    }

    /// Returns how long it has worked until everything recorded is done.
    double secondsOnGpu() const {
        gpu().finish(m_execution.stop);
        return gpu().seconds().value_or(0);
    }

    /// A sum of two matrices: two numbers are read and one is written.
    void measureBandwidth() {
        const std::int64_t rows = m_options.quick ? 256 : 32768;
        constexpr std::int64_t width = 2048;
        Tensor into = Tensor::zeros({rows, width}).in(&gpu().memory());
        const Tensor values = Tensor::zeros({rows, width}).in(&gpu().memory());
        const MeasuredTime time =
            measure([&] { addRows(m_execution, MatrixSpan(into), MatrixView(values)); });
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
                     gpu().finish(m_execution.stop);
                 }));
        addBytes("gpu.transfer.from", bytes,
                 measureRounds(m_execution.stop, rounds, [&] { static_cast<void>(there.host()); }));
    }

    /// Measures small dispatches each of which reads what the previous one wrote: what starting and ordering
    /// them takes.
    void measureChain() {
        const int dispatches = m_options.quick ? 100 : 1000;
        constexpr std::int64_t width = 256;
        Tensor into = Tensor::zeros({1, width}).in(&gpu().memory());
        const Tensor values = Tensor::zeros({1, width}).in(&gpu().memory());
        const MeasuredTime time = measure([&] {
            for (int each = 0; each < dispatches; ++each)
                addRows(m_execution, MatrixSpan(into), MatrixView(values));
        });
        addPlainSeconds("gpu.dispatch.chain", time, {{"dispatches", dispatches}});
    }

    /// Measures the host's time to record one transformer block, whatever the GPU needs for it: CPU seconds
    /// of this thread for a pass of many narrow blocks, less those for a pass of one.
    void measureRecording() {
        constexpr std::int64_t layers = 9;
        const std::vector<double> few = recordingSeconds(1);
        const std::vector<double> many = recordingSeconds(layers);
        std::vector<double> seconds;
        for (std::size_t round = 0; round < many.size(); ++round)
            seconds.push_back(std::max(0.0, many[round] - computeMedian(few)) / real(layers - 1));
        const auto [fastest, slowest] = std::ranges::minmax(seconds);
        addPlainSeconds("gpu.record.block",
                        {.median = computeMedian(seconds),
                         .fastest = fastest,
                         .slowest = slowest,
                         .rounds = static_cast<int>(seconds.size())},
                        {});
    }

    /// CPU seconds of this thread, which records, for each of several passes.
    [[nodiscard]] std::vector<double> recordingSeconds(std::int64_t layers) const {
        constexpr std::int64_t textTokens = 16;
        nlohmann::json json = configOf(requireArchitecture("wan2.1-t2v-1.3b"), layers);
        json["num_attention_heads"] = 2;
        json["ffn_dim"] = 512;
        const WanTransformerConfig config = WanTransformerConfig::fromJson(json, "bench gpu");
        const RandomCheckpoint random(m_execution, wanTensors(config, DType::BF16));
        const WanTransformer transformer(
            config, random.checkpoint(),
            planAttentions({.mode = &requireAttentionMode("flash"), .ulyssesShards = 1}, config),
            WeightShard{}, {.weights = Arithmetic::BF16, .activations = DType::BF16}, nullptr, {},
            &gpu().memory());
        LoneDevice lone(m_execution);
        WanConditions conditions = WanConditions::zeros(config, 1);
        conditions.text = randomRows(m_execution, {1, textTokens, config.textDim}, DType::F32);
        const CrossAttentionCache context = transformer.prepare(lone.device(), conditions);
        const Tensor noise = randomRows(m_execution, {1, config.inChannels, 1, 8, 8}, DType::F32, 1.0F, 4);
        constexpr float timestep = 500.0F;
        const auto pass = [&] {
            gpu().finish(m_execution.stop);
            const double before = threadCpuSeconds();
            static_cast<void>(transformer.forward(
                lone.device(), {.latents = noise, .timesteps = Tensor::from<float>({1}, {timestep})},
                context));
            return threadCpuSeconds() - before;
        };
        static_cast<void>(pass());  // compiles
        std::vector<double> seconds;
        const int rounds = m_options.quick ? 3 : 21;
        for (int round = 0; round < rounds; ++round)
            seconds.push_back(pass());
        return seconds;
    }

    static double threadCpuSeconds() {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        constexpr double nano = 1e-9;
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * nano;
    }

    /// Seconds that no peak is the measure of.
    void addPlainSeconds(const std::string& name, const MeasuredTime& time,
                         std::vector<std::pair<std::string, double>> details) {
        add({.name = name,
             .value = time.median,
             .unit = "s",
             .of = name,
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = std::move(details)});
    }

    /// A row that takes longer than the options say, by the rate of the rows before, is left out, and one
    /// whose peak the driver refuses.
    [[nodiscard]] bool isTooLong(double flops, const FastestPeak& peak) const {
        constexpr double share = 0.1;  // of the peak, which every kernel reaches
        return peak.rate == 0 || (!m_options.quick && flops / (share * peak.rate) > 4 * m_options.rowSeconds);
    }

    /// int8 on the least rows only, and for drivers in software on the smallest weights.
    void measureLinear(const GpuLayerCase& layer, std::int64_t rows, std::vector<LinearWay> ways) {
        const double flops = 2.0 * real(rows) * real(layer.out) * real(layer.in);
        std::erase_if(ways, [&](const LinearWay& way) {
            return isTooLong(flops, *way.peak) || (m_options.quick && layer.in != layer.out) ||
                   (way.arithmetic == Arithmetic::Int8 && rows != tokens().front());
        });
        if (ways.empty())
            return;
        constexpr float deviation = 0.02F;
        const Tensor x = randomRows(m_execution, {rows, layer.in}, DType::BF16);
        const Tensor weight = randomRows(m_execution, {layer.out, layer.in}, DType::BF16, deviation, 1);
        const Tensor bias = randomRows(m_execution, {layer.out}, DType::F32, 1.0F, 2);
        const Tensor gate = randomRows(m_execution, {layer.out}, DType::F32, 1.0F, 3);
        const Tensor gpuX = x.in(&gpu().memory());
        LinearEpilogue epilogue{.activation = layer.activation};
        if (layer.gatedResidual) {
            epilogue.gate = gate.data<float>();
            epilogue.addToOutput = true;
        }
        const auto expected = [&](std::int64_t row, std::int64_t column) {
            double sum = static_cast<double>(bias.data<float>()[static_cast<std::size_t>(column)]);
            sum += dot(x, row, weight, column, layer.in);
            if (layer.activation == LinearActivation::GeluTanh)
                sum *= 0.5 * (1.0 + std::tanh(0.7978845608028654 * (sum + 0.044715 * sum * sum * sum)));
            return layer.gatedResidual
                       ? sum * static_cast<double>(gate.data<float>()[static_cast<std::size_t>(column)])
                       : sum;
        };
        std::optional<PackedMatrix> matrix;  // int8 is rounded once for all its forms
        for (const LinearWay& way : ways) {
            if (!matrix || matrix->arithmetic() != way.arithmetic)
                matrix = PackedMatrix::keepIn(gpu().memory(), weight, &bias, way.arithmetic);
            Tensor y = Tensor::zeros({rows, layer.out}, layer.gatedResidual ? DType::F32 : DType::BF16)
                           .in(&gpu().memory());
            const auto apply = [&] { matrix->apply(m_execution, MatrixView(gpuX), MatrixSpan(y), epilogue); };
            const auto measureThis = [&] {
                const std::string name = fmt::format("{}.{}.{}", way.prefix, layer.name, rows);
                double error = 0;
                const MeasuredTime time = measureCompared(apply, [&] { error = errorOf(name, y, expected); });
                addRate(name, flops, time, *way.peak, {{"error", error}});
            };
            if (way.arithmetic == Arithmetic::Int8)
                inForm(way.form, measureThis);
            else
                measureThis();
        }
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

    /// Returns the error of samples, relative to the size of what was expected. Throws Error{Device} when it
    /// is too large.
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
                                 gpu().name(), name, error, errorAllowed),
                        {}, sentence("Update the GPU driver, or use the CPU"));
        return error;
    }

    void measureAttention(std::int64_t count) {
        constexpr std::int64_t width = gpuHeads * gpuHeadDim;
        const double flops = 4.0 * real(count) * real(count) * real(width);
        if (isTooLong(flops, m_peak))
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
        const auto heads = [&](const Tensor& rows) {
            return HeadTensor{rows.reshaped({1, count, gpuHeads, gpuHeadDim})};
        };
        const LocalAttention attention{
            .query = heads(gpuQ), .key = heads(gpuK), .value = heads(gpuV), .scale = scale};
        const auto record = [&] {
            attend(m_execution, {.kernel = AttentionKernel::Flash}, attention, heads(y));
        };
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
        double error = 0;
        const MeasuredTime time = measureCompared(record, [&] { error = errorOf(name, y, expected); });
        addRate(name, flops, time, m_peak, {{"error", error}});
    }

    /// Layers of the 1.3B transformer with random weights, bf16 or int8, a video of so many frames.
    void measureForward(std::int64_t frames, Arithmetic weights) {
        const std::int64_t textTokens = m_options.quick ? 32 : 512;
        const std::int64_t layers = m_options.quick ? 1 : m_options.layers;
        const WanTransformerConfig config = WanTransformerConfig::fromJson(
            configOf(requireArchitecture("wan2.1-t2v-1.3b"), layers), "bench gpu");
        const std::int64_t side = m_options.quick ? 4 : 0;
        const Shape latents{1, config.inChannels, (frames - 1) / 4 + 1, side > 0 ? side : 60,
                            side > 0 ? side : 104};
        const std::int64_t count = tokenCount(latents, config);
        const double flops =
            transformerPassFlops(config, count, textTokens) + textContextFlops(config, textTokens);
        const FastestPeak& peak = weights == Arithmetic::Int8 ? m_int8Peak : m_peak;
        if (isTooLong(flops, peak))
            return;
        const RandomCheckpoint random(m_execution, wanTensors(config, DType::BF16));
        const WanTransformer transformer(
            config, random.checkpoint(),
            planAttentions({.mode = &requireAttentionMode("flash"), .ulyssesShards = 1}, config),
            WeightShard{}, {.weights = weights, .activations = DType::BF16}, nullptr, {}, &gpu().memory());
        LoneDevice lone(m_execution);
        WanConditions conditions = WanConditions::zeros(config, 1);
        conditions.text = randomRows(m_execution, {1, textTokens, config.textDim}, DType::F32);
        const CrossAttentionCache context = transformer.prepare(lone.device(), conditions);
        const Tensor noise = randomRows(m_execution, latents, DType::F32, 1.0F, 4);
        constexpr float timestep = 500.0F;
        const Rounds rounds{.most = m_options.quick ? 1 : 3, .seconds = 2 * m_options.rowSeconds};
        const MeasuredTime time = measureRounds(m_execution.stop, rounds, [&] {
            static_cast<void>(transformer.forward(
                lone.device(), {.latents = noise, .timesteps = Tensor::from<float>({1}, {timestep})},
                context));
        });
        addSeconds(fmt::format("gpu.dit.forward{}.{}", weights == Arithmetic::Int8 ? ".int8" : "", count),
                   flops, time, peak, {{"tokens", real(count)}, {"layers", real(layers)}});
    }

    void measureConvolution(const GpuConvolutionCase& of) {
        constexpr std::int64_t kernel = 3;
        constexpr std::int64_t taps = kernel * kernel * kernel;
        const std::int64_t pixels = of.height * of.width;
        const double flops = 2.0 * real(taps * pixels) * real(of.channels * of.channels);
        if (isTooLong(flops, m_peak))
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
        double error = 0;
        const MeasuredTime time = measureCompared(apply, [&] { error = errorOf(name, y, expected); });
        addRate(name, flops, time, m_peak, {{"error", error}});
    }

    /// Decodes a video with the VAE of Wan 2.1 with random weights, as a run does. Returns its seconds, or 0
    /// if that would take too long.
    double measureDecode(std::int64_t latentFrames) {
        nlohmann::json json = configOf(requireArchitecture("wan2.1-vae"));
        if (m_options.quick)
            json["base_dim"] = 16;
        const WanVaeConfig config = WanVaeConfig::fromJson(json, "bench gpu");
        const std::int64_t factor = config.spatialFactor();
        const Shape latents{1, config.zDim, latentFrames, m_options.quick ? 2 : 480 / factor,
                            m_options.quick ? 2 : 832 / factor};
        const double flops = vaeDecodeWork(config, latents).flops;
        if (latentFrames == fewLatentFrames && isTooLong(flops, m_peak))
            return 0;
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
        addSeconds(fmt::format("gpu.vae.decode.{}x{}x{}", latents[4] * factor, latents[3] * factor,
                               1 + (latentFrames - 1) * config.temporalFactor()),
                   flops, time, m_peak);
        return time.median;
    }

    const Execution& m_execution;
    GpuBenchmarkOptions m_options;
    const std::function<void(const BenchmarkRow& row)>& m_onRow;
    std::vector<BenchmarkRow> m_rows;
    static constexpr std::string_view int8Unit = "TOP/s";
    FastestPeak m_peak;  // with f32, f16 and bf16 factors
    FastestPeak m_int8Peak{.unit = int8Unit};
    std::map<MatrixForm, FastestPeak> m_int8Peaks;
    std::map<MatrixForm, GpuTuning> m_int8Tunings;  // each restricted to its form
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
    for (const MeasuredKernel& kernel : findTuning(*execution.gpu).kernels()) {
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
