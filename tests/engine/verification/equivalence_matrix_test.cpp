// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "engine/base/error.h"
#include "engine/verification/equivalence_matrix.h"

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

using ::testing::HasSubstr;

MatrixOptions onThreads(double perturbation = 0) {
    return {.makeMesh =
                [](int devices) {
                    return std::make_unique<DeviceMesh>(
                        DeviceMeshOptions{.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
                },
            .perturbation = perturbation};
}

std::vector<MatrixCase> casesOf(int devices, std::string_view mode) {
    std::vector<MatrixCase> cases = matrixCases(devices);
    std::erase_if(cases, [&](const MatrixCase& c) { return c.attention.settings.mode->name != mode; });
    return cases;
}

TEST(EquivalenceMatrix, HoldsEveryModeAndLegalSplit) {
    for (const int devices : matrixDevices()) {
        std::set<std::pair<std::string_view, int>> found;
        for (const MatrixCase& matrixCase : matrixCases(devices))
            found.insert(
                {matrixCase.attention.settings.mode->name, matrixCase.attention.settings.ulyssesShards});
        std::set<std::pair<std::string_view, int>> expected;
        for (const AttentionMode& mode : attentionModes())
            for (int shards = 1; shards <= devices; ++shards)
                if (devices % shards == 0)
                    expected.insert({mode.name, mode.hybrid() ? shards : -1});
        EXPECT_EQ(found, expected) << devices;
    }
}

TEST(EquivalenceMatrix, HoldsTheCasesThatOnceWentWrong) {
    std::set<int> chunks;
    std::set<double> gains;
    bool oneKey = false;
    bool wholeShardMasked = false;
    bool rowWithoutKeys = false;
    bool shorterThanDevices = false;
    for (const MatrixCase& matrixCase : casesOf(8, "ulysses_ring_custom")) {
        const AttentionCase& attention = matrixCase.attention;
        chunks.insert(attention.settings.chunks);
        gains.insert(attention.gain);
        oneKey |= attention.keyLength == 1;
        wholeShardMasked |= attention.mask.kind == KeyMask::Kind::Head && attention.keyLength > 8;
        rowWithoutKeys |= attention.mask.kind == KeyMask::Kind::Row && attention.batch == 2;
        shorterThanDevices |= attention.queryLength < 8 && attention.keyLength < 8;
    }
    EXPECT_EQ(chunks, (std::set<int>{1, 2, 3, 5}));
    EXPECT_EQ(gains, (std::set<double>{1, 6, 40}));
    EXPECT_TRUE(oneKey);
    EXPECT_TRUE(wholeShardMasked);
    EXPECT_TRUE(rowWithoutKeys);
    EXPECT_TRUE(shorterThanDevices);
}

TEST(EquivalenceMatrix, OnlyWhatShouldBeIsRefused) {
    for (const int devices : matrixDevices())
        for (const MatrixCase& matrixCase : matrixCases(devices))
            EXPECT_EQ(!caseProblems(matrixCase.attention).empty(), refusalExpected(matrixCase.attention))
                << matrixCase.attention.text();
}

TEST(EquivalenceMatrix, ACoverKeepsEveryPairOfLevels) {
    const std::vector<MatrixCase> all = matrixCases(4);
    const std::vector<MatrixCase> few = coveringCases(all);
    const auto pairs = [](const std::vector<MatrixCase>& cases) {
        std::set<std::tuple<std::size_t, int, std::size_t, int>> found;
        for (const MatrixCase& c : cases)
            for (std::size_t b = 0; b < c.levels.size(); ++b)
                for (std::size_t a = 0; a < b; ++a)
                    found.insert({a, c.levels[a], b, c.levels[b]});
        return found;
    };
    EXPECT_EQ(pairs(few), pairs(all));
    EXPECT_LT(few.size() * 3, all.size());
}

TEST(EquivalenceMatrix, AgreesOnOneTwoAndThreeDevices) {
    for (const int devices : {1, 2, 3}) {
        const MatrixReport report =
            runMatrix(coveringCases(matrixCases(devices)), "threads", onThreads(), {});
        EXPECT_TRUE(report.passed()) << formatReport(report);
    }
}

TEST(EquivalenceMatrix, RefusalsAreShown) {
    const MatrixReport report = runMatrix(casesOf(1, "ring"), "threads", onThreads(), {});
    EXPECT_TRUE(report.passed());
    ASSERT_EQ(report.rows.size(), 1U);
    EXPECT_EQ(report.rows[0].refused, 1);
    EXPECT_THAT(formatReport(report), HasSubstr("refused"));
}

TEST(EquivalenceMatrix, NoticesAWrongOutput) {
    const std::vector<MatrixCase> cases = casesOf(2, "tokamax_ring");
    const MatrixReport report = runMatrix(cases, "threads", onThreads(0.1), {});
    EXPECT_FALSE(report.passed());
    EXPECT_EQ(report.failures.size(), cases.size());
    EXPECT_THAT(report.failures.front(), HasSubstr("is above"));
    EXPECT_THAT(formatReport(report), HasSubstr("FAILED"));
}

TEST(EquivalenceMatrix, NoticesAFaultyDeviceAndGoesOn) {
    const std::vector<MatrixCase> cases = casesOf(2, "tokamax_ring");
    int meshes = 0;
    MatrixOptions options = onThreads();
    const auto make = options.makeMesh;
    options.makeMesh = [&](int devices) {
        if (++meshes == 1)
            throw Error(ErrorKind::Device, "a device is on fire");
        return make(devices);
    };
    const MatrixReport report = runMatrix(cases, "threads", options, {});
    ASSERT_EQ(report.failures.size(), 1U);
    EXPECT_THAT(report.failures.front(), HasSubstr("on fire"));
    EXPECT_EQ(meshes, 2);
}

TEST(EquivalenceMatrix, StopsWhenAsked) {
    StopSource source;
    source.request_stop();
    try {
        runMatrix(casesOf(2, "flash"), "threads", onThreads(), source.get_token());
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
}

}  // namespace

}  // namespace meshreel
