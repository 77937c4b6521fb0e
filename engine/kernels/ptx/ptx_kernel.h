// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace meshreel {

/// A kernel of PTX, for cards of NVIDIA from compute capability 8.0 on.
struct PtxKernel {
    std::string entry;      ///< its name in the text
    std::string text;       ///< what the driver compiles
    std::uint32_t threads;  ///< of a block
};

}  // namespace meshreel
