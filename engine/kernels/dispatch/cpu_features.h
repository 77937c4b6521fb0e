// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns what may be used: what is offered, up to the limit that limitIsa() set. Asked once per process.
const CpuFeatures& cpuFeatures();

/// Returns what is offered, whatever the limit.
const CpuFeatures& offeredCpuFeatures();

/// "amx_bf16", as the kernel of Linux spells it.
std::string_view nameOf(CpuFeature feature);

/// Returns why it may not be used: "CPUID lacks amx_tile", "the system does not save tile registers (XCR0)",
/// ... Empty when it may.
std::string whyAbsent(CpuFeature feature);

/// Returns the widest family that may be used: "amx", "avx512_bf16", "avx512" or "avx2".
std::string isaName();

/// Returns the brand string ("Intel(R) Xeon(R) Platinum 8480+"), for display only: nothing is decided by it.
std::string cpuModelName();

/// Families of instructions, each with all before it.
enum class IsaLevel : std::uint8_t { Avx2, Avx512, Avx512Bf16, Amx };

/// "avx2", "avx512", "avx512_bf16", "amx": what --isa takes and isaName() gives.
std::string_view nameOf(IsaLevel level);

/// The environment variable by which --isa reaches the processes that this one starts.
inline constexpr const char* isaVariable = "MESHREEL_ISA";

/// Returns the levels that this CPU offers, the widest first.
std::vector<IsaLevel> offeredIsaLevels();

/// Lets this process, its libraries and the processes that it starts use no more than the level of this name.
/// To be called before threads are started and before anything computes. Throws Error{Project} for an unknown
/// name, Error{Resources} for a level that the CPU lacks, Error{Internal} when cpuFeatures() was asked
/// before.
void limitIsa(std::string_view name);

/// One implementation of an operation, with what it needs. An operation's candidates are in one table, the
/// best first; its dispatch takes the first that is not rejected, and `meshreel isa` prints the same table.
struct KernelCandidate {
    static constexpr std::size_t maxNeeds = 6;

    std::string_view name;                     ///< "oneDNN on AMX tiles"
    std::array<CpuFeature, maxNeeds> needs{};  ///< required features of the CPU; the rest is null
    std::string_view limits = {};              ///< limits of shapes and types; empty: none
    std::string_view refused = {};  ///< why its library was refused when it was loaded; empty: it was not
};

/// Returns why this process cannot use it (CPUID, XCR0, permission, --isa, a library that computes wrong);
/// empty when it can.
std::string whyRejected(const KernelCandidate& candidate);

}  // namespace meshreel
