// SPDX-License-Identifier: GPL-3.0-or-later
#include "ptx_attention_case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <span>

#include "engine/kernels/gpu/attention_constants.h"
#include "engine/kernels/ptx/ptx_attention.h"
#include "tests/support/ptx/ptx_parser.h"

namespace meshreel {
namespace {

constexpr std::uint32_t spareNumbers = 8;

/// Rows of bf16 with some numbers more than the heads have.
class HeadRows {
  public:
    HeadRows(std::uint32_t rows, std::uint32_t width, float gain, std::uint32_t seed)
        : m_stride(width + spareNumbers), m_bits(std::size_t{rows} * m_stride) {
        std::mt19937 generator(seed);
        std::normal_distribution<float> normal;
        for (std::uint16_t& bits : m_bits)
            bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(gain * normal(generator)) >> 16U);
    }

    [[nodiscard]] std::uint32_t stride() const { return m_stride; }
    std::span<std::byte> from(std::size_t row) {
        return std::as_writable_bytes(std::span(m_bits)).subspan(row * m_stride * 2);
    }
    [[nodiscard]] double at(std::size_t row, std::size_t column) const {
        return static_cast<double>(
            std::bit_cast<float>(static_cast<std::uint32_t>(m_bits[row * m_stride + column]) << 16U));
    }

  private:
    std::uint32_t m_stride;
    std::vector<std::uint16_t> m_bits;
};

struct AttentionProblem {
    explicit AttentionProblem(const PtxAttentionCase& attention)
        : size(attention),
          q(attention.queries, attention.heads * attention.size.head, attention.gain, 1),
          k(attention.keys, attention.heads * attention.size.head, 1.0F, 2),
          v(attention.keys, attention.heads * attention.size.head, 1.0F, 3),
          marks(attention.keys, 1) {
        for (std::size_t key = 0; key < marks.size(); key += 3)
            marks[key] = attention.hasMarks ? 0 : 1;
    }

    /// The scores of a query, in base 2; minus infinity for a hidden key.
    [[nodiscard]] std::vector<double> scores(std::size_t head, std::size_t query) const {
        std::vector<double> made;
        for (std::size_t key = 0; key < size.keys; ++key) {
            double sum = 0;
            for (std::size_t i = head * size.size.head; i < (head + 1) * size.size.head; ++i)
                sum += q.at(query, i) * k.at(key, i);
            sum *= std::numbers::log2e / std::sqrt(static_cast<double>(size.size.head));
            if (key + 1 == size.keys)
                sum += std::log2(static_cast<double>(size.lastKeyCount));
            made.push_back(marks[key] == 0 ? -std::numeric_limits<double>::infinity() : sum);
        }
        return made;
    }

    PtxAttentionCase size;
    HeadRows q;
    HeadRows k;
    HeadRows v;
    std::vector<std::uint32_t> marks;
};

struct Partial {
    explicit Partial(const PtxAttentionCase& size)
        : output(std::size_t{size.heads} * size.queries * size.size.head, NAN),
          maximum(std::size_t{size.heads} * size.queries, NAN),
          sum(maximum) {}

    std::vector<float> output;
    std::vector<float> maximum;
    std::vector<float> sum;
};

AttentionConstants attentionConstants(const PtxAttentionCase& size) {
    AttentionConstants constants{};
    constants.queries = size.queries;
    constants.keys = size.keys;
    constants.headDim = size.size.head;
    constants.qStride = constants.kStride = constants.vStride = size.heads * size.size.head + spareNumbers;
    constants.yStride = constants.qStride;
    constants.scale =
        static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(size.size.head)));
    constants.lastKey = static_cast<float>(std::log2(static_cast<double>(size.lastKeyCount)));
    constants.flags = AttentionFlag::narrowQueries | AttentionFlag::narrowKeys | AttentionFlag::narrowValues |
                      (size.hasMarks ? AttentionFlag::maskedKeys : 0U);
    if (size.into != PtxAttentionCase::Into::Partial)
        constants.flags |= AttentionFlag::finishesRows;
    if (size.into == PtxAttentionCase::Into::NarrowRows)
        constants.flags |= AttentionFlag::narrowRows;
    return constants;
}

