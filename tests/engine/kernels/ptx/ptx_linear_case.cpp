// SPDX-License-Identifier: GPL-3.0-or-later
#include "ptx_linear_case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>

#include "engine/kernels/gpu/linear_constants.h"
#include "tests/support/activation_reference.h"
#include "tests/support/ptx/ptx_parser.h"

namespace meshreel {
namespace {

/// What the rows of a tensor are longer than their numbers by: bytes that nobody may write.
constexpr std::uint32_t spare = 16;

std::uint16_t narrowBits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

float wideOf(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// A factor of a product as the kernel reads it, rows of bf16 or int8, and as numbers.
struct Factor {
    std::uint32_t stride;  // in numbers
    std::vector<std::byte> bytes;
    std::vector<double> numbers;

    Factor(PtxFactors factors, std::uint32_t rows, std::uint32_t width, std::mt19937& generator)
        : stride(width + spare),
          bytes(std::size_t{rows} * stride * (factors == PtxFactors::Bf16 ? 2 : 1)),
          numbers(std::size_t{rows} * width) {
        std::normal_distribution<float> normal;
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = 0; column < width; ++column) {
                const std::size_t at = row * stride + column;
                double& number = numbers[row * width + column];
                if (factors == PtxFactors::Bf16) {
                    const std::uint16_t bits = narrowBits(normal(generator));
                    std::copy_n(reinterpret_cast<const std::byte*>(&bits), 2, &bytes[2 * at]);
                    number = static_cast<double>(wideOf(bits));
                } else {
                    const auto value = static_cast<std::int8_t>(static_cast<int>(generator() % 255) - 127);
                    bytes[at] = static_cast<std::byte>(value);
                    number = value;
                }
            }
    }
};

std::vector<float> randomVector(std::size_t count, float about, std::mt19937& generator) {
    std::normal_distribution<float> normal;
    std::vector<float> made(count);
    for (float& number : made)
        number = about * normal(generator);
    return made;
}

std::uint32_t linearFlags(const PtxLinearCase& linear) {
    return LinearFlag::narrowRowsOfX | LinearFlag::narrowWeight | LinearFlag::fourAtOnce |
           (linear.narrowY ? LinearFlag::narrowY : 0U) | (linear.hasBias ? LinearFlag::withBias : 0U) |
           (linear.hasGate ? LinearFlag::withGate : 0U) | (linear.addsToY ? LinearFlag::addToY : 0U);
}

testing::PtxGrid linearGrid(const PtxLinearCase& linear, const PtxLinearLaunch& launch) {
    if (launch.mostBlocks > 0)
        return {.x = launch.mostBlocks};
    return {.x = (linear.outs + launch.blockOuts - 1) / launch.blockOuts,
            .y = (linear.rows + launch.blockRows - 1) / launch.blockRows};
}

LinearConstants linearConstants(const PtxLinearCase& linear) {
    LinearConstants constants{};
    constants.rows = linear.rows;
    constants.outs = linear.outs;
    constants.ins = linear.ins;
    constants.xStride = constants.weightStride = linear.ins + spare;
    constants.yStride = linear.outs + spare;
    constants.activation = static_cast<std::uint32_t>(linear.activation);
    constants.flags = linearFlags(linear);
    return constants;
}

/// y: f32 or bf16, with what it held before.
class Outputs {
  public:
    Outputs(const PtxLinearCase& linear, std::mt19937& generator)
        : m_narrow(linear.narrowY),
          m_stride(linear.outs + spare),
          m_before(randomVector(std::size_t{linear.rows} * m_stride, 1.0F, generator)),
          m_wideNow(m_before),
          m_narrowNow(m_before.size()) {
        if (!m_narrow)
            return;
        for (std::size_t index = 0; index < m_before.size(); ++index) {
            m_narrowNow[index] = narrowBits(m_before[index]);
            m_before[index] = wideOf(m_narrowNow[index]);
        }
    }

    std::span<std::byte> bytes() {
        return m_narrow ? std::as_writable_bytes(std::span(m_narrowNow))
                        : std::as_writable_bytes(std::span(m_wideNow));
    }
    [[nodiscard]] double before(std::size_t row, std::size_t column) const {
        return static_cast<double>(m_before[row * m_stride + column]);
    }
    [[nodiscard]] double now(std::size_t row, std::size_t column) const {
        const std::size_t at = row * m_stride + column;
        return static_cast<double>(m_narrow ? wideOf(m_narrowNow[at]) : m_wideNow[at]);
    }
    /// Whether the numbers behind a row's outputs are as they were.
    [[nodiscard]] bool keepsItsSpareNumbers(std::uint32_t rows, std::uint32_t outs) const {
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = outs; column < m_stride; ++column)
                if (now(row, column) != before(row, column))
                    return false;
        return true;
    }

  private:
    bool m_narrow;
    std::size_t m_stride;
    std::vector<float> m_before;
    std::vector<float> m_wideNow;
    std::vector<std::uint16_t> m_narrowNow;
};

}  // namespace

