// SPDX-License-Identifier: GPL-3.0-or-later
// Attention on every device in every type of rows that they take, against softmax in double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bounded_value.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/prepare_kernels.h"
#include "tested_device.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using testing::Bounded;
using testing::BoundedSum;

struct SoftmaxCase {
    std::int64_t batch = 1;
    std::int64_t queries;
    std::int64_t keys;
    std::int64_t heads;
    std::int64_t headDim;
    int parts = 1;        ///< that the keys come in
    bool masked = false;  ///< every third key, and all of the last batch element if there are several
    bool biased = false;  ///< by the distance of key and query
    std::int64_t lastKeyCount = 1;  ///< equal keys that the last one stands for
    float gain = 1.0F;              ///< of the queries
    bool timed = false;             ///< each part has a bias by the query's frame; keys are not cut out
};

constexpr std::int64_t timedTokens = 7;  // of a frame
constexpr std::int64_t timedFirst = 3;   // of the queries, in the video
constexpr std::size_t timedFrames = 12;

/// What the keys of a part get in each frame: from nothing to all but nothing left.
std::vector<float> biasOfPart(int part) {
    std::vector<float> bias;
    for (std::size_t frame = 0; frame < timedFrames; ++frame) {
        const auto distance = static_cast<float>((frame + static_cast<std::size_t>(part) * 2) % 4);
        bias.push_back(distance == 3.0F ? -7000.0F : -1.25F * distance * distance);
    }
    return bias;
}

// Within and beyond blocks of 16 queries and 32 keys, and the narrowest and the widest head.
constexpr std::array softmaxCases{
    SoftmaxCase{.queries = 1, .keys = 1, .heads = 1, .headDim = 4},
    SoftmaxCase{.queries = 37, .keys = 70, .heads = 3, .headDim = 12},
    SoftmaxCase{.queries = 18, .keys = 40, .heads = 1, .headDim = 128},
    SoftmaxCase{.queries = 37, .keys = 150, .heads = 2, .headDim = 64},
    SoftmaxCase{.queries = 16, .keys = 32, .heads = 2, .headDim = 32, .gain = 4.0F},
    SoftmaxCase{.batch = 2, .queries = 20, .keys = 90, .heads = 2, .headDim = 16, .parts = 3},
    SoftmaxCase{.batch = 2, .queries = 20, .keys = 66, .heads = 2, .headDim = 8, .parts = 2, .masked = true},
    SoftmaxCase{.queries = 33, .keys = 150, .heads = 3, .headDim = 24},
    SoftmaxCase{
        .batch = 2, .queries = 20, .keys = 130, .heads = 2, .headDim = 16, .parts = 2, .masked = true},
    SoftmaxCase{.queries = 21, .keys = 40, .heads = 3, .headDim = 8, .masked = true, .biased = true},
    SoftmaxCase{.queries = 20, .keys = 34, .heads = 2, .headDim = 16, .lastKeyCount = 7},
    SoftmaxCase{.queries = 61, .keys = 40, .heads = 2, .headDim = 16, .parts = 3, .timed = true},
    SoftmaxCase{.batch = 2, .queries = 37, .keys = 24, .heads = 3, .headDim = 8, .parts = 2, .timed = true},
    SoftmaxCase{.batch = 2,
                .queries = 30,
                .keys = 40,
                .heads = 1,
                .headDim = 64,
                .parts = 4,
                .masked = true,
                .timed = true},
};

constexpr FlashBlockSizes softmaxBlocks{
    .blockQ = 16, .blockKv = 64, .blockKvCompute = 32, .blockKvComputeIn = 16};

