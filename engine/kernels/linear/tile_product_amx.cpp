// SPDX-License-Identifier: GPL-3.0-or-later
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "engine/kernels/dispatch/isa_region.h"
#include "engine/kernels/linear/tile_product.h"
#include "engine/kernels/tiles/tile_unit_amx.h"

MESHREEL_BEGIN_AMX
// clang-format off: these must come last
#include "engine/kernels/linear/tile_product.inl.h"
#include "engine/kernels/tiles/word_transpose_avx512.h"
// clang-format on

namespace meshreel {

constinit const TileProductKernel amxBf16Product =
    tileProductKernel<TileUnitAmx, Bf16Numbers, WordTransposeAvx512>();
constinit const TileProductKernel amxInt8Product =
    tileProductKernel<TileUnitAmx, Int8Numbers, WordTransposeAvx512>();

}  // namespace meshreel
MESHREEL_END_ISA
