// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "engine/kernels/dispatch/blas_cores.h"

namespace meshreel {
namespace {

TEST(Matmul, TakesTheWidestCoreOfThisCpuUnlessTheUserNamesAnother) {
    if (matmulCore().empty())
        GTEST_SKIP() << matmulLibrary();
    const std::string widest = whyTooWide(BlasWidth::Avx512).empty() ? "SkylakeX" : "Haswell";
    EXPECT_THAT(matmulLibrary(), ::testing::StartsWith("OpenBLAS "));
    EXPECT_THAT(matmulLibrary(), ::testing::EndsWith(" " + matmulCore()));
    if (const char* chosen = std::getenv(blasCoreVariable); chosen != nullptr && matmulCore() != widest)
        GTEST_SKIP() << blasCoreVariable << " is set to " << chosen;
    EXPECT_EQ(matmulCore(), widest);
}

std::map<std::string, std::string> variablesOfOpenBlas() {
    std::map<std::string, std::string> found;
    for (const std::string name : {blasCoreVariable, "OPENBLAS_NUM_THREADS"})
        if (const char* value = std::getenv(name.c_str()); value != nullptr)
            found[name] = value;
    return found;
}

TEST(Matmul, LeavesTheEnvironmentAsItWas) {
    const auto before = variablesOfOpenBlas();
    static_cast<void>(matmulLibrary());
    EXPECT_EQ(variablesOfOpenBlas(), before);
}

}  // namespace
}  // namespace meshreel
