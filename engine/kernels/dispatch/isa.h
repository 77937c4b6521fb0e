// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

/// Families of instructions, each with all before it.
enum class IsaLevel : std::uint8_t { Avx2, Avx512, Avx512Bf16, Amx };

/// "avx2", "avx512", "avx512_bf16", "amx": what --isa takes and isaName() gives.
std::string_view nameOf(IsaLevel level);

/// The environment variable by which --isa reaches the processes that this one starts.
inline constexpr const char* isaVariable = "MESHREEL_ISA";

/// The levels that this CPU offers, the widest first.
std::vector<IsaLevel> offeredIsaLevels();

/// The widest level that these features make up.
IsaLevel widestIsa(const CpuFeatures& features);

/// Lets this process, its libraries and the processes that it starts use no more than the level of this name.
/// To be called before threads are started and before anything computes. Throws Error{Project} for an unknown
/// name, Error{Resources} for a level that the CPU lacks, Error{Internal} when cpuFeatures() was asked
/// before.
void limitIsa(std::string_view name);

/// The limit, which cannot be changed any more.
IsaLevel settledIsaLimit();

}  // namespace meshreel
