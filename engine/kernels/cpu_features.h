// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

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

/// Asked once per process.
const CpuFeatures& cpuFeatures();

/// The widest family that is offered: "amx", "avx512_bf16", "avx512" or "avx2".
std::string isaName();

/// The brand string ("Intel(R) Xeon(R) Platinum 8480+"), for display only: nothing is decided by it.
std::string cpuModelName();

}  // namespace meshreel
