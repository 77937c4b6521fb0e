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

/// What only a GPU does: portions, and heads that it refuses. Values: tests/engine/kernels/devices.
class GpuAttention : public testing::GpuWorkTest {
  protected:
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
        std::vector<std::int32_t> marks(whole.keyMask.begin(), whole.keyMask.end());
        marks.resize(std::max<std::size_t>(marks.size(), 1));
        const auto gpuKeep = upload(Tensor::from({static_cast<std::int64_t>(marks.size())}, marks));
        const Partial into = partialFor(shape);
        const Partial part = partialFor(shape);
        GpuStream own(*gpu, portion);
        const PreparedAttention prepared =
            prepareAttention(work->pipelines(), {}, attentionKernel(shape.headDim));
        std::int64_t first = 0;
        for (const std::int64_t end : ends) {
            const auto& target = first == 0 ? into.addresses : part.addresses;
            attend(own, prepared,
                   {.heads = shape.heads,
                    .headDim = shape.headDim,
                    .q = rowsIn(*gpuQ, q),
                    .k = rowsIn(*gpuK, k).slice(first, end - first),
                    .v = rowsIn(*gpuV, v).slice(first, end - first),
                    .scale = whole.scale,
                    .keyMask = whole.keyMask.empty() ? 0
                                                     : gpuKeep->address() + static_cast<GpuAddress>(first) *
                                                                                sizeof(std::int32_t)},
                   target);
            if (first > 0)
                mergePartials(own, prepared, into.addresses, part.addresses);
            first = end;
        }
        const Tensor like = Tensor::filled(q.shape(), NAN).to(type).clone();
        const auto gpuY = upload(like);
        finalizePartial(own, prepared, into.addresses, rowsIn(*gpuY, like));
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
};

TEST_F(GpuAttention, PortionsChangeNothing) {
    EXPECT_LE(error({.queries = 70, .keys = 64, .heads = 3, .headDim = 16}, {64}, DType::F32, 70'000.0),
              1e-5);
}

TEST_F(GpuAttention, HeadsThatDoNotFitAreRefused) {
    EXPECT_THROW(error({.queries = 2, .keys = 2, .heads = 1, .headDim = 132}, {2}), Error);
    EXPECT_THROW(error({.queries = 2, .keys = 2, .heads = 1, .headDim = 6}, {2}), Error);
}

}  // namespace
}  // namespace meshreel
