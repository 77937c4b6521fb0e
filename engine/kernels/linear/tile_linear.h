// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string_view>

#include "engine/kernels/linear/host_linear.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/linear/tile_product.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Products of bf16 values in tiles. `weight` bf16 [out, in], which is packed into tiles; `bias` f32 [out] or
/// no elements.
std::unique_ptr<HostLinear> makeTileLinear(const TileProductKernel& kernel, const Tensor& weight,
                                           Tensor bias);

/// Makes a layer, with the same bits, for a weight that is used once: packs a block of its rows when it is
/// needed.
std::unique_ptr<HostLinear> makeStreamedTileLinear(const TileProductKernel& kernel, Tensor weight,
                                                   Tensor bias);

/// Products of values rounded to int8, each row of x by a scale of its own.
std::unique_ptr<HostLinear> makeTileInt8Linear(const TileProductKernel& kernel, const Int8Weight& weight,
                                               Tensor bias);

/// Make layers from their parts, without a copy. Throw Error{Input} for parts of other sizes.
std::unique_ptr<HostLinear> tileLinearFromParts(const TileProductKernel& kernel, const PackedForm& form);
std::unique_ptr<HostLinear> tileInt8LinearFromParts(const TileProductKernel& kernel, const PackedForm& form);

/// format() of layers that are packed.
inline constexpr std::string_view tilesFormat = "bf16 tiles [out / 32, in / 32, 2]";
inline constexpr std::string_view int8TilesFormat = "int8 tiles [out / 32, in / 64, 2], f32 scales [out]";

}  // namespace meshreel
