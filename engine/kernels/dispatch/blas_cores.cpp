// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/blas_cores.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace {

struct KnownCore {
    std::string_view name;
    BlasWidth width;
};

// openblas/driver/others/dynamic.c, up to 0.3.28, by the instructions of their single-precision products.
using enum BlasWidth;
constexpr std::array knownCores{
    KnownCore{.name = "Sapphirerapids", .width = Amx},
    KnownCore{.name = "Cooperlake", .width = Avx512Bf16},
    KnownCore{.name = "SkylakeX", .width = Avx512},
    KnownCore{.name = "Haswell", .width = Avx2},
    KnownCore{.name = "Zen", .width = Avx2},
    KnownCore{.name = "Excavator", .width = Avx},  // with AMD's FMA4, as the next three
    KnownCore{.name = "Steamroller", .width = Avx},
    KnownCore{.name = "Piledriver", .width = Avx},
    KnownCore{.name = "Bulldozer", .width = Avx},
    KnownCore{.name = "Sandybridge", .width = Avx},
    KnownCore{.name = "Nehalem", .width = Sse},
    KnownCore{.name = "Dunnington", .width = Sse},
    KnownCore{.name = "Penryn", .width = Sse},
    KnownCore{.name = "Core2", .width = Sse},
    KnownCore{.name = "Prescott", .width = Sse},
    KnownCore{.name = "Banias", .width = Sse},
    KnownCore{.name = "Northwood", .width = Sse},
    KnownCore{.name = "Coppermine", .width = Sse},
    KnownCore{.name = "Katmai", .width = Sse},
    KnownCore{.name = "Atom", .width = Sse},
    KnownCore{.name = "Nano", .width = Sse},
    KnownCore{.name = "Bobcat", .width = Sse},
    KnownCore{.name = "Barcelona", .width = Sse},
    KnownCore{.name = "Opteron_SSE3", .width = Sse},
    KnownCore{.name = "Opteron", .width = Sse},
    KnownCore{.name = "Athlon", .width = Sse},
};

constexpr std::array<std::string_view, 4> preferredCores{"SkylakeX", "Haswell", "Sandybridge", "Nehalem"};

char small(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string firstAbsent(std::initializer_list<CpuFeature> needs) {
    for (const CpuFeature feature : needs)
        if (std::string why = whyAbsent(feature); !why.empty())
            return why;
    return {};
}

}  // namespace

bool isSameCore(std::string_view one, std::string_view other) {
    return std::ranges::equal(one, other, {}, small, small);
}

BlasWidth widthOf(std::string_view core) {
    for (const KnownCore& known : knownCores)
        if (isSameCore(known.name, core))
            return known.width;
    return Unknown;
}

std::span<const std::string_view> preferredBlasCores() {
    return preferredCores;
}

std::string whyTooWide(BlasWidth width) {
    using Cpu = CpuFeatures;
    switch (width) {
        case Amx:
            return firstAbsent({&Cpu::amxTile, &Cpu::amxBf16, &Cpu::amxInt8});
        case Avx512Bf16:
            return firstAbsent({&Cpu::avx512Bf16});
        case Avx512:
            return firstAbsent({&Cpu::avx512f, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl});
        case Avx2:
            return firstAbsent({&Cpu::avx2, &Cpu::fma});
        case Avx:
        case Sse:
        case Unknown:
            return {};
    }
    return {};
}

}  // namespace meshreel
