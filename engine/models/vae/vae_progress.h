// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace meshreel {

/// Told after each chunk of an encode or decode: chunks done, chunks in all (over batch and tiles). On a mesh
/// a chunk counts when all devices are done with it, and samples that groups share count once.
using VaeProgress = std::function<void(int done, int total)>;

}  // namespace meshreel
