// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/gpu/attention_constants.h"
#include "engine/kernels/gpu/linear_constants.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/ptx/hopper_attention.h"
#include "engine/kernels/ptx/hopper_linear.h"
#include "engine/kernels/ptx/ptx_attention.h"
#include "engine/kernels/ptx/ptx_linear.h"
#include "tools/ptx-trial/trial_fact.h"

namespace meshreel {
namespace {

/// Numbers between -1 and 1, the same for the same seed and place, in the form in which a card holds them.
class TrialNumbers {
  public:
    explicit TrialNumbers(std::uint64_t seed) : m_seed(seed) {}

    [[nodiscard]] std::int8_t int8(std::size_t at) const {
        return static_cast<std::int8_t>(static_cast<int>(mix(at) % 255) - 127);
    }
    [[nodiscard]] float bf16(std::size_t at) const { return static_cast<float>(int8(at)) / 128.0F; }
    [[nodiscard]] static std::uint16_t bits(float value) {
        return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
    }

  private:
    // SplitMix64.
    [[nodiscard]] std::uint64_t mix(std::size_t at) const {
        std::uint64_t z = (m_seed << 40U) + at * 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }
    std::uint64_t m_seed;
};

std::uint32_t blocksOf(std::uint32_t count, std::uint32_t block) {
    return (count + block - 1) / block;
}

/// Seconds of one launch by the card's clock: the shortest of some turns of several.
template <typename Launch>
double secondsOfLaunch(const CudaGpu& gpu, bool small, const Launch& launch) {
    const int turns = small ? 1 : 3;
    const int together = small ? 1 : 5;
    launch();
    gpu.finish();
    double best = 1e30;
    for (int turn = 0; turn < turns; ++turn)
        best = std::min(best, gpu.secondsOf([&] {
            for (int count = 0; count < together; ++count)
                launch();
        }) / together);
    return best;
}

FactJson kernelFact(const CudaKernel& kernel, double seconds, double operations, double error,
                    double allowed) {
    constexpr double tera = 1e12;
    return {{"ok", error <= allowed},
            {"seconds", seconds},
            {"tera_operations", operations / seconds / tera},
            {"error", error},
            {"registers", kernel.registers()},
            {"spilled_bytes", kernel.spilledBytes()}};
}

/// Rows and outputs that are compared with values of the CPU, the last ones among them.
std::vector<std::uint32_t> samplesOf(std::uint32_t count) {
    return {0, count / 3, count / 2 + 1, count - 1};
}

// ---- Linear layers ----

struct TrialLinear {
    PtxFactors factors;
    std::uint32_t rows;
    std::uint32_t ins;
    std::uint32_t outs;
    LinearActivation activation;
    bool gateAdded;         ///< y = y + gate · …, y in f32; else y is bf16
    bool ofHopper = false;  ///< by the kernel for compute capability 9.0

    [[nodiscard]] std::string name() const {
        return fmt::format("{}linear.{}.{}x{}x{}{}{}", ofHopper ? "hopper." : "",
                           factors == PtxFactors::Bf16 ? "bf16" : "int8", rows, ins, outs,
                           activation == LinearActivation::GeluTanh ? ".gelu" : "", gateAdded ? ".gate" : "");
    }
};

/// A factor's rows, as a card holds them.
std::vector<std::byte> factorBytes(PtxFactors factors, const TrialNumbers& numbers, std::size_t count) {
    std::vector<std::byte> bytes(count * (factors == PtxFactors::Bf16 ? 2 : 1));
    for (std::size_t at = 0; at < count; ++at)
        if (factors == PtxFactors::Bf16) {
            const std::uint16_t bits = TrialNumbers::bits(numbers.bf16(at));
            std::copy_n(reinterpret_cast<const std::byte*>(&bits), 2, &bytes[2 * at]);
        } else {
            bytes[at] = static_cast<std::byte>(numbers.int8(at));
        }
    return bytes;
}

double geluTanhInDouble(double x) {
    constexpr double cubic = 0.044715;
    return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + cubic * x * x * x)));
}

/// A layer with its tensors on a card, and what each of its outputs is.
class LinearTrial {
  public:
    LinearTrial(const CudaGpu& gpu, const TrialLinear& linear)
        : m_linear(linear),
          m_vector(vectorOf(linear.outs)),
          m_scales(std::max(linear.rows, linear.outs), isInt8() ? 1.0F / 128.0F : 1.0F),
          m_xs(gpu, factorBytes(linear.factors, m_x, std::size_t{linear.rows} * linear.ins)),
          m_weights(gpu, factorBytes(linear.factors, m_weight, std::size_t{linear.outs} * linear.ins)),
          m_ys(gpu, std::vector<std::byte>(std::size_t{linear.rows} * linear.outs * sizeOfY())),
          m_biases(gpu, std::as_bytes(std::span(m_vector))),
          m_scalesThere(gpu, std::as_bytes(std::span(m_scales))) {}

