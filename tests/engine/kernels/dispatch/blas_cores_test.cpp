// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/blas_cores.h"

#include <gtest/gtest.h>

#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace {

TEST(BlasCores, AreToldApartByTheWidthOfTheirVectors) {
    EXPECT_EQ(widthOf("SkylakeX"), BlasWidth::Avx512);
    EXPECT_EQ(widthOf("haswell"), BlasWidth::Avx2);
    EXPECT_EQ(widthOf("ZEN"), BlasWidth::Avx2);
    EXPECT_LT(widthOf("Bulldozer"), widthOf("Haswell"));
    EXPECT_LT(widthOf("Opteron_SSE3"), widthOf("Sandybridge"));
    EXPECT_GT(widthOf("Cooperlake"), widthOf("SkylakeX"));
    EXPECT_EQ(widthOf("a core of tomorrow"), BlasWidth::Unknown);
}

TEST(BlasCores, ThoseAskedForAreKnownAndEachIsNarrowerThanTheOneBefore) {
    BlasWidth before = BlasWidth::Unknown;
    for (const std::string_view name : preferredBlasCores()) {
        EXPECT_LT(widthOf(name), before) << name;
        before = widthOf(name);
    }
}

TEST(BlasCores, AreTooWideForACpuWithoutTheirInstructions) {
    EXPECT_EQ(whyTooWide(BlasWidth::Avx2), "");
    EXPECT_EQ(whyTooWide(BlasWidth::Sse), "");
    const CpuFeatures& cpu = cpuFeatures();
    EXPECT_EQ(whyTooWide(BlasWidth::Avx512).empty(),
              cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl);
    EXPECT_EQ(whyTooWide(BlasWidth::Amx).empty(), cpu.amxTile && cpu.amxBf16 && cpu.amxInt8);
}

}  // namespace
}  // namespace meshreel