class AttentionOnDevices : public testing::DeviceTest {
  protected:
    /// The values of one case, on the host.
    struct Rows {
        Rows(const SoftmaxCase& of, DType type)
            : query(queriesOf(of).to(type)),
              key(testing::randomTensor({of.batch, of.keys, of.heads, of.headDim}, 2).to(type)),
              value(testing::randomTensor({of.batch, of.keys, of.heads, of.headDim}, 3).to(type)),
              bias(testing::randomTensor({of.heads, of.queries + of.keys - 1}, 4)),
              keyMask(static_cast<std::size_t>(of.batch * of.keys), 1) {
            const std::size_t empty =
                of.batch > 1 ? keyMask.size() - static_cast<std::size_t>(of.keys) : keyMask.size();
            for (std::size_t index = 0; of.masked && index < keyMask.size(); ++index)
                keyMask[index] = index % 3 == 0 || index >= empty ? 0 : 1;
        }

        [[nodiscard]] static Tensor queriesOf(const SoftmaxCase& of) {
            Tensor loud = testing::randomTensor({of.batch, of.queries, of.heads, of.headDim}, 1);
            for (float& each : loud.data<float>())
                each *= of.gain;
            return loud;
        }

        Tensor query;
        Tensor key;
        Tensor value;
        Tensor bias;
        std::vector<std::uint8_t> keyMask;
        // What they hold, in f32.
        Tensor queries = query.toF32();
        Tensor keys = key.toF32();
        Tensor values = value.toF32();
    };

    [[nodiscard]] static double scaleOf(const SoftmaxCase& of) {
        return 1.0 / std::sqrt(static_cast<double>(of.headDim));
    }

    /// Keys [first, end) of every batch element.
    [[nodiscard]] static Tensor keysOf(const Tensor& all, std::int64_t first, std::int64_t end) {
        const std::int64_t batch = all.extent(0);
        const std::int64_t keys = all.extent(1);
        const std::int64_t width = all.extent(2) * all.extent(3);
        Tensor part = Tensor::empty({batch, end - first, all.extent(2), all.extent(3)}, all.dtype());
        for (std::int64_t element = 0; element < batch; ++element)
            part.reshaped({batch * (end - first), width})
                .slice(element * (end - first), (element + 1) * (end - first))
                .assign(
                    all.reshaped({batch * keys, width}).slice(element * keys + first, element * keys + end));
        return part;
    }

    /// By the dispatch.
    [[nodiscard]] Tensor attended(const SoftmaxCase& of, AttentionKernel kernel, const Rows& rows) {
        const Execution there = execution();
        prepareKernels(there.memory(), {.heads = {{.headDim = of.headDim, .type = rows.query.dtype()}}});
        const AttentionKernelPlan plan{.kernel = kernel, .blocks = softmaxBlocks};
        const Tensor query = this->there(rows.query);
        const HeadTensor out{
            this->there(Tensor::filled(rows.query.shape(), std::nanf("")).to(rows.query.dtype()))};
        ScratchArena scratch(
            Tensor::empty({64}, DType::F32, there.memory()));  // the rest is allocated beside it
        AttentionAccumulator sums(there, plan, out, of.parts, scratch);
        for (int part = 0; part < of.parts; ++part) {
            const std::int64_t first = of.keys * part / of.parts;
            const std::int64_t end = of.keys * (part + 1) / of.parts;
            if (of.timed) {
                const std::vector<float> bias = biasOfPart(part);
                sums.add({.query = {query},
                          .key = {this->there(rows.key)},
                          .value = {this->there(rows.value)},
                          .firstKey = first,
                          .keys = end - first,
                          .keyMask = of.masked ? rows.keyMask.data() : nullptr,
                          .keyMaskStride = of.keys,
                          .frameBias = {bias, timedFirst, timedTokens},
                          .scale = scaleOf(of)});
                continue;
            }
            sums.add({.query = {query},
                      .key = {this->there(keysOf(rows.key, first, end))},
                      .value = {this->there(keysOf(rows.value, first, end))},
                      .keyMask = of.masked ? rows.keyMask.data() + first : nullptr,
                      .keyMaskStride = of.keys,
                      .bias = of.biased ? rows.bias.data<float>() : std::span<const float>(),
                      .lastKeyCount = of.lastKeyCount,
                      .scale = scaleOf(of)});
        }
        return out.data.host();
    }

