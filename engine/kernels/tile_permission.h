// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// Whether the operating system lets this process use tiles; asked once, before which a tile instruction is
/// fatal. False without AMX.
bool tilesPermitted();

/// Whether bf16 tile products run here: AMX-BF16, AVX512-BF16 and the permission.
bool bf16TilesUsable();

}  // namespace meshreel
