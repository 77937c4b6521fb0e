// SPDX-License-Identifier: GPL-3.0-or-later
// How kernels multiply by a matrix unit. Written in GL_NV_cooperative_matrix, which glslang of Debian 12 knows; tools/shaders
// makes the other forms of it. cmake/MeshreelShaders.cmake defines, for each variant: TILE_M, TILE_N, TILE_K, the extents of one
// product of a subgroup; SUBGROUP, its invocations; NARROW_FACTORS where factors are bf16 and not f16, INT8_FACTORS where they
// are int8 and sums int32. Everything that loops count by is a constant of the compilation, since drivers unroll no loop over
// specialisation constants.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_cooperative_matrix : require
#ifdef INT8_FACTORS
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_NV_integer_cooperative_matrix : require
#endif

// That tool tells the three uses of a matrix apart by their types, so each has extents of its own.
layout(constant_id = 0) const uint leftRows = TILE_M;
layout(constant_id = 1) const uint leftColumns = TILE_K;
layout(constant_id = 2) const uint rightRows = TILE_K;
layout(constant_id = 3) const uint rightColumns = TILE_N;
layout(constant_id = 4) const uint sumRows = TILE_M;
layout(constant_id = 5) const uint sumColumns = TILE_N;

#ifdef INT8_FACTORS
#define LeftMatrix icoopmatNV<8, gl_ScopeSubgroup, leftRows, leftColumns>
#define RightMatrix icoopmatNV<8, gl_ScopeSubgroup, rightRows, rightColumns>
#define SumMatrix icoopmatNV<32, gl_ScopeSubgroup, sumRows, sumColumns>
#define noSums SumMatrix(0)
#define FACTOR_BYTES 1
#else
#define LeftMatrix fcoopmatNV<16, gl_ScopeSubgroup, leftRows, leftColumns>
#define RightMatrix fcoopmatNV<16, gl_ScopeSubgroup, rightRows, rightColumns>
#define SumMatrix fcoopmatNV<32, gl_ScopeSubgroup, sumRows, sumColumns>
#define noSums SumMatrix(0.0)
#define FACTOR_BYTES 2
#endif

// What rows of factors consist of: 16 bytes where a product takes as many of a row, which drivers read at once.
#if TILE_K * FACTOR_BYTES >= 16
#define FactorWord uvec4
#define WORD_BYTES 16
#else
#define FactorWord uvec2
#define WORD_BYTES 8
#endif
#define WORD_FACTORS (WORD_BYTES / FACTOR_BYTES)

// Eight numbers of 16 bits, or four of 32.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = WORD_BYTES) buffer FactorWords { FactorWord at[]; };
// Four numbers of 16 bits.
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Pairs { uvec2 at; };

// The largest finite f16 stands for what is larger; NaN stays NaN.
float clampedToHalf(float value) {
    return isnan(value) ? value : clamp(value, -65504.0, 65504.0);
}

// A word of numbers as they lie in memory, bf16 or int8, as factors.
FactorWord asFactors(FactorWord narrow) {
#if defined(NARROW_FACTORS) || defined(INT8_FACTORS)
    return narrow;
#else
    uvec4 halves;
    [[unroll]] for (uint i = 0; i < 4; ++i)
        halves[i] = packHalf2x16(vec2(clampedToHalf(uintBitsToFloat(narrow[i] << 16)), clampedToHalf(uintBitsToFloat(narrow[i] & 0xffff0000u))));
    return halves;
#endif
}

// Two f32 numbers as bf16.
uint asNarrow(float low, float high) {
    return roundedToNarrow(low) | (roundedToNarrow(high) << 16);
}
