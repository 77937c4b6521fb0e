// SPDX-License-Identifier: GPL-3.0-or-later
// How kernels read and write numbers: a tensor is an address, its elements are f32 or bf16, sums are f32.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Narrow { uint16_t at[]; };

// Of a row, in 64 bits: matrices of more than 4 GiB are ordinary.
uint64_t rowAddress(uint64_t start, uint row, uint stride, bool isNarrow) {
    return start + uint64_t(row) * uint64_t(stride) * uint64_t(isNarrow ? 2u : 4u);
}

float readNumber(uint64_t row, uint column, bool isNarrow) {
    if (isNarrow)
        return uintBitsToFloat(uint(Narrow(row).at[column]) << 16);
    return Floats(row).at[column];
}

// To the nearest, ties to even; NaN stays NaN.
uint roundedToNarrow(float value) {
    const uint bits = floatBitsToUint(value);
    if (isnan(value))
        return (bits >> 16) | 0x40u;
    return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

void writeNumber(uint64_t row, uint column, bool isNarrow, float value) {
    if (isNarrow)
        Narrow(row).at[column] = uint16_t(roundedToNarrow(value));
    else
        Floats(row).at[column] = value;
}
