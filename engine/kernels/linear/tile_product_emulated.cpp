// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/tile_product.h"
#include "engine/kernels/linear/tile_product.inl.h"
#include "engine/kernels/tiles/tile_unit_emulated.h"
#include "engine/kernels/tiles/word_transpose.h"

namespace meshreel {

constinit const TileProductKernel emulatedBf16Product =
    tileProductKernel<TileUnitEmulated, Bf16Numbers, WordTranspose>();
constinit const TileProductKernel emulatedInt8Product =
    tileProductKernel<TileUnitEmulated, Int8Numbers, WordTranspose>();

}  // namespace meshreel
