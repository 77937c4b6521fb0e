// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/cpu_features.h"

#include <cpuid.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace meshreel {

namespace {

struct CpuidLeaf {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
};

CpuidLeaf cpuid(unsigned leaf, unsigned subleaf = 0) {
    CpuidLeaf result;
    if (__get_cpuid_count(leaf, subleaf, &result.eax, &result.ebx, &result.ecx, &result.edx) == 0)
        return {};
    return result;
}

constexpr bool bit(unsigned value, int index) {
    return ((value >> index) & 1U) != 0;
}

// Register state that the operating system saves; zero without OSXSAVE.
std::uint64_t enabledState(bool hasOsxsave) {
    if (!hasOsxsave)
        return 0;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (static_cast<std::uint64_t>(high) << 32) | low;
}

CpuFeatures detect() {
    constexpr std::uint64_t ymmState = 0x6;       // XCR0: SSE and AVX
    constexpr std::uint64_t zmmState = 0xe6;      // and opmask, ZMM_Hi256, Hi16_ZMM
    constexpr std::uint64_t tileState = 0x60000;  // XTILECFG and XTILEDATA
    const CpuidLeaf basic = cpuid(1);
    const CpuidLeaf extended = cpuid(7, 0);
    const CpuidLeaf extended1 = cpuid(7, 1);
    const std::uint64_t state = enabledState(bit(basic.ecx, 27));
    const bool ymm = (state & ymmState) == ymmState;
    const bool zmm = (state & zmmState) == zmmState;
    const bool tile = (state & tileState) == tileState;
    return {
        .avx2 = ymm && bit(extended.ebx, 5),
        .fma = ymm && bit(basic.ecx, 12),
        .f16c = ymm && bit(basic.ecx, 29),
        .avxVnni = ymm && bit(extended1.eax, 4),
        .avx512f = zmm && bit(extended.ebx, 16),
        .avx512bw = zmm && bit(extended.ebx, 30),
        .avx512dq = zmm && bit(extended.ebx, 17),
        .avx512vl = zmm && bit(extended.ebx, 31),
        .avx512Vnni = zmm && bit(extended.ecx, 11),
        .avx512Bf16 = zmm && bit(extended1.eax, 5),
        .avx512Fp16 = zmm && bit(extended.edx, 23),
        .amxTile = tile && bit(extended.edx, 24),
        .amxBf16 = tile && bit(extended.edx, 22),
        .amxInt8 = tile && bit(extended.edx, 25),
    };
}

}  // namespace

const CpuFeatures& cpuFeatures() {
    static const CpuFeatures features = detect();
    return features;
}

std::string isaName() {
    const CpuFeatures& features = cpuFeatures();
    if (features.amxTile)
        return "amx";
    if (features.avx512Bf16)
        return "avx512_bf16";
    return features.avx512f ? "avx512" : "avx2";
}

std::string cpuModelName() {
    constexpr unsigned firstBrandLeaf = 0x80000002U;
    constexpr unsigned brandLeaves = 3;
    std::array<char, brandLeaves * sizeof(CpuidLeaf) + 1> brand{};
    for (unsigned index = 0; index < brandLeaves; ++index) {
        const CpuidLeaf leaf = cpuid(firstBrandLeaf + index);
        std::memcpy(brand.data() + index * sizeof(leaf), &leaf, sizeof(leaf));
    }
    const std::string name = brand.data();
    const std::size_t begin = name.find_first_not_of(' ');
    const std::size_t end = name.find_last_not_of(' ');
    return begin == std::string::npos ? std::string("x86-64") : name.substr(begin, end - begin + 1);
}

}  // namespace meshreel
