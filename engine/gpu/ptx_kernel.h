// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace meshreel {

/// A kernel of PTX, for cards of NVIDIA from compute capability 8.0 on, or for those of 9.0 alone. Its one
/// argument is a block of bytes, as shaders have push constants.
struct PtxKernel {
    std::string entry;      ///< its name in the text
    std::string text;       ///< what the driver compiles
    std::uint32_t threads;  ///< of a block
    /// Shared memory that a launch gives a block, besides what the text declares.
    std::uint32_t dynamicBytes = 0;
};

/// Writes a kernel's text: asked for where a GPU launches it.
using WritePtx = std::function<PtxKernel()>;

}  // namespace meshreel
