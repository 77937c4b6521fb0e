// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace {

TEST(Matmul, UsesTheWidestKernelsOfThisCpu) {
    const CpuFeatures& cpu = cpuFeatures();
    const std::string widest =
        cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl ? "SkylakeX" : "Haswell";
    EXPECT_THAT(matmulLibrary(), ::testing::StartsWith("OpenBLAS "));
    if (const char* chosen = std::getenv("OPENBLAS_CORETYPE"); chosen != widest)
        GTEST_SKIP() << "OPENBLAS_CORETYPE is set to " << chosen;
    EXPECT_THAT(matmulLibrary(), ::testing::EndsWith(widest));
}

}  // namespace
}  // namespace meshreel