    /// By tiles that are named: head by head.
    [[nodiscard]] Tensor attendedInTiles(const SoftmaxCase& of, const Rows& rows) const {
        HeadTensor out{Tensor::empty(rows.query.shape(), rows.query.dtype())};
        AttentionScratch scratch;
        for (std::int64_t batch = 0; batch < of.batch; ++batch)
            for (std::int64_t head = 0; head < of.heads; ++head) {
                const HeadInputs problem{
                    .queries = of.queries,
                    .keys = of.keys,
                    .headDim = of.headDim,
                    .q = HeadTensor{rows.query}.rows(batch, 0, head),
                    .k = HeadTensor{rows.key}.rows(batch, 0, head),
                    .v = HeadTensor{rows.value}.rows(batch, 0, head),
                    .scale = scaleOf(of),
                    .keyMask = of.masked ? rows.keyMask.data() + batch * of.keys : nullptr};
                AttentionPartial partial;
                partial.reset(of.queries, of.headDim, ExponentBase::Two);
                std::vector<PanelHead> heads{{.problem = problem, .partial = partial}};
                device().tiles->attention(softmaxBlocks, heads, scratch);
                finalizePartial(partial, out.outputRows(batch, 0, head));
            }
        return out.data;
    }

    /// What a kernel makes of one query. Weights are relative to that of the largest score so far, which
    /// rescales the sums with every block of keys at most.
    class Query {
      public:
        Query(const SoftmaxCase& of, const Rows& rows, DType type, std::int64_t batch, std::int64_t query,
              std::int64_t head)
            : m_of(of) {
            std::vector<std::int64_t> keys;
            std::vector<Bounded> scores;
            double largest = -std::numeric_limits<double>::infinity();
            for (std::int64_t key = 0; key < of.keys; ++key) {
                if (of.masked && rows.keyMask[static_cast<std::size_t>(batch * of.keys + key)] == 0)
                    continue;
                BoundedSum products;
                products.add(at(rows.queries, batch, query, head), at(rows.keys, batch, key, head),
                             of.headDim);
                Bounded score = testing::product(products.total(), scaleOf(of));
                // The scale is rounded, perhaps with log2(e) in it, and so is its product with that.
                score.error += 2.0 * testing::unitRoundoff(DType::F32) * std::abs(score.value);
                if (of.biased)
                    score = testing::sum(
                        score, {static_cast<double>(rows.bias.data<float>()[static_cast<std::size_t>(
                                   head * (of.queries + of.keys - 1) + key - query + of.queries - 1)])});
                if (of.timed) {
                    const auto part = static_cast<int>(((key + 1) * of.parts - 1) / of.keys);
                    const auto bias = static_cast<double>(
                        biasOfPart(part)[static_cast<std::size_t>((timedFirst + query) / timedTokens)]);
                    // Added to a part's largest score, perhaps with log2(e) in both.
                    score.error += 4.0 * testing::unitRoundoff(DType::F32) * (std::abs(score.value) - bias);
                    score = testing::sum(score, {bias});
                }
                largest = std::max(largest, score.value);
                keys.push_back(key);
                scores.push_back(score);
                const float* const value = at(rows.values, batch, key, head);
                m_values.insert(m_values.end(), value, value + of.headDim);
            }
            const double rescalings = 1.0 + static_cast<double>(of.keys) / softmaxBlocks.blockKvComputeIn +
                                      static_cast<double>(of.parts);
            for (std::size_t index = 0; index < scores.size(); ++index) {
                Bounded weight = testing::exponential(testing::sum(scores[index], {-largest}));
                weight.error += rescalings * testing::roundingsOfFunction *
                                testing::unitRoundoff(DType::F32) * weight.value;
                if (type == DType::BF16)
                    weight = roundedInTiles(weight);
                if (keys[index] == of.keys - 1) {
                    weight.value *= static_cast<double>(of.lastKeyCount);
                    weight.error *= static_cast<double>(of.lastKeyCount);
                }
                m_weights.push_back(weight);
                m_sum.add(weight, 1.0);
            }
        }

