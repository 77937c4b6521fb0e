// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution_bf16.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/tiles/tile_unit_amx.h"

namespace meshreel {

constinit const ConvolutionKernel amxConvolution = tileConvolution<TileUnitAmx>("amx_bf16");

}  // namespace meshreel