testing::PtxGrid attentionGrid(const PtxAttentionCase& size) {
    return {.x = (size.queries + size.size.queries - 1) / size.size.queries, .y = size.heads};
}

testing::PtxWork launchAttention(AttentionProblem& problem, AttentionConstants constants,
                                 std::uint32_t firstKey, std::uint32_t keys, testing::PtxMemory& memory,
                                 const PtxAttentionText& text) {
    constants.keys = keys;
    constants.q = memory.add("q", problem.q.from(0));
    constants.k = memory.add("k", problem.k.from(firstKey));
    constants.v = memory.add("v", problem.v.from(firstKey));
    constants.keyMask =
        memory.add("marks", std::as_writable_bytes(std::span(problem.marks).subspan(firstKey, keys)));
    const testing::PtxProgram program = testing::parsePtx(text.text, "attention.ptx");
    return testing::runPtxGrid(program, program.entries.front(), memory, attentionGrid(problem.size),
                               std::as_bytes(std::span(&constants, 1)), text.dynamicBytes);
}

/// Attends to a part of the keys.
testing::PtxWork attendTo(AttentionProblem& problem, std::uint32_t firstKey, std::uint32_t keys,
                          Partial& into, const PtxAttentionText& text) {
    testing::PtxMemory memory;
    AttentionConstants constants = attentionConstants(problem.size);
    constants.output = memory.add("output", std::as_writable_bytes(std::span(into.output)));
    constants.maximum = memory.add("maximum", std::as_writable_bytes(std::span(into.maximum)));
    constants.sum = memory.add("sum", std::as_writable_bytes(std::span(into.sum)));
    return launchAttention(problem, constants, firstKey, keys, memory, text);
}

/// The definition: by head, query and number.
template <typename Compare>
void eachExpected(const AttentionProblem& problem, const Compare& compare) {
    for (std::size_t head = 0; head < problem.size.heads; ++head)
        for (std::size_t query = 0; query < problem.size.queries; ++query) {
            std::vector<double> weights = problem.scores(head, query);
            double total = 0;
            for (double& weight : weights)
                total += weight = std::exp2(weight);
            for (std::size_t i = 0; i < problem.size.size.head; ++i) {
                double sum = 0;
                for (std::size_t key = 0; key < weights.size(); ++key)
                    sum += weights[key] * problem.v.at(key, head * problem.size.size.head + i);
                compare(head, query, i, total > 0 ? sum / total : 0.0);
            }
        }
}

double errorOf(double value, double expected) {
    return std::isnan(value) ? 1e9 : std::fabs(value - expected);
}

double narrowAt(const std::vector<std::uint16_t>& rows, std::size_t at) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(rows[at]) << 16U));
}

PtxAttentionResult computePartial(AttentionProblem& problem, const PtxAttentionText& text) {
    Partial partial(problem.size);
    PtxAttentionResult result;
    result.work = attendTo(problem, 0, problem.size.keys, partial, text);
    eachExpected(problem, [&](std::size_t head, std::size_t query, std::size_t i, double expected) {
        const std::size_t row = head * problem.size.queries + query;
        const auto sum = static_cast<double>(partial.sum[row]);
        const auto output = static_cast<double>(partial.output[row * problem.size.size.head + i]);
        result.error = std::max(result.error, errorOf(sum == 0 ? output : output / sum, expected));
    });
    for (std::size_t row = 0; row < partial.sum.size(); ++row) {
        const std::vector<double> scores =
            problem.scores(row / problem.size.queries, row % problem.size.queries);
        double total = 0;
        for (const double score : scores)
            total += std::exp2(score);
        const auto maximum = static_cast<double>(partial.maximum[row]);
        if (total == 0) {
            result.logError = std::max(
                result.logError,
                maximum == -std::numeric_limits<double>::infinity() && partial.sum[row] == 0 ? 0.0 : 1e9);
            continue;
        }
        result.mostAbove = std::max(result.mostAbove, *std::ranges::max_element(scores) - maximum);
        result.logError =
            std::max(result.logError,
                     errorOf(maximum + std::log2(static_cast<double>(partial.sum[row])), std::log2(total)));
    }
    return result;
}

