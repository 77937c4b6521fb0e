// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of every instruction set over lists of blocks, beside a softmax in f64 over the keys that a
// query is left with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "engine/base/number_types.h"
#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/custom_attention.h"
#include "engine/kernels/attention/kept_blocks.h"
#include "engine/kernels/attention/panel_attention.h"
#include "engine/kernels/attention/panel_kernels.h"
#include "engine/kernels/attention/tile_attention.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "tests/support/random_tensor.h"

namespace meshreel::sparse_kernel_cases {
namespace {

struct SparseSpec {
    std::int64_t queries = 200;
    std::int64_t keys = 330;
    std::int64_t headDim = 40;
    std::int64_t blockTokens = 64;
    int keptOfTen = 3;  ///< blocks of keys for a block of queries
    bool isMasked = false;
    float gain = 1.0F;
    DType storage = DType::F32;
};

/// A head whose queries and keys stand in random places.
class SparseCase {
  public:
    explicit SparseCase(const SparseSpec& of)
        : spec(of), m_random(static_cast<std::uint32_t>(of.blockTokens + of.keptOfTen)) {
        m_q = rowsOf(spec.queries, 1, spec.gain);
        m_k = rowsOf(spec.keys, 2, spec.gain);
        m_v = rowsOf(spec.keys, 3, 1.0F);
        m_queryRows = shuffled(spec.queries);
        m_places = shuffled(spec.keys);
        const std::int64_t queryBlocks = blocksOf(spec.queries);
        m_keyBlocks = blocksOf(spec.keys);
        for (std::int64_t i = 0; i < queryBlocks * m_keyBlocks; ++i)
            m_kept.push_back(static_cast<int>(m_random() % 10) < spec.keptOfTen ? 1 : 0);
        for (std::int64_t key = 0; key < spec.keys; ++key)
            m_mask.push_back(m_random() % 4 == 0 ? 0 : 1);
        m_keptKeys = {.places = m_places.data(),
                      .blockTokens = spec.blockTokens,
                      .kept = m_kept.data(),
                      .keptStride = m_keyBlocks};
    }
    SparseCase(const SparseCase&) = delete;

    [[nodiscard]] HeadInputs problem() const {
        return {.queries = spec.queries,
                .keys = spec.keys,
                .headDim = spec.headDim,
                .q = rows(m_q),
                .k = rows(m_k),
                .v = rows(m_v),
                .scale = 1.0 / std::sqrt(static_cast<double>(spec.headDim)),
                .keyMask = spec.isMasked ? m_mask.data() : nullptr,
                .queryRows = m_queryRows.data(),
                .kept = &m_keptKeys};
    }

    /// The largest difference from the reference, of rows of about unit size.
    [[nodiscard]] double error(const AttentionPartial& partial) const {
        double largest = 0;
        std::vector<float> out(static_cast<std::size_t>(spec.queries * spec.headDim));
        finalizePartial(partial, out.data(), spec.headDim);
        for (std::int64_t query = 0; query < spec.queries; ++query) {
            const std::vector<double> expected = attend(query);
            for (std::int64_t i = 0; i < spec.headDim; ++i) {
                const double difference =
                    std::abs(static_cast<double>(out[static_cast<std::size_t>(query * spec.headDim + i)]) -
                             expected[static_cast<std::size_t>(i)]);
                largest = difference > largest || std::isnan(difference) ? difference : largest;
            }
        }
        return largest;
    }

    const SparseSpec spec;

  private:
    struct Stored {
        std::vector<float> floats;
        std::vector<BFloat16> narrow;
    };

    Stored rowsOf(std::int64_t count, std::uint32_t seed, float gain) const {
        const Tensor random = testing::randomTensor({count, spec.headDim}, seed);
        Stored stored;
        for (const float value : random.data<float>()) {
            stored.narrow.push_back(toBFloat16(gain * value));
            stored.floats.push_back(spec.storage == DType::BF16 ? toFloat(stored.narrow.back())
                                                                : gain * value);
        }
        return stored;
    }

    [[nodiscard]] HeadRows rows(const Stored& stored) const {
        return spec.storage == DType::BF16 ? HeadRows(stored.narrow.data(), spec.headDim)
                                           : HeadRows(stored.floats.data(), spec.headDim);
    }

    [[nodiscard]] std::int64_t blocksOf(std::int64_t tokens) const {
        return (tokens + spec.blockTokens - 1) / spec.blockTokens;
    }

    std::vector<std::int32_t> shuffled(std::int64_t count) {
        std::vector<std::int32_t> places(static_cast<std::size_t>(count));
        std::iota(places.begin(), places.end(), 0);
        std::ranges::shuffle(places, m_random);
        return places;
    }