        [[nodiscard]] Bounded output(std::int64_t column) const {
            if (m_weights.empty())
                return {};
            BoundedSum sum;
            sum.add(m_weights.data(), m_values.data() + column, std::ssize(m_weights), m_of.headDim);
            return testing::quotient(sum.total(), m_sum.total());
        }

      private:
        /// Tiles take weights of bf16, and so make do with a cubic for 2^x (tile_attention.inl.h).
        [[nodiscard]] static Bounded roundedInTiles(const Bounded& weight) {
            constexpr double ofCubic = 7.5e-5;
            return testing::stored({weight.value, weight.error + ofCubic * weight.value}, DType::BF16);
        }

        /// The head's numbers.
        [[nodiscard]] const float* at(const Tensor& rows, std::int64_t batch, std::int64_t token,
                                      std::int64_t head) const {
            return rows.data<float>().data() +
                   ((batch * rows.extent(1) + token) * m_of.heads + head) * m_of.headDim;
        }

        const SoftmaxCase& m_of;
        std::vector<float> m_values;  // of the keys that it sees
        std::vector<Bounded> m_weights;
        BoundedSum m_sum;
    };

    /// What every kernel makes of the rows: [batch, query, head, column].
    [[nodiscard]] std::vector<Bounded> softmaxOf(const SoftmaxCase& of, const Rows& rows) const {
        std::vector<Bounded> outputs;
        for (std::int64_t batch = 0; batch < of.batch; ++batch)
            for (std::int64_t query = 0; query < of.queries; ++query)
                for (std::int64_t head = 0; head < of.heads; ++head) {
                    const Query expected(of, rows, rowType(), batch, query, head);
                    for (std::int64_t column = 0; column < of.headDim; ++column)
                        outputs.push_back(testing::stored(expected.output(column), rowType()));
                }
        return outputs;
    }

    static void expectSoftmax(const SoftmaxCase& of, const std::vector<Bounded>& expected,
                              const Tensor& output) {
        const Tensor found = output.toF32();
        const auto values = found.data<float>();
        ASSERT_EQ(values.size(), expected.size());
        for (std::size_t index = 0; index < values.size(); ++index)
            ASSERT_TRUE(expected[index].admits(static_cast<double>(values[index])))
                << values[index] << " is not " << expected[index] << ": row "
                << index / static_cast<std::size_t>(of.headDim)
                << " of batch elements, queries and heads, column "
                << index % static_cast<std::size_t>(of.headDim);
    }
};

TEST_P(AttentionOnDevices, IsItsDefinition) {
    for (const SoftmaxCase& of : softmaxCases) {
        const Rows rows(of, rowType());
        const std::vector<Bounded> expected = softmaxOf(of, rows);
        for (const AttentionKernelRow& row : attentionKernels) {
            if (!row.runsOn.host || !row.runsOn.gpu || (row.isCustom && of.biased))
                continue;
            SCOPED_TRACE(fmt::format("{} of {} queries and {} keys", row.name, of.queries, of.keys));
            if (device().tiles == nullptr) {
                expectSoftmax(of, expected, attended(of, row.kernel, rows));
            } else if (row.isCustom && of.parts == 1 && of.lastKeyCount == 1) {
                expectSoftmax(of, expected, attendedInTiles(of, rows));
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Every, AttentionOnDevices,
                         ::testing::ValuesIn(testing::onEveryDevice({Arithmetic::F32, Arithmetic::BF16})),
                         [](const auto& of) { return testing::nameOf(of.param); });

}  // namespace
}  // namespace meshreel
