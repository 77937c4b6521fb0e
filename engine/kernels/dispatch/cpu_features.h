// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace meshreel {

/// Instruction sets that both the CPU (CPUID) and the operating system (XCR0) offer.
struct CpuFeatures {
    bool avx2 = false;
    bool fma = false;
    bool f16c = false;
    bool avxVnni = false;
    bool avx512f = false;
    bool avx512bw = false;
    bool avx512dq = false;
    bool avx512vl = false;
    bool avx512Vnni = false;
    bool avx512Bf16 = false;
    bool avx512Fp16 = false;
    bool amxTile = false;
    bool amxBf16 = false;
    bool amxInt8 = false;
};

/// One of them.
using CpuFeature = bool CpuFeatures::*;

/// What may be used: what is offered, up to the limit that limitIsa() set (engine/kernels/dispatch/isa.h).
/// Asked once per process.
const CpuFeatures& cpuFeatures();

/// What is offered, whatever the limit.
const CpuFeatures& offeredCpuFeatures();

/// "amx_bf16", as the kernel of Linux spells it.
std::string_view nameOf(CpuFeature feature);

/// Why it may not be used: "CPUID lacks amx_tile", "the system does not save tile registers (XCR0)", ...
/// Empty when it may.
std::string whyAbsent(CpuFeature feature);

/// The widest family that may be used: "amx", "avx512_bf16", "avx512" or "avx2".
std::string isaName();

/// The brand string ("Intel(R) Xeon(R) Platinum 8480+"), for display only: nothing is decided by it.
std::string cpuModelName();

}  // namespace meshreel
