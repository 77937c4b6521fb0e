// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/cpu_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/blas_cores.h"
#include "engine/kernels/kernel_operations.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/matmul.h"

namespace meshreel {
namespace {

TEST(Isa, TheWidestOfferedLevelIsUsedUnlessLimited) {
    ASSERT_FALSE(offeredIsaLevels().empty());
    EXPECT_EQ(isaName(), nameOf(offeredIsaLevels().front()));
    EXPECT_EQ(offeredIsaLevels().back(), IsaLevel::Avx2);
}

TEST(Isa, AnUnknownOrMissingLevelIsRefused) {
    EXPECT_THROW(limitIsa("sse9"), Error);
    for (const IsaLevel level : {IsaLevel::Avx512, IsaLevel::Avx512Bf16, IsaLevel::Amx}) {
        const auto offered = offeredIsaLevels();
        if (std::ranges::find(offered, level) != offered.end())
            continue;
        try {
            limitIsa(nameOf(level));
            FAIL() << nameOf(level);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Resources);
            EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("avx2"));
        }
    }
}

TEST(Isa, TheLimitCannotChangeOnceItWasUsed) {
    static_cast<void>(isaName());
    EXPECT_THROW(limitIsa("avx2"), Error);
}

// What a limited process does is seen in one.
int useAvx2Only() {
    limitIsa("avx2");
    const CpuFeatures& cpu = cpuFeatures();
    const bool none = !cpu.avx512f && !cpu.avx512Vnni && !cpu.avx512Bf16 && !cpu.amxTile;
    const bool ownLoops = matmulCore().empty();
    const bool followed = isaName() == "avx2" && (ownLoops || widthOf(matmulCore()) <= BlasWidth::Avx2) &&
                          linearCandidate(Arithmetic::Int8).kernel.name ==
                              (ownLoops ? "unpacked to f32 for own loops"
                                        : "unpacked to f32 for OpenBLAS, core " + matmulCore());
    const bool offered512 = offeredCpuFeatures().avx512f;
    const std::string why = whyAbsent(&CpuFeatures::avx512f);
    const bool said = why == (offered512 ? "--isa avx2" : "CPUID lacks avx512f");
    return none && followed && said && std::string(std::getenv(isaVariable)) == "avx2" ? 0 : 1;
}

TEST(Isa, EverythingFollowsTheLimit) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(std::exit(useAvx2Only()), ::testing::ExitedWithCode(0), "");
}

TEST(Isa, EachOperationTakesItsFirstCandidateThatIsNotRejected) {
    for (const KernelOperation& operation : kernelOperations()) {
        ASSERT_FALSE(operation.candidates.empty()) << operation.name;
        EXPECT_EQ(whyRejected(operation.candidates.back()), "")
            << operation.name << " has nothing for every CPU";
    }
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16, Arithmetic::Int8}) {
        const KernelCandidate& taken = linearCandidate(arithmetic).kernel;
        EXPECT_EQ(whyRejected(taken), "");
        for (const LinearCandidate& candidate : linearCandidates(arithmetic)) {
            if (candidate.kernel.name == taken.name)
                break;
            EXPECT_NE(whyRejected(candidate.kernel), "") << candidate.kernel.name;
        }
    }
}

}  // namespace
}  // namespace meshreel
