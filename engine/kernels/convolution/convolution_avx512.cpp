// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled for AVX-512; called only where the CPU has it.
#include <immintrin.h>

#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/convolution/convolution_tile.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

// 8 pixels by 3 registers of channels: 24 sums, 3 weights and one feature of the 32 registers.
struct Avx512 {
    using Register = __m512;
    static constexpr std::int64_t lanes = 16;
    static constexpr int pixels = 8;
    static constexpr int vectors = 3;

    static Register load(const float* from) { return _mm512_loadu_ps(from); }
    static void store(float* to, Register value) { _mm512_storeu_ps(to, value); }
    static Register broadcast(const float* from) { return _mm512_set1_ps(*from); }
    static Register multiplyAdd(Register a, Register b, Register c) { return _mm512_fmadd_ps(a, b, c); }
};

}  // namespace

constinit const ConvolutionKernel avx512Convolution = {.name = "avx512",
                                                       .type = DType::F32,
                                                       .pixels = Avx512::pixels,
                                                       .channels = Avx512::vectors * Avx512::lanes,
                                                       .lane = Avx512::lanes,
                                                       .accumulate = accumulate<Avx512>,
                                                       .weightOffset = weightOffsetByFeature};

}  // namespace meshreel