PtxLinearResult computeLinear(const PtxLinearCase& linear, const std::string& text,
                              const PtxLinearLaunch& launch) {
    std::mt19937 generator(7);
    const bool isInt8 = linear.factors == PtxFactors::Int8;
    Factor x(linear.factors, linear.rows, linear.ins, generator);
    Factor weight(linear.factors, linear.outs, linear.ins, generator);
    const float about = 1.0F / std::sqrt(static_cast<float>(linear.ins)) / (isInt8 ? 5000.0F : 1.0F);
    std::vector<float> bias = randomVector(linear.outs, 1.0F, generator);
    std::vector<float> gate = randomVector(linear.outs, 1.0F, generator);
    std::vector<float> rowScales(linear.rows, 1.0F);
    std::vector<float> outScales(linear.outs, about);
    for (std::size_t index = 0; index < rowScales.size(); ++index)
        rowScales[index] += static_cast<float>(index % 5) / 4.0F;
    for (std::size_t index = 0; index < outScales.size(); ++index)
        outScales[index] *= 1.0F + static_cast<float>(index % 7) / 4.0F;
    Outputs y(linear, generator);

    testing::PtxMemory memory;
    const auto add = [&](const char* name, auto& numbers) {
        return memory.add(name, std::as_writable_bytes(std::span(numbers)));
    };
    LinearConstants constants = linearConstants(linear);
    constants.x = add("x", x.bytes);
    constants.weight = add("weight", weight.bytes);
    constants.y = memory.add("y", y.bytes());
    constants.bias = linear.hasBias ? add("bias", bias) : 0;
    constants.gate = linear.hasGate ? add("gate", gate) : 0;
    if (isInt8) {
        constants.rowScales = add("rowScales", rowScales);
        constants.outScales = add("outScales", outScales);
    }
    const testing::PtxProgram program = testing::parsePtx(text, "linear.ptx");
    PtxLinearResult result;
    result.work = testing::runPtxGrid(program, program.entries.front(), memory, linearGrid(linear, launch),
                                      std::as_bytes(std::span(&constants, 1)), launch.dynamicBytes);
    for (std::size_t row = 0; row < linear.rows; ++row)
        for (std::size_t out = 0; out < linear.outs; ++out) {
            const double* left = &x.numbers[row * linear.ins];
            const double* right = &weight.numbers[out * linear.ins];
            double sum = 0;
            for (const double* end = left + linear.ins; left != end; ++left, ++right)
                sum += *left * *right;
            if (isInt8)
                sum *= static_cast<double>(outScales[out]) * static_cast<double>(rowScales[row]);
            sum += linear.hasBias ? static_cast<double>(bias[out]) : 0.0;
            sum = testing::activatedInDouble(linear.activation, sum);
            sum *= linear.hasGate ? static_cast<double>(gate[out]) : 1.0;
            sum += linear.addsToY ? y.before(row, out) : 0.0;
            const double halfStep = linear.narrowY ? std::fabs(sum) / 256.0 : 0.0;
            const double error = std::max(0.0, std::fabs(y.now(row, out) - sum) - halfStep);
            result.error = std::max(result.error, std::isnan(error) ? 1e9 : error / (std::fabs(sum) + 1.0));
        }
    if (!y.keepsItsSpareNumbers(linear.rows, linear.outs))
        result.error = 1e9;
    return result;
}

std::vector<testing::PtxMemory::Region> reachLinear(const PtxLinearCase& linear, const std::string& text,
                                                    const std::vector<testing::PtxGrid>& blocks,
                                                    const PtxLinearLaunch& launch) {
    const testing::PtxProgram program = testing::parsePtx(text, "linear.ptx");
    const std::size_t size = linear.factors == PtxFactors::Bf16 ? 2 : 1;
    std::vector<testing::PtxMemory::Region> written;
    for (const testing::PtxGrid& block : blocks) {
        testing::PtxMemory memory;
        LinearConstants constants = linearConstants(linear);
        // The last row ends with its numbers: nothing may be read behind it.
        const auto rowsOf = [&](std::size_t rows, std::size_t width, std::size_t bytes) {
            return ((rows - 1) * (width + spare) + width) * bytes;
        };
        constants.x = memory.addAddresses("x", rowsOf(linear.rows, linear.ins, size));
        constants.weight = memory.addAddresses("weight", rowsOf(linear.outs, linear.ins, size));
        constants.y = memory.addAddresses("y", rowsOf(linear.rows, linear.outs, linear.narrowY ? 2 : 4));
        constants.bias = memory.addAddresses("bias", linear.outs * sizeof(float));
        constants.gate = memory.addAddresses("gate", linear.outs * sizeof(float));
        constants.rowScales = memory.addAddresses("rowScales", linear.rows * sizeof(float));
        constants.outScales = memory.addAddresses("outScales", linear.outs * sizeof(float));
        testing::runPtxBlock(program, program.entries.front(), memory, linearGrid(linear, launch), block,
                             std::as_bytes(std::span(&constants, 1)), launch.dynamicBytes);
        written.push_back(memory.region(constants.y));
    }
    return written;
}

}  // namespace meshreel
