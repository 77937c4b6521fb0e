// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_attention.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "tests/support/attention_reference.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

/// Attention of several heads against softmax in double.
class GpuAttention : public testing::GpuTest {
  protected:
    void SetUp() override {
        testing::GpuTest::SetUp();
        if (gpu)
            pipelines.emplace(*gpu);
    }

    struct Partial {
        std::unique_ptr<GpuBuffer> output;
        std::unique_ptr<GpuBuffer> maximum;
        std::unique_ptr<GpuBuffer> sum;
        GpuAttentionPartial addresses;
    };

    Partial partialFor(const testing::WholeShape& shape) {
        Partial partial{.output = upload(Tensor::filled({shape.heads, shape.queries, shape.headDim}, NAN)),
                        .maximum = upload(Tensor::filled({shape.heads, shape.queries}, NAN)),
                        .sum = upload(Tensor::filled({shape.heads, shape.queries}, NAN)),
                        .addresses = {}};
        partial.addresses = {.heads = shape.heads,
                             .queries = shape.queries,
                             .headDim = shape.headDim,
                             .output = partial.output->address(),
                             .maximum = partial.maximum->address(),
                             .sum = partial.sum->address()};
        return partial;
    }

    static GpuMatrix rowsIn(const GpuBuffer& buffer, const Tensor& tensor) {
        const std::int64_t width = tensor.extent(2) * tensor.extent(3);
        return {.address = buffer.address(),
                .type = tensor.dtype(),
                .layout = {.rows = tensor.extent(1), .width = width, .stride = width}};
    }

    /// The largest difference from the reference, the keys taken in parts that end at `ends`.
    double error(const testing::WholeShape& shape, const std::vector<std::int64_t>& ends,
                 DType type = DType::F32, std::optional<double> portion = {}) {
        testing::WholeAttention whole = testing::randomAttention(shape, 7);
        const Tensor q = whole.query.to(type);
        const Tensor k = whole.key.to(type);
        const Tensor v = whole.value.to(type);
        whole.query = q.toF32();
        whole.key = k.toF32();
        whole.value = v.toF32();
        const auto gpuQ = upload(q);
        const auto gpuK = upload(k);
        const auto gpuV = upload(v);
        std::vector<std::int32_t> marks(whole.keep.begin(), whole.keep.end());
        marks.resize(std::max<std::size_t>(marks.size(), 1));
        const auto gpuKeep = upload(Tensor::from({static_cast<std::int64_t>(marks.size())}, marks));
        const Partial into = partialFor(shape);
        const Partial part = partialFor(shape);
        GpuStream own(*gpu, portion);
        std::int64_t first = 0;
        for (const std::int64_t end : ends) {
            const auto& target = first == 0 ? into.addresses : part.addresses;
            attend(*pipelines, own,
                   {.heads = shape.heads,
                    .headDim = shape.headDim,
                    .q = rowsIn(*gpuQ, q),
                    .k = rowsIn(*gpuK, k).slice(first, end - first),
                    .v = rowsIn(*gpuV, v).slice(first, end - first),
                    .scale = whole.scale,
                    .keep = whole.keep.empty()
                                ? 0
                                : gpuKeep->address() + static_cast<GpuAddress>(first) * sizeof(std::int32_t)},
                   target);
            if (first > 0)
                mergePartials(*pipelines, own, into.addresses, part.addresses);
            first = end;
        }
        const Tensor like = Tensor::filled(q.shape(), NAN).to(type).clone();
        const auto gpuY = upload(like);
        finalizePartial(*pipelines, own, into.addresses, rowsIn(*gpuY, like));
        own.finish();
        const Tensor found = download(*gpuY, like).toF32();
        const std::vector<double> expected = testing::referenceAttention(whole);
        double largest = 0.0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double difference = std::abs(static_cast<double>(found.data<float>()[i]) - expected[i]);
            if (difference > largest || std::isnan(difference))
                largest = difference;
        }
        return largest;
    }

    /// Finished into rows at once, the last key standing for `count` of them.
    Tensor rowsOf(const Tensor& q, const Tensor& k, const Tensor& v, std::int64_t count) {
        const auto gpuQ = upload(q);
        const auto gpuK = upload(k);
        const auto gpuV = upload(v);
        const Tensor like = Tensor::filled(q.shape(), NAN).to(q.dtype()).clone();
        const auto gpuY = upload(like);
        attend(*pipelines, *stream,
               {.heads = q.extent(2),
                .headDim = q.extent(3),
                .q = rowsIn(*gpuQ, q),
                .k = rowsIn(*gpuK, k),
                .v = rowsIn(*gpuV, v),
                .scale = 0.3,
                .lastKeyCount = count},
               rowsIn(*gpuY, like));
        return download(*gpuY, like).toF32();
    }

    std::optional<GpuPipelines> pipelines;
};

