// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/golden_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshreel {
namespace {

class GoldenCase : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenCase, Holds) {
    WorkerPool workers({.workers = 2});
    const GoldenReport report =
        verifyCase({workers, {}}, std::filesystem::path(MESHREEL_TEST_DATA) / "golden" / GetParam());
    EXPECT_TRUE(report.passed()) << formatReport(report);
}

INSTANTIATE_TEST_SUITE_P(Copied, GoldenCase, ::testing::Values("dit_t2v", "umt5", "schedulers", "tokenizer", "torch_random"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace meshreel
