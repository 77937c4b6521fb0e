// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/convolution/convolution_kernel.h"

namespace meshreel {

extern const ConvolutionKernel avx2Convolution;
extern const ConvolutionKernel avx512Convolution;  ///< needs AVX-512F

}  // namespace meshreel
