// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/ptx/ptx_linear.h"
#include "tests/support/ptx/ptx_machine.h"

namespace meshreel {

/// A linear layer that the interpreter computes.
struct PtxLinearCase {
    std::string_view name;
    PtxFactors factors = PtxFactors::Bf16;
    std::uint32_t rows = 0;
    std::uint32_t outs = 0;
    std::uint32_t ins = 0;
    LinearActivation activation = LinearActivation::None;
    bool hasBias = false;
    bool hasGate = false;
    bool addsToY = false;
    bool narrowY = false;
};

inline void PrintTo(const PtxLinearCase& linear, std::ostream* stream) {
    *stream << linear.name;
}

/// How a kernel's text cuts a layer into blocks, and what a launch gives it.
struct PtxLinearLaunch {
    std::uint32_t blockRows = ptxLinearBlock;
    std::uint32_t blockOuts = ptxLinearBlock;
    std::uint32_t dynamicBytes = 0;
    std::uint32_t mostBlocks = 0;  ///< of the grid, which take the others' work by turns; 0: a block each
};

/// How far the results are from their definition.
struct PtxLinearResult {
    /// |y - expected| / (|expected| + 1) at most, where y that is bf16 may be a rounding away for nothing.
    double error = 0;
    testing::PtxWork work;
};

/// Computes all blocks from the text and compares every output with its definition in double: exact sums of
/// int8 numbers, bf16 numbers as they are.
PtxLinearResult computeLinear(const PtxLinearCase& linear, const std::string& text,
                              const PtxLinearLaunch& launch = {});

/// Computes these blocks of the grid on tensors that are addresses alone. Returns the bytes of y that each
/// wrote.
std::vector<testing::PtxMemory::Region> reachLinear(const PtxLinearCase& linear, const std::string& text,
                                                    const std::vector<testing::PtxGrid>& blocks,
                                                    const PtxLinearLaunch& launch = {});

}  // namespace meshreel
