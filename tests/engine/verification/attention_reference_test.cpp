// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/attention_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

std::vector<double> reference(const ReferenceAttention& attention, int workers = 2) {
    WorkerPool pool({.workers = workers});
    std::vector<double> out(attention.query.size());
    computeReference(attention, 0, attention.queryLength, pool, out);
    return out;
}

/// One query whose scores are 0 and ln 4: weights 1/5 and 4/5.
class TwoKeys : public ::testing::Test {
  protected:
    [[nodiscard]] double result(const std::vector<std::uint8_t>& keyMask = {}) const {
        return reference({.batch = 1,
                          .heads = 1,
                          .headDim = 1,
                          .queryLength = 1,
                          .keyLength = 2,
                          .query = m_query,
                          .key = m_key,
                          .value = m_value,
                          .keyMask = keyMask,
                          .scale = std::numbers::ln2})
            .front();
    }

  private:
    std::vector<float> m_query{1};
    std::vector<float> m_key{0, 2};
    std::vector<float> m_value{1, 6};
};

TEST_F(TwoKeys, AreWeighedByHand) {
    EXPECT_NEAR(result(), (1.0 + 4.0 * 6.0) / 5.0, 1e-15);
}

TEST_F(TwoKeys, MaskedOnesDoNotCount) {
    EXPECT_EQ(result({0, 1}), 6.0);
    EXPECT_EQ(result({1, 0}), 1.0);
}

TEST_F(TwoKeys, NoValidKeyGivesZero) {
    EXPECT_EQ(result({0, 0}), 0.0);
}

/// As it stands in a textbook.
std::vector<double> naive(const ReferenceAttention& a) {
    const std::int64_t width = a.heads * a.headDim;
    std::vector<double> out(a.query.size());
    for (std::int64_t b = 0; b < a.batch; ++b)
        for (std::int64_t h = 0; h < a.heads; ++h)
            for (std::int64_t i = 0; i < a.queryLength; ++i) {
                const auto at = [&](std::int64_t length, std::int64_t token, std::int64_t d) {
                    return static_cast<std::size_t>((b * length + token) * width + h * a.headDim + d);
                };
                std::vector<double> scores(static_cast<std::size_t>(a.keyLength));
                for (std::int64_t j = 0; j < a.keyLength; ++j) {
                    double& score = scores[static_cast<std::size_t>(j)];
                    for (std::int64_t d = 0; d < a.headDim; ++d)
                        score += static_cast<double>(a.query[at(a.queryLength, i, d)]) *
                                 static_cast<double>(a.key[at(a.keyLength, j, d)]);
                    score *= a.scale;
                }
                const double maximum = std::ranges::max(scores);
                double sum = 0;
                for (double& score : scores)
                    sum += score = std::exp(score - maximum);
                for (std::int64_t j = 0; j < a.keyLength; ++j)
                    for (std::int64_t d = 0; d < a.headDim; ++d)
                        out[at(a.queryLength, i, d)] += scores[static_cast<std::size_t>(j)] / sum *
                                                        static_cast<double>(a.value[at(a.keyLength, j, d)]);
            }
    return out;
}

class RandomReference : public ::testing::Test {
  protected:
    /// Odd sizes, several tiles, and scores in the thousands.
    RandomReference() {
        for (float& value : m_query.data<float>())
            value *= gain;
    }

    [[nodiscard]] ReferenceAttention attention() const {
        return {.batch = 2,
                .heads = 3,
                .headDim = 19,
                .queryLength = 45,
                .keyLength = 71,
                .query = m_query.data<float>(),
                .key = m_key.data<float>(),
                .value = m_value.data<float>(),
                .scale = 1.0};
    }

  private:
    static constexpr float gain = 300.0F;
    Tensor m_query = testing::randomTensor({2, 45, 3, 19}, 1);
    Tensor m_key = testing::randomTensor({2, 71, 3, 19}, 2);
    Tensor m_value = testing::randomTensor({2, 71, 3, 19}, 3);
};

TEST_F(RandomReference, EqualsTheTextbook) {
    const std::vector<double> ours = reference(attention());
    const std::vector<double> theirs = naive(attention());
    for (std::size_t i = 0; i < ours.size(); ++i)
        ASSERT_NEAR(ours[i], theirs[i], 1e-10) << i;
}

TEST_F(RandomReference, IsTheSameInStripsAndOnAnyWorkers) {
    const std::vector<double> whole = reference(attention(), 1);
    EXPECT_EQ(whole, reference(attention(), 3));
    WorkerPool pool({.workers = 2});
    std::vector<double> strip(2 * 13 * 3 * 19);
    computeReference(attention(), 20, 13, pool, strip);
    for (std::size_t row = 0; row < 2; ++row)
        for (std::size_t i = 0; i < 13 * 57; ++i)
            ASSERT_EQ(strip[row * 13 * 57 + i], whole[(row * 45 + 20) * 57 + i]) << row << ' ' << i;
}

TEST_F(RandomReference, RefusesTensorsOfOtherSizes) {
    WorkerPool pool({.workers = 1});
    std::vector<double> out(1);
    EXPECT_THROW(computeReference(attention(), 0, 45, pool, out), Error);
}

}  // namespace
}  // namespace meshreel
