// SPDX-License-Identifier: GPL-3.0-or-later
// MESHREEL_BEGIN_AVX512, _AVX512_BF16 or _AMX … MESHREEL_END_ISA: the functions defined in between are
// compiled for more than the floor of the build. Whatever they use of others is included before, so that
// shared inline functions are not.
#pragma once

#define MESHREEL_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define MESHREEL_BEGIN_ISA(names) \
    MESHREEL_PRAGMA(clang attribute push(__attribute__((target(names))), apply_to = function))
#define MESHREEL_END_ISA _Pragma("clang attribute pop")
#else
#define MESHREEL_BEGIN_ISA(names) _Pragma("GCC push_options") MESHREEL_PRAGMA(GCC target(names))
#define MESHREEL_END_ISA _Pragma("GCC pop_options")
#endif

#define MESHREEL_BEGIN_AVX512 MESHREEL_BEGIN_ISA("avx512f,avx512bw,avx512dq,avx512vl")
#define MESHREEL_BEGIN_AVX512_BF16 MESHREEL_BEGIN_ISA("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")
#define MESHREEL_BEGIN_AMX \
    MESHREEL_BEGIN_ISA("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16")
