// SPDX-License-Identifier: GPL-3.0-or-later
// That the tolerances of the suite admit what rounds and nothing that computes wrong.
#include "bounded_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using testing::Bounded;
using testing::BoundedSum;

/// Sums as kernels have them: factors of about unit size.
class SumOf : public ::testing::TestWithParam<std::int64_t> {
  protected:
    [[nodiscard]] Bounded reference() const {
        BoundedSum exact;
        for (std::size_t i = 0; i < left.data<float>().size(); ++i)
            exact.add(static_cast<double>(left.data<float>()[i]),
                      static_cast<double>(right.data<float>()[i]));
        return exact.total();
    }
    /// Term by term in f32, `index` times `factor`.
    [[nodiscard]] float kernel(std::size_t index, float factor) const {
        float sum = 0.0F;
        for (std::size_t i = 0; i < left.data<float>().size(); ++i)
            sum += left.data<float>()[i] * right.data<float>()[i] * (i == index ? factor : 1.0F);
        return sum;
    }
    /// A term of the median size.
    [[nodiscard]] std::size_t usualTerm() const {
        std::vector<std::size_t> places(left.data<float>().size());
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] = i;
        const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
        std::ranges::nth_element(places, middle, {}, [&](std::size_t i) {
            return std::abs(left.data<float>()[i] * right.data<float>()[i]);
        });
        return *middle;
    }

    Tensor left = testing::randomTensor({GetParam()}, 1);
    Tensor right = testing::randomTensor({GetParam()}, 2);
};

TEST_P(SumOf, AdmitsAnyOrderOfARightSum) {
    const Bounded expected = reference();
    EXPECT_TRUE(expected.admits(static_cast<double>(kernel(0, 1.0F))));
    std::ranges::reverse(left.data<float>());
    std::ranges::reverse(right.data<float>());
    EXPECT_TRUE(expected.admits(static_cast<double>(kernel(0, 1.0F))));
}

TEST_P(SumOf, RefusesOneThatLacksATermOrHasItTwice) {
    EXPECT_FALSE(reference().admits(static_cast<double>(kernel(usualTerm(), 0.0F))));
    EXPECT_FALSE(reference().admits(static_cast<double>(kernel(usualTerm(), 2.0F))));
}

INSTANTIATE_TEST_SUITE_P(Terms, SumOf, ::testing::Values(1, 32, 77, 300, 1000),
                         [](const auto& of) { return std::to_string(of.param); });

TEST(Bounded, AdmitsNoNaNAndNoWrongNumberFormat) {
    const Bounded one = testing::stored({1.0 + 1e-3, 0.0}, DType::F32);
    EXPECT_FALSE(one.admits(std::numeric_limits<double>::quiet_NaN()));
    const auto rounded = static_cast<double>(toFloat(toBFloat16(1.001F)));
    EXPECT_FALSE(one.admits(rounded)) << "bf16 where f32 was asked for";
    EXPECT_TRUE(testing::stored({1.0 + 1e-3, 0.0}, DType::BF16).admits(rounded));
}

}  // namespace
}  // namespace meshreel