TEST_F(GpuAttention, TheLastKeyStandsForEqualOnes) {
    constexpr std::int64_t kept = 34;
    constexpr std::int64_t all = 40;
    const Tensor q = testing::randomTensor({1, 20, 2, 16}, 1);
    const auto repeatLast = [](const Tensor& few) {
        Tensor many = Tensor::empty({1, all, 2, 16});
        for (std::int64_t row = 0; row < all; ++row) {
            const Tensor from =
                few.reshaped({kept, 32}).slice(std::min(row, kept - 1), std::min(row, kept - 1) + 1);
            many.reshaped({all, 32}).slice(row, row + 1).assign(from);
        }
        return many;
    };
    const Tensor k = testing::randomTensor({1, kept, 2, 16}, 2);
    const Tensor v = testing::randomTensor({1, kept, 2, 16}, 3);
    for (const DType type : {DType::F32, DType::BF16}) {
        const Tensor once = rowsOf(q.to(type), k.to(type), v.to(type), all - kept + 1);
        const Tensor each = rowsOf(q.to(type), repeatLast(k).to(type), repeatLast(v).to(type), 1);
        for (std::size_t i = 0; i < once.data<float>().size(); ++i)
            EXPECT_NEAR(once.data<float>()[i], each.data<float>()[i],
                        type == DType::F32 ? 1e-5F : 1.0F / 128.0F);
    }
}

TEST_F(GpuAttention, IsSoftmaxOverAllKeys) {
    EXPECT_LE(error({.queries = 37, .keys = 70, .heads = 3, .headDim = 12}, {70}), 1e-5);
    EXPECT_LE(error({.queries = 1, .keys = 1, .heads = 1, .headDim = 4}, {1}), 1e-5);
    EXPECT_LE(error({.queries = 16, .keys = 32, .heads = 2, .headDim = 64, .gain = 4.0F}, {32}), 1e-5);
}

TEST_F(GpuAttention, PartialsOverDisjointKeysMerge) {
    EXPECT_LE(error({.queries = 20, .keys = 90, .heads = 2, .headDim = 16}, {1, 40, 90}), 1e-5);
}

TEST_F(GpuAttention, MaskedKeysDoNotCount) {
    for (const testing::Mask mask : {testing::Mask::Random, testing::Mask::Tail, testing::Mask::OneRowEmpty})
        EXPECT_LE(error({.queries = 20, .keys = 66, .heads = 2, .headDim = 8, .mask = mask}, {33, 66}), 1e-5)
            << static_cast<int>(mask);
}

TEST_F(GpuAttention, NarrowRowsAreRoundedOnce) {
    EXPECT_LE(error({.queries = 33, .keys = 50, .heads = 2, .headDim = 16}, {50}, DType::BF16), 1.0 / 128.0);
}

// Where the driver has matrix units, heads of bf16 go to them.
TEST_F(GpuAttention, NarrowHeadsAreSoftmaxOverAllKeys) {
    constexpr double rounded = 1.0 / 128.0;
    for (const std::int64_t headDim : {16, 24, 64})
        EXPECT_LE(error({.queries = 37, .keys = 150, .heads = 3, .headDim = headDim}, {150}, DType::BF16),
                  rounded)
            << headDim;
    EXPECT_LE(error({.queries = 1, .keys = 1, .heads = 1, .headDim = 8}, {1}, DType::BF16), rounded);
    EXPECT_LE(
        error({.queries = 40, .keys = 100, .heads = 2, .headDim = 32, .gain = 4.0F}, {100}, DType::BF16),
        4 * rounded);
}

TEST_F(GpuAttention, NarrowPartialsMergeAndMaskedKeysDoNotCount) {
    EXPECT_LE(error({.queries = 20, .keys = 90, .heads = 2, .headDim = 16}, {1, 40, 90}, DType::BF16),
              1.0 / 128.0);
    for (const testing::Mask mask : {testing::Mask::Random, testing::Mask::Tail, testing::Mask::OneRowEmpty})
        EXPECT_LE(error({.queries = 20, .keys = 130, .heads = 2, .headDim = 16, .mask = mask}, {33, 130},
                        DType::BF16),
                  1.0 / 128.0)
            << static_cast<int>(mask);
}

TEST_F(GpuAttention, PortionsChangeNothing) {
    EXPECT_LE(error({.queries = 70, .keys = 64, .heads = 3, .headDim = 16}, {64}, DType::F32, 70'000.0),
              1e-5);
}

TEST_F(GpuAttention, HeadsThatDoNotFitAreRefused) {
    EXPECT_THROW(error({.queries = 2, .keys = 2, .heads = 1, .headDim = 132}, {2}), Error);
    EXPECT_THROW(error({.queries = 2, .keys = 2, .heads = 1, .headDim = 6}, {2}), Error);
}

TEST_F(GpuAttention, TheWidestHead) {
    EXPECT_LE(error({.queries = 18, .keys = 40, .heads = 1, .headDim = 128}, {40}), 1e-5);
}

}  // namespace
}  // namespace meshreel
