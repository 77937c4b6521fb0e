// SPDX-License-Identifier: GPL-3.0-or-later
#include <immintrin.h>

#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/convolution/convolution_tile.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

// 6 pixels by 2 registers of channels: 12 sums, 2 weights and one feature of the 16 registers.
struct Avx2 {
    using Register = __m256;
    static constexpr std::int64_t lanes = 8;
    static constexpr int pixels = 6;
    static constexpr int vectors = 2;

    static Register load(const float* from) { return _mm256_loadu_ps(from); }
    static void store(float* to, Register value) { _mm256_storeu_ps(to, value); }
    static Register broadcast(const float* from) { return _mm256_broadcast_ss(from); }
    static Register multiplyAdd(Register a, Register b, Register c) { return _mm256_fmadd_ps(a, b, c); }
};

}  // namespace

constinit const ConvolutionKernel avx2Convolution = {.name = "avx2",
                                                     .type = DType::F32,
                                                     .pixels = Avx2::pixels,
                                                     .channels = Avx2::vectors * Avx2::lanes,
                                                     .lane = Avx2::lanes,
                                                     .accumulate = accumulate<Avx2>,
                                                     .weightOffset = weightOffsetByFeature};

}  // namespace meshreel
