// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/cpu_features.h"

#include <cpuid.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "engine/base/error.h"

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

enum class Register : std::uint8_t { Basic1Ecx, Extended7Ebx, Extended7Ecx, Extended7Edx, Extended71Eax };

struct RegisterState {
    std::uint64_t mask = 0;  // in XCR0
    std::string_view name;
};
constexpr RegisterState ymmState{.mask = 0x6, .name = "YMM registers"};   // SSE and AVX
constexpr RegisterState zmmState{.mask = 0xe6, .name = "ZMM registers"};  // and opmask, ZMM_Hi256, Hi16_ZMM
constexpr RegisterState tileState{.mask = 0x60000, .name = "tile registers"};  // XTILECFG and XTILEDATA

struct FeatureRow {
    CpuFeature feature;
    std::string_view name;
    Register where;
    int bit;
    const RegisterState& state;
    IsaLevel level;  // the lowest that has it
};

using enum Register;
constexpr std::array featureTable{
    FeatureRow{&CpuFeatures::avx2, "avx2", Extended7Ebx, 5, ymmState, IsaLevel::Avx2},
    FeatureRow{&CpuFeatures::fma, "fma", Basic1Ecx, 12, ymmState, IsaLevel::Avx2},
    FeatureRow{&CpuFeatures::f16c, "f16c", Basic1Ecx, 29, ymmState, IsaLevel::Avx2},
    FeatureRow{&CpuFeatures::avxVnni, "avx_vnni", Extended71Eax, 4, ymmState, IsaLevel::Avx2},
    FeatureRow{&CpuFeatures::avx512f, "avx512f", Extended7Ebx, 16, zmmState, IsaLevel::Avx512},
    FeatureRow{&CpuFeatures::avx512bw, "avx512bw", Extended7Ebx, 30, zmmState, IsaLevel::Avx512},
    FeatureRow{&CpuFeatures::avx512dq, "avx512dq", Extended7Ebx, 17, zmmState, IsaLevel::Avx512},
    FeatureRow{&CpuFeatures::avx512vl, "avx512vl", Extended7Ebx, 31, zmmState, IsaLevel::Avx512},
    FeatureRow{&CpuFeatures::avx512Vnni, "avx512_vnni", Extended7Ecx, 11, zmmState, IsaLevel::Avx512},
    FeatureRow{&CpuFeatures::avx512Bf16, "avx512_bf16", Extended71Eax, 5, zmmState, IsaLevel::Avx512Bf16},
    FeatureRow{&CpuFeatures::avx512Fp16, "avx512_fp16", Extended7Edx, 23, zmmState, IsaLevel::Avx512Bf16},
    FeatureRow{&CpuFeatures::amxTile, "amx_tile", Extended7Edx, 24, tileState, IsaLevel::Amx},
    FeatureRow{&CpuFeatures::amxBf16, "amx_bf16", Extended7Edx, 22, tileState, IsaLevel::Amx},
    FeatureRow{&CpuFeatures::amxInt8, "amx_int8", Extended7Edx, 25, tileState, IsaLevel::Amx},
};

const FeatureRow& rowOf(CpuFeature feature) {
    return *std::ranges::find(featureTable, feature, &FeatureRow::feature);
}

struct Cpu {
    CpuidLeaf basic;
    CpuidLeaf extended;
    CpuidLeaf extended1;
    std::uint64_t state = 0;

    [[nodiscard]] bool has(const FeatureRow& row) const {
        const std::array registers{basic.ecx, extended.ebx, extended.ecx, extended.edx, extended1.eax};
        return bit(registers[static_cast<std::size_t>(row.where)], row.bit);
    }
    [[nodiscard]] bool saves(const RegisterState& needed) const {
        return (state & needed.mask) == needed.mask;
    }
};

const Cpu& thisCpu() {
    static const Cpu cpu = [] {
        const CpuidLeaf basic = cpuid(1);
        constexpr int osxsave = 27;
        return Cpu{.basic = basic,
                   .extended = cpuid(7, 0),
                   .extended1 = cpuid(7, 1),
                   .state = enabledState(bit(basic.ecx, osxsave))};
    }();
    return cpu;
}

// Linux gives a process the large tile registers only when it asks, once.
bool tilesPermitted() {
    static const bool permitted = [] {
        constexpr int requestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
        constexpr int tileData = 18;
        return ::syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
    }();
    return permitted;
}

