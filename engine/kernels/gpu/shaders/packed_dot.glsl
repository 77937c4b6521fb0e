// SPDX-License-Identifier: GPL-3.0-or-later
// OpSDotKHR with its capabilities, DotProductKHR and DotProductInput4x8BitPackedKHR: glslang of Debian 12 knows no function for it.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int packedDot(int a, int b, spirv_literal uint format);
