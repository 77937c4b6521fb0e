// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/cpu_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace meshreel {
namespace {

// The kernel's own list, whole words.
bool kernelLists(const std::string& flag) {
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string line;
    while (std::getline(cpuinfo, line))
        if (line.starts_with("flags")) {
            std::istringstream words(line);
            std::string word;
            while (words >> word)
                if (word == flag)
                    return true;
            return false;
        }
    return false;
}

TEST(CpuFeatures, AgreeWithTheKernel) {
    const CpuFeatures& cpu = cpuFeatures();
    EXPECT_EQ(cpu.avx2, kernelLists("avx2"));
    EXPECT_EQ(cpu.fma, kernelLists("fma"));
    EXPECT_EQ(cpu.f16c, kernelLists("f16c"));
    EXPECT_EQ(cpu.avxVnni, kernelLists("avx_vnni"));
    EXPECT_EQ(cpu.avx512f, kernelLists("avx512f"));
    EXPECT_EQ(cpu.avx512bw, kernelLists("avx512bw"));
    EXPECT_EQ(cpu.avx512dq, kernelLists("avx512dq"));
    EXPECT_EQ(cpu.avx512vl, kernelLists("avx512vl"));
    EXPECT_EQ(cpu.avx512Vnni, kernelLists("avx512_vnni"));
    EXPECT_EQ(cpu.avx512Bf16, kernelLists("avx512_bf16"));
    EXPECT_EQ(cpu.avx512Fp16, kernelLists("avx512_fp16"));
    EXPECT_EQ(cpu.amxTile, kernelLists("amx_tile"));
    EXPECT_EQ(cpu.amxBf16, kernelLists("amx_bf16"));
    EXPECT_EQ(cpu.amxInt8, kernelLists("amx_int8"));
}

TEST(CpuFeatures, Names) {
    EXPECT_THAT(isaName(), ::testing::AnyOf("amx", "avx512_bf16", "avx512", "avx2"));
    EXPECT_FALSE(cpuModelName().empty());
}

}  // namespace
}  // namespace meshreel