std::string whyNotOffered(const FeatureRow& row) {
    if (!thisCpu().has(row))
        return fmt::format("CPUID lacks {}", row.name);
    if (!thisCpu().saves(row.state))
        return fmt::format("the system does not save {} (XCR0)", row.state.name);
    if (row.level == IsaLevel::Amx && !tilesPermitted())
        return "the system refused tile registers (arch_prctl)";
    return {};
}

constexpr std::array isaNames{"avx2", "avx512", "avx512_bf16", "amx"};

// Like CPUID itself, a property of the process.
std::atomic<IsaLevel> isaLimit = IsaLevel::Amx;
std::atomic<bool> isaLimitSettled = false;

std::optional<IsaLevel> levelNamed(std::string_view name) {
    for (std::size_t index = 0; index < isaNames.size(); ++index)
        if (name == isaNames[index])
            return static_cast<IsaLevel>(index);
    return std::nullopt;
}

bool offers(const CpuFeatures& cpu, IsaLevel level) {
    switch (level) {
        case IsaLevel::Avx2:
            return cpu.avx2 && cpu.fma;
        case IsaLevel::Avx512:
            return cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl;
        case IsaLevel::Avx512Bf16:
            return cpu.avx512Bf16;
        case IsaLevel::Amx:
            return cpu.amxTile && cpu.amxBf16 && cpu.amxInt8;
    }
    return false;
}

/// The widest level that these features make up.
IsaLevel widestIsa(const CpuFeatures& features) {
    for (const IsaLevel level : {IsaLevel::Amx, IsaLevel::Avx512Bf16, IsaLevel::Avx512})
        if (offers(features, level))
            return level;
    return IsaLevel::Avx2;
}

/// The limit, which cannot be changed any more.
IsaLevel settledIsaLimit() {
    isaLimitSettled = true;
    return isaLimit;
}

std::string joinedNames(const std::vector<IsaLevel>& levels) {
    std::string text;
    for (const IsaLevel level : levels)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", nameOf(level));
    return text;
}

}  // namespace

const CpuFeatures& offeredCpuFeatures() {
    static const CpuFeatures offered = [] {
        CpuFeatures features;
        for (const FeatureRow& row : featureTable)
            features.*row.feature = whyNotOffered(row).empty();
        return features;
    }();
    return offered;
}

const CpuFeatures& cpuFeatures() {
    static const CpuFeatures features = [] {
        CpuFeatures allowed = offeredCpuFeatures();
        const IsaLevel limit = settledIsaLimit();
        for (const FeatureRow& row : featureTable)
            allowed.*row.feature = allowed.*row.feature && row.level <= limit;
        return allowed;
    }();
    return features;
}

std::string_view nameOf(CpuFeature feature) {
    return rowOf(feature).name;
}

std::string whyAbsent(CpuFeature feature) {
    if (cpuFeatures().*feature)
        return {};
    const FeatureRow& row = rowOf(feature);
    const std::string reason = whyNotOffered(row);
    return reason.empty() ? fmt::format("--isa {}", nameOf(settledIsaLimit())) : reason;
}

std::string isaName() {
    return std::string(nameOf(widestIsa(cpuFeatures())));
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

std::string_view nameOf(IsaLevel level) {
    return isaNames[static_cast<std::size_t>(level)];
}

std::vector<IsaLevel> offeredIsaLevels() {
    std::vector<IsaLevel> levels;
    for (std::size_t index = isaNames.size(); index > 0; --index)
        if (offers(offeredCpuFeatures(), static_cast<IsaLevel>(index - 1)))
            levels.push_back(static_cast<IsaLevel>(index - 1));
    return levels;
}

void limitIsa(std::string_view name) {
    const std::optional<IsaLevel> level = levelNamed(name);
    if (!level)
        throw Error(ErrorKind::Project, sentence("there is no instruction set \"{}\"", name), "--isa",
                    sentence("Choose one of {}", fmt::to_string(fmt::join(isaNames, ", "))));
    if (!offers(offeredCpuFeatures(), *level))
        throw Error(ErrorKind::Resources, sentence("This CPU has no {}", name), "--isa",
                    sentence("It has {}", joinedNames(offeredIsaLevels())));
    if (isaLimitSettled)
        throw Error(ErrorKind::Internal, "The instruction set was limited after it was used");
    isaLimit = *level;
    ::setenv(isaVariable, std::string(name).c_str(), 1);
}

std::string whyRejected(const KernelCandidate& candidate) {
    for (const CpuFeature feature : candidate.needs) {
        if (feature == nullptr)
            break;
        if (std::string reason = whyAbsent(feature); !reason.empty())
            return reason;
    }
    return std::string(candidate.refused);
}

}  // namespace meshreel
