// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution_bf16.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/tiles/tile_unit_avx512_bf16.h"

namespace meshreel {

constinit const ConvolutionKernel avx512Bf16Convolution = tileConvolution<TileUnitAvx512Bf16>("avx512_bf16");

}  // namespace meshreel