    /// Of y that holds zeros, if it is added to.
    [[nodiscard]] LinearConstants constants() const {
        LinearConstants made{};
        made.x = m_xs.address();
        made.weight = m_weights.address();
        made.bias = made.gate = m_biases.address();
        made.y = m_ys.address();
        made.rowScales = made.outScales = m_scalesThere.address();
        made.rows = m_linear.rows;
        made.outs = made.yStride = m_linear.outs;
        made.ins = made.xStride = made.weightStride = m_linear.ins;
        made.activation = static_cast<std::uint32_t>(m_linear.activation);
        made.flags = LinearFlag::narrowRowsOfX | LinearFlag::narrowWeight | LinearFlag::withBias |
                     LinearFlag::fourAtOnce |
                     (m_linear.gateAdded ? LinearFlag::withGate | LinearFlag::addToY : LinearFlag::narrowY);
        return made;
    }

    /// The largest |y - expected| / (|expected| + 1) of samples.
    [[nodiscard]] double error() const {
        double most = 0;
        for (const std::uint32_t row : samplesOf(m_linear.rows)) {
            std::vector<std::byte> bytes(m_linear.outs * sizeOfY());
            m_ys.read(bytes, std::size_t{row} * bytes.size());
            for (const std::uint32_t out : samplesOf(m_linear.outs)) {
                const double right = expected(row, out);
                const double apart = std::fabs(numberAt(bytes, out) - right) / (std::fabs(right) + 1.0);
                most = std::max(most, std::isnan(apart) ? 1e30 : apart);
            }
        }
        return most;
    }

  private:
    [[nodiscard]] bool isInt8() const { return m_linear.factors == PtxFactors::Int8; }
    [[nodiscard]] std::size_t sizeOfY() const {
        return m_linear.gateAdded ? sizeof(float) : sizeof(std::uint16_t);
    }

    static std::vector<float> vectorOf(std::size_t count) {
        std::vector<float> made(count);
        for (std::size_t at = 0; at < count; ++at)
            made[at] = TrialNumbers(3).bf16(at);
        return made;
    }

    [[nodiscard]] double numberAt(std::span<const std::byte> row, std::uint32_t out) const {
        std::uint32_t bits = 0;
        std::copy_n(&row[out * sizeOfY()], sizeOfY(), reinterpret_cast<std::byte*>(&bits));
        return static_cast<double>(std::bit_cast<float>(m_linear.gateAdded ? bits : bits << 16U));
    }

    [[nodiscard]] double expected(std::uint32_t row, std::uint32_t out) const {
        double sum = 0;
        for (std::size_t in = 0; in < m_linear.ins; ++in) {
            const std::size_t left = std::size_t{row} * m_linear.ins + in;
            const std::size_t right = std::size_t{out} * m_linear.ins + in;
            sum += isInt8() ? static_cast<double>(m_x.int8(left) * m_weight.int8(right))
                            : static_cast<double>(m_x.bf16(left)) * static_cast<double>(m_weight.bf16(right));
        }
        const auto scale = static_cast<double>(m_scales.front());
        const auto added = static_cast<double>(m_vector[out]);
        sum = sum * scale * scale + added;
        if (m_linear.activation == LinearActivation::GeluTanh)
            sum = geluTanhInDouble(sum);
        return m_linear.gateAdded ? sum * added : sum;
    }

    TrialLinear m_linear;
    TrialNumbers m_x{1};
    TrialNumbers m_weight{2};
    std::vector<float> m_vector;  // bias and gate
    std::vector<float> m_scales;  // of rows and outputs of int8 factors
    CudaBuffer m_xs;
    CudaBuffer m_weights;
    CudaBuffer m_ys;
    CudaBuffer m_biases;
    CudaBuffer m_scalesThere;
};

/// A block a tile; of the kernel for 9.0 a block a processor at most, which takes tiles by turns.
CudaKernel::Grid linearGrid(const CudaGpu& gpu, const TrialLinear& linear) {
    if (!linear.ofHopper)
        return {.x = blocksOf(linear.outs, ptxLinearBlock), .y = blocksOf(linear.rows, ptxLinearBlock)};
    const std::uint32_t tiles =
        blocksOf(linear.outs, hopperLinearOuts) * blocksOf(linear.rows, hopperLinearRows);
    return {.x = std::min(tiles, static_cast<std::uint32_t>(gpu.facts().multiprocessors))};
}