PtxAttentionResult computeRows(AttentionProblem& problem, const PtxAttentionText& text) {
    const AttentionConstants given = attentionConstants(problem.size);
    const std::size_t count = std::size_t{problem.size.queries} * given.yStride;
    const bool isNarrow = problem.size.into == PtxAttentionCase::Into::NarrowRows;
    std::vector<float> wide(isNarrow ? 0 : count, NAN);
    std::vector<std::uint16_t> narrow(isNarrow ? count : 0, 0x7fc0);
    testing::PtxMemory memory;
    AttentionConstants constants = given;
    constants.output = memory.add(
        "y", isNarrow ? std::as_writable_bytes(std::span(narrow)) : std::as_writable_bytes(std::span(wide)));
    PtxAttentionResult result;
    result.work = launchAttention(problem, constants, 0, problem.size.keys, memory, text);
    eachExpected(problem, [&](std::size_t head, std::size_t query, std::size_t i, double expected) {
        const std::size_t at = query * given.yStride + head * problem.size.size.head + i;
        const double value = isNarrow ? narrowAt(narrow, at) : static_cast<double>(wide[at]);
        result.error = std::max(result.error, errorOf(value, expected));
    });
    return result;
}

}  // namespace

PtxAttentionResult computeAttention(const PtxAttentionCase& attention, const PtxAttentionText& text) {
    AttentionProblem problem(attention);
    return attention.into == PtxAttentionCase::Into::Partial ? computePartial(problem, text)
                                                             : computeRows(problem, text);
}

double computeInTwoParts(const PtxAttentionCase& attention, std::uint32_t keysOfFirst,
                         const PtxAttentionText& text) {
    AttentionProblem problem(attention);
    Partial first(attention);
    Partial second(attention);
    attendTo(problem, 0, keysOfFirst, first, text);
    attendTo(problem, keysOfFirst, attention.keys - keysOfFirst, second, text);
    double error = 0;
    eachExpected(problem, [&](std::size_t head, std::size_t query, std::size_t i, double expected) {
        const std::size_t row = head * attention.queries + query;
        const double most =
            std::max(static_cast<double>(first.maximum[row]), static_cast<double>(second.maximum[row]));
        double output = 0;
        double sum = 0;
        for (const Partial* part : {&first, &second}) {
            const double factor = std::exp2(static_cast<double>(part->maximum[row]) - most);
            output += factor * static_cast<double>(part->output[row * attention.size.head + i]);
            sum += factor * static_cast<double>(part->sum[row]);
        }
        error = std::max(error, errorOf(output / sum, expected));
    });
    return error;
}

std::vector<testing::PtxMemory::Region> reachAttention(const PtxAttentionCase& attention,
                                                       const PtxAttentionText& text,
                                                       const testing::PtxGrid& block) {
    testing::PtxMemory memory;
    AttentionConstants constants = attentionConstants(attention);
    const std::size_t width = std::size_t{attention.heads} * attention.size.head;
    const auto rowsOf = [&](std::size_t rows) { return ((rows - 1) * constants.qStride + width) * 2; };
    const std::size_t statistics = std::size_t{attention.heads} * attention.queries * sizeof(float);
    constants.q = memory.addAddresses("q", rowsOf(attention.queries));
    constants.k = memory.addAddresses("k", rowsOf(attention.keys));
    constants.v = memory.addAddresses("v", rowsOf(attention.keys));
    constants.keyMask = memory.addAddresses("marks", std::size_t{attention.keys} * 4);
    constants.output = memory.addAddresses("output", statistics * attention.size.head);
    constants.maximum = memory.addAddresses("maximum", statistics);
    constants.sum = memory.addAddresses("sum", statistics);
    const testing::PtxProgram program = testing::parsePtx(text.text, "attention.ptx");
    testing::runPtxBlock(program, program.entries.front(), memory, attentionGrid(attention), block,
                         std::as_bytes(std::span(&constants, 1)), text.dynamicBytes);
    return {memory.region(constants.output), memory.region(constants.maximum), memory.region(constants.sum)};
}

}  // namespace meshreel
