// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/isa.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/blas_library.h"

namespace meshreel {

namespace {

constexpr std::array names{"avx2", "avx512", "avx512_bf16", "amx"};

// Like CPUID itself, a property of the process.
std::atomic<IsaLevel> limit = IsaLevel::Amx;
std::atomic<bool> settled = false;

std::optional<IsaLevel> levelNamed(std::string_view name) {
    for (std::size_t index = 0; index < names.size(); ++index)
        if (name == names[index])
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

std::string joinedNames(const std::vector<IsaLevel>& levels) {
    std::string text;
    for (const IsaLevel level : levels)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", nameOf(level));
    return text;
}

}  // namespace

std::string_view nameOf(IsaLevel level) {
    return names[static_cast<std::size_t>(level)];
}

std::vector<IsaLevel> offeredIsaLevels() {
    std::vector<IsaLevel> levels;
    for (std::size_t index = names.size(); index > 0; --index)
        if (offers(offeredCpuFeatures(), static_cast<IsaLevel>(index - 1)))
            levels.push_back(static_cast<IsaLevel>(index - 1));
    return levels;
}

IsaLevel widestIsa(const CpuFeatures& features) {
    for (const IsaLevel level : {IsaLevel::Amx, IsaLevel::Avx512Bf16, IsaLevel::Avx512})
        if (offers(features, level))
            return level;
    return IsaLevel::Avx2;
}

void limitIsa(std::string_view name) {
    const std::optional<IsaLevel> level = levelNamed(name);
    if (!level)
        throw Error(ErrorKind::Project, sentence("there is no instruction set \"{}\"", name), "--isa",
                    sentence("Choose one of {}", fmt::to_string(fmt::join(names, ", "))));
    if (!offers(offeredCpuFeatures(), *level))
        throw Error(ErrorKind::Resources, sentence("This CPU has no {}", name), "--isa",
                    sentence("It has {}", joinedNames(offeredIsaLevels())));
    if (settled)
        throw Error(ErrorKind::Internal, "The instruction set was limited after it was used");
    limit = *level;
    ::setenv(isaVariable, std::string(name).c_str(), 1);
    if (*level == IsaLevel::Avx2)
        chooseAvx2Blas();
}

IsaLevel settledIsaLimit() {
    settled = true;
    return limit;
}

}  // namespace meshreel