FactJson timeLinear(const CudaGpu& gpu, const TrialLinear& linear, bool small) {
    const PtxKernel text = linear.ofHopper ? hopperLinear(linear.factors) : ptxLinear(linear.factors);
    const CudaKernel kernel(gpu, text.text, text.entry, text.dynamicBytes);
    const LinearTrial trial(gpu, linear);
    const LinearConstants constants = trial.constants();
    const auto launch = [&] {
        kernel.launch(linearGrid(gpu, linear), text.threads, std::as_bytes(std::span(&constants, 1)));
    };
    launch();
    const double error = trial.error();
    const double seconds = secondsOfLaunch(gpu, small, launch);
    const double allowed = linear.gateAdded ? 1e-4 : 1.0 / 256.0;  // a step of bf16
    return kernelFact(kernel, seconds, 2.0 * linear.rows * linear.ins * linear.outs, error, allowed);
}

// ---- Attention ----

struct TrialAttention {
    std::uint32_t heads;
    PtxAttentionSize size;
    std::uint32_t tokens;
    /// Keys of a step of the kernel for compute capability 9.0; 0: by the other kernel.
    std::uint32_t hopperKeys = 0;

    [[nodiscard]] std::string name() const {
        return hopperKeys > 0
                   ? fmt::format("hopper.attention.{}x{}.{}.by{}", heads, size.head, tokens, hopperKeys)
                   : fmt::format("attention.{}x{}.{}.by{}", heads, size.head, tokens, size.queries);
    }
};

/// Heads with their tensors on a card, and what each number of a result is.
class AttentionTrial {
  public:
    AttentionTrial(const CudaGpu& gpu, const TrialAttention& attention)
        : m_attention(attention),
          m_width(attention.heads * attention.size.head),
          m_qs(rowsOn(gpu, m_q)),
          m_ks(rowsOn(gpu, m_k)),
          m_vs(rowsOn(gpu, m_v)),
          m_output(gpu, std::size_t{attention.tokens} * m_width * sizeof(float)),
          m_maximum(gpu, std::size_t{attention.tokens} * attention.heads * sizeof(float)),
          m_sum(gpu, std::size_t{attention.tokens} * attention.heads * sizeof(float)) {}

    [[nodiscard]] AttentionConstants constants() const {
        AttentionConstants made{};
        made.q = m_qs.address();
        made.k = m_ks.address();
        made.v = m_vs.address();
        made.output = m_output.address();
        made.maximum = m_maximum.address();
        made.sum = m_sum.address();
        made.queries = made.keys = m_attention.tokens;
        made.headDim = m_attention.size.head;
        made.qStride = made.kStride = made.vStride = m_width;
        made.scale = static_cast<float>(scale() * std::numbers::log2e);
        made.flags = AttentionFlag::narrowQueries | AttentionFlag::narrowKeys | AttentionFlag::narrowValues;
        return made;
    }

    /// The largest |y - expected| of samples.
    [[nodiscard]] double error() const {
        double most = 0;
        for (const std::uint32_t query : samplesOf(m_attention.tokens)) {
            const std::uint32_t head = query % m_attention.heads;
            const std::vector<double> weights = weightsOf(query, head);
            const std::size_t row = std::size_t{head} * m_attention.tokens + query;
            std::vector<float> output(m_attention.size.head);
            float sum = 0;
            m_output.read(std::as_writable_bytes(std::span(output)), row * output.size() * sizeof(float));
            m_sum.read(std::as_writable_bytes(std::span(&sum, 1)), row * sizeof(float));
            for (const std::uint32_t column : samplesOf(m_attention.size.head)) {
                double expected = 0;
                for (std::size_t key = 0; key < weights.size(); ++key)
                    expected += weights[key] * at(m_v, key, head, column);
                const double apart =
                    std::fabs(static_cast<double>(output[column]) / static_cast<double>(sum) - expected);
                most = std::max(most, std::isnan(apart) ? 1e30 : apart);
            }
        }
        return most;
    }

  private:
    /// Scores differ by some units, as those of a model do.
    [[nodiscard]] double scale() const { return 8.0 / std::sqrt(static_cast<double>(m_attention.size.head)); }

    [[nodiscard]] CudaBuffer rowsOn(const CudaGpu& gpu, const TrialNumbers& numbers) const {
        return {gpu, factorBytes(PtxFactors::Bf16, numbers, std::size_t{m_attention.tokens} * m_width)};
    }

    [[nodiscard]] double at(const TrialNumbers& numbers, std::size_t token, std::size_t head,
                            std::size_t column) const {
        return static_cast<double>(numbers.bf16(token * m_width + head * m_attention.size.head + column));
    }