    [[nodiscard]] std::vector<double> attend(std::int64_t query) const {
        std::vector<double> out(static_cast<std::size_t>(spec.headDim), 0.0);
        std::vector<double> scores(static_cast<std::size_t>(spec.keys),
                                   -std::numeric_limits<double>::infinity());
        double largest = -std::numeric_limits<double>::infinity();
        for (std::int64_t key = 0; key < spec.keys; ++key) {
            const std::int64_t row = m_places[static_cast<std::size_t>(key)];
            if (!m_keptKeys.has(query / spec.blockTokens, key / spec.blockTokens) ||
                (spec.isMasked && m_mask[static_cast<std::size_t>(row)] == 0))
                continue;
            double score = 0;
            for (std::int64_t i = 0; i < spec.headDim; ++i)
                score += at(m_q, m_queryRows[static_cast<std::size_t>(query)], i) * at(m_k, row, i);
            scores[static_cast<std::size_t>(key)] = score / std::sqrt(static_cast<double>(spec.headDim));
            largest = std::max(largest, scores[static_cast<std::size_t>(key)]);
        }
        double sum = 0;
        for (std::int64_t key = 0; key < spec.keys; ++key) {
            if (std::isinf(scores[static_cast<std::size_t>(key)]))
                continue;
            const double weight = std::exp(scores[static_cast<std::size_t>(key)] - largest);
            sum += weight;
            for (std::int64_t i = 0; i < spec.headDim; ++i)
                out[static_cast<std::size_t>(i)] +=
                    weight * at(m_v, m_places[static_cast<std::size_t>(key)], i);
        }
        for (double& value : out)
            value = sum > 0 ? value / sum : 0.0;
        return out;
    }

    [[nodiscard]] double at(const Stored& stored, std::int64_t row, std::int64_t i) const {
        return static_cast<double>(stored.floats[static_cast<std::size_t>(row * spec.headDim + i)]);
    }

