// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/covering_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace meshreel {
namespace {

using Pair = std::tuple<std::size_t, int, std::size_t, int>;

std::set<Pair> pairsOf(std::span<const FactorLevels> rows) {
    std::set<Pair> pairs;
    for (const FactorLevels& row : rows)
        for (std::size_t b = 0; b < row.size(); ++b)
            for (std::size_t a = 0; a < b; ++a)
                pairs.insert({a, row[a], b, row[b]});
    return pairs;
}

TEST(CoveringRows, HoldEveryPairInFewRows) {
    const std::vector<int> counts{4, 2, 6, 6, 2, 3, 3, 2, 1, 1};
    const std::vector<FactorLevels> rows = pairwiseRows(counts);
    std::size_t pairs = 0;
    for (std::size_t b = 0; b < counts.size(); ++b)
        for (std::size_t a = 0; a < b; ++a)
            pairs += static_cast<std::size_t>(counts[a] * counts[b]);
    EXPECT_EQ(pairsOf(rows).size(), pairs);
    EXPECT_GE(rows.size(), 36U);  // the two largest factors alone
    EXPECT_LE(rows.size(), 50U);
    for (const FactorLevels& row : rows)
        for (std::size_t factor = 0; factor < counts.size(); ++factor) {
            EXPECT_GE(row[factor], 0);
            EXPECT_LT(row[factor], counts[factor]);
        }
}

TEST(CoveringRows, OfOneFactorAreItsLevels) {
    EXPECT_EQ(pairwiseRows(std::vector<int>{3}), (std::vector<FactorLevels>{{0}, {1}, {2}}));
}

TEST(CoveringRows, ASubsetKeepsEveryPairThatAppears) {
    std::vector<FactorLevels> product;
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            for (int c = 0; c < 4; ++c)
                if (a != 1 || b != 2)  // a pair that is illegal
                    product.push_back({a, b, c});
    std::vector<FactorLevels> chosen;
    for (const std::size_t index : pairwiseSubset(product))
        chosen.push_back(product[index]);
    EXPECT_EQ(pairsOf(chosen), pairsOf(product));
    EXPECT_LE(chosen.size(), 24U);
}

}  // namespace
}  // namespace meshreel