    /// Of all keys; they sum to 1.
    [[nodiscard]] std::vector<double> weightsOf(std::uint32_t query, std::uint32_t head) const {
        std::vector<double> weights(m_attention.tokens);
        for (std::size_t key = 0; key < weights.size(); ++key) {
            for (std::size_t column = 0; column < m_attention.size.head; ++column)
                weights[key] += at(m_q, query, head, column) * at(m_k, key, head, column);
            weights[key] *= scale();
        }
        const double most = *std::ranges::max_element(weights);
        double sum = 0;
        for (double& weight : weights)
            sum += weight = std::exp(weight - most);
        for (double& weight : weights)
            weight /= sum;
        return weights;
    }

    TrialAttention m_attention;
    std::uint32_t m_width;
    TrialNumbers m_q{1};
    TrialNumbers m_k{2};
    TrialNumbers m_v{3};
    CudaBuffer m_qs;
    CudaBuffer m_ks;
    CudaBuffer m_vs;
    CudaBuffer m_output;
    CudaBuffer m_maximum;
    CudaBuffer m_sum;
};

FactJson timeAttention(const CudaGpu& gpu, const TrialAttention& attention, bool small) {
    const PtxKernel text = attention.hopperKeys > 0
                               ? hopperAttention({attention.size.head, attention.hopperKeys})
                               : ptxAttention(attention.size);
    const CudaKernel kernel(gpu, text.text, text.entry, text.dynamicBytes);
    const AttentionTrial trial(gpu, attention);
    const AttentionConstants constants = trial.constants();
    const auto launch = [&] {
        kernel.launch({.x = blocksOf(attention.tokens, attention.size.queries), .y = attention.heads},
                      text.threads, std::as_bytes(std::span(&constants, 1)));
    };
    launch();
    const double error = trial.error();
    const double seconds = secondsOfLaunch(gpu, small, launch);
    const double scores = static_cast<double>(attention.tokens) * attention.tokens * attention.heads;
    return kernelFact(kernel, seconds, 4.0 * scores * attention.size.head, error, 1.0 / 256.0);
}

}  // namespace

std::vector<TrialFact> kernelFacts(bool small) {
    using enum LinearActivation;
    constexpr std::uint32_t tokens = 32760;  // of 832×480×81
    std::vector<TrialLinear> linears =
        small ? std::vector<TrialLinear>{{PtxFactors::Bf16, 140, 256, 136, GeluTanh, false},
                                         {PtxFactors::Int8, 140, 256, 136, None, true}}
              : std::vector<TrialLinear>{{PtxFactors::Bf16, tokens, 1536, 1536, None, false},
                                         {PtxFactors::Bf16, tokens, 1536, 1536, None, true},
                                         {PtxFactors::Bf16, tokens, 1536, 8960, GeluTanh, false},
                                         {PtxFactors::Bf16, tokens, 8960, 1536, None, true},
                                         {PtxFactors::Bf16, tokens, 5120, 13824, GeluTanh, false},
                                         {PtxFactors::Int8, 8192, 1536, 8960, GeluTanh, false},
                                         {PtxFactors::Int8, 8192, 13824, 5120, None, true}};
    std::vector<TrialAttention> attentions =
        small ? std::vector<TrialAttention>{{2, {128, 128}, 150}, {1, {96, 64}, 70}, {1, {64, 128}, 70}}
              : std::vector<TrialAttention>{{12, {128, 128}, 7800},   {12, {128, 64}, 7800},
                                            {12, {128, 128}, tokens}, {12, {128, 64}, tokens},
                                            {8, {96, 128}, 8192},     {8, {96, 64}, 8192},
                                            {12, {64, 128}, 8192},    {12, {64, 64}, 8192}};
    // The same by the kernels for compute capability 9.0, which other cards refuse.
    for (std::size_t index = 0, count = linears.size(); index < count; ++index) {
        linears.push_back(linears[index]);
        linears.back().ofHopper = true;
    }
    for (std::size_t index = 0, count = attentions.size(); index < count; ++index)
        if (attentions[index].size.queries == hopperAttentionQueries)
            for (const std::uint32_t keys : {128U, 160U}) {
                attentions.push_back(attentions[index]);
                attentions.back().hopperKeys = keys;
            }
    std::vector<TrialFact> facts;
    for (const TrialLinear& linear : linears)
        facts.push_back({linear.name(), [=](const CudaGpu& gpu) { return timeLinear(gpu, linear, small); }});
    for (const TrialAttention& attention : attentions)
        facts.push_back(
            {attention.name(), [=](const CudaGpu& gpu) { return timeAttention(gpu, attention, small); }});
    return facts;
}

}  // namespace meshreel