    std::mt19937 m_random;
    Stored m_q;
    Stored m_k;
    Stored m_v;
    std::vector<std::int32_t> m_queryRows;
    std::vector<std::int32_t> m_places;
    std::int64_t m_keyBlocks = 0;
    std::vector<std::uint8_t> m_kept;
    std::vector<std::uint8_t> m_mask;
    KeptKeys m_keptKeys;
};

using Kernel = std::function<void(const FlashBlockSizes&, std::vector<PanelHead>&, AttentionScratch&)>;

struct NamedKernel {
    std::string name;
    DType rows = DType::F32;
    Kernel run;
};

std::vector<NamedKernel> kernels() {
    const auto panels = [](const PanelKernels& of) {
        return [&of](const FlashBlockSizes& blocks, std::vector<PanelHead>& heads,
                     AttentionScratch& scratch) { panelAttention(of, blocks, heads, scratch); };
    };
    std::vector<NamedKernel> all{
        {"panels of AVX2", DType::F32, panels(panelKernelsAvx2())},
        {"panels of bf16 rows", DType::BF16, panels(panelKernels(cpuFeatures()))},
        {"this CPU's panels", DType::F32, panels(panelKernels(cpuFeatures()))},
        {"emulated tiles", DType::BF16,
         [](const FlashBlockSizes& blocks, std::vector<PanelHead>& heads, AttentionScratch& scratch) {
             tileAttentionEmulatedAvx2(blocks, heads, scratch);
         }}};
    return all;
}

AttentionPartial partialOf(const NamedKernel& kernel, const HeadInputs& problem,
                           const FlashBlockSizes& blocks, ExponentBase base) {
    AttentionPartial partial;
    partial.reset(problem.queries, problem.headDim, base);
    std::vector<PanelHead> heads{{.problem = problem, .partial = partial}};
    AttentionScratch scratch;
    kernel.run(blocks, heads, scratch);
    return partial;
}

double errorOf(const NamedKernel& kernel, SparseSpec spec, const FlashBlockSizes& blocks, ExponentBase base) {
    spec.storage = kernel.rows;
    const SparseCase attention(spec);
    return attention.error(partialOf(kernel, attention.problem(), blocks, base));
}

double allowed(const NamedKernel& kernel) {
    return kernel.rows == DType::BF16 ? 2e-2 : 2e-5;
}

constexpr FlashBlockSizes smallBlocks{
    .blockQ = 192, .blockKv = 160, .blockKvCompute = 80, .blockKvComputeIn = 40};

TEST(SparseKernels, AttendToTheBlocksThatAreKept) {
    for (const NamedKernel& kernel : kernels())
        for (const int kept : {0, 1, 3, 9, 10})
            for (const std::int64_t blockTokens : {32, 64, 128})
                for (const ExponentBase base : {ExponentBase::Two, ExponentBase::Natural})
                    EXPECT_LE(
                        errorOf(kernel, {.blockTokens = blockTokens, .keptOfTen = kept}, smallBlocks, base),
                        allowed(kernel))
                        << kernel.name << ", " << kept << " of 10 blocks of " << blockTokens;
}

TEST(SparseKernels, MaskedKeysStayOutAndQueriesWithoutKeysGiveZeros) {
    for (const NamedKernel& kernel : kernels())
        for (const int kept : {1, 5})
            EXPECT_LE(errorOf(kernel, {.keptOfTen = kept, .isMasked = true}, smallBlocks, ExponentBase::Two),
                      allowed(kernel))
                << kernel.name;
}

TEST(SparseKernels, ShortSequencesAndOddSizesFit) {
    for (const NamedKernel& kernel : kernels())
        for (const std::int64_t queries : {1, 47, 64, 65})
            for (const std::int64_t keys : {1, 63, 64, 129})
                EXPECT_LE(errorOf(kernel, {.queries = queries, .keys = keys, .headDim = 8, .keptOfTen = 6},
                                  smallBlocks, ExponentBase::Two),
                          allowed(kernel))
                    << kernel.name << " " << queries << "x" << keys;
}

// Blocks of keys may be larger than what the settings fetch at a time.
TEST(SparseKernels, BlocksLargerThanTheFetchedOnesFit) {
    constexpr FlashBlockSizes tiny{.blockQ = 16, .blockKv = 16, .blockKvCompute = 8, .blockKvComputeIn = 4};
    for (const NamedKernel& kernel : kernels())
        EXPECT_LE(errorOf(kernel, {.blockTokens = 128}, tiny, ExponentBase::Two), allowed(kernel))
            << kernel.name;
}

// f32 only: bf16 rows have no wide scores at this size.
TEST(SparseKernels, LargeScoresAreComputedWide) {
    for (const NamedKernel& kernel : kernels())
        if (kernel.rows == DType::F32) {
            EXPECT_LE(errorOf(kernel, {.gain = 8.0F}, smallBlocks, ExponentBase::Two), 5e-5) << kernel.name;
        }
}

// However many queries a worker takes at a time.
TEST(SparseKernels, ABlockOfQueriesHasTheBitsThatItHasAlone) {
    for (const NamedKernel& kernel : kernels()) {
        SparseSpec spec{.queries = 256, .keys = 900, .keptOfTen = 2};
        spec.storage = kernel.rows;
        const SparseCase attention(spec);
        const HeadInputs all = attention.problem();
        const AttentionPartial whole = partialOf(kernel, all, smallBlocks, ExponentBase::Two);
        for (std::int64_t block = 0; block < spec.queries / spec.blockTokens; ++block) {
            const std::int64_t first = block * spec.blockTokens;
            KeptKeys kept = *all.kept;
            kept.kept += block * kept.keptStride;
            HeadInputs some = all;
            some.queries = spec.blockTokens;
            some.queryRows += first;
            some.kept = &kept;
            const AttentionPartial alone = partialOf(kernel, some, smallBlocks, ExponentBase::Two);
            for (std::int64_t query = 0; query < spec.blockTokens; ++query) {
                const auto at = static_cast<std::size_t>(query);
                const auto ofWhole = static_cast<std::size_t>(first + query);
                ASSERT_EQ(alone.maximum[at], whole.maximum[ofWhole]) << kernel.name << " block " << block;
                ASSERT_EQ(alone.sum[at], whole.sum[ofWhole]) << kernel.name << " block " << block;
                for (std::int64_t i = 0; i < spec.headDim; ++i)
                    ASSERT_EQ(alone.output[static_cast<std::size_t>(query * spec.headDim + i)],
                              whole.output[static_cast<std::size_t>((first + query) * spec.headDim + i)])
                        << kernel.name << " block " << block;
            }
        }
    }
}

TEST(SparseKernels, KeepingAllIsDenseAttention) {
    const SparseCase attention({.keptOfTen = 10});
    const HeadInputs kept = attention.problem();
    AttentionScratch scratch;
    AttentionPartial sparse;
    customAttention({&kept, 1}, smallBlocks, ExponentBase::Two, scratch, {&sparse, 1});
    EXPECT_LE(attention.error(sparse), 2e-5);
}

}  // namespace
}  // namespace meshreel::sparse_kernel_cases
