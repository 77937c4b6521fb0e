// SPDX-License-Identifier: GPL-3.0-or-later
// MESHREEL_BEGIN_AVX512 … MESHREEL_END_ISA: the functions defined in between are compiled for more than the
// floor of the build. Whatever they include is included before, so that shared inline functions are not.
#pragma once

#if defined(__clang__)
#define MESHREEL_BEGIN_AVX512 \
    _Pragma(                  \
        "clang attribute push(__attribute__((target(\"avx512f,avx512bw,avx512dq,avx512vl\"))), \
            apply_to = function)")
#define MESHREEL_END_ISA _Pragma("clang attribute pop")
#else
#define MESHREEL_BEGIN_AVX512 \
    _Pragma("GCC push_options") _Pragma("GCC target(\"avx512f,avx512bw,avx512dq,avx512vl\")")
#define MESHREEL_END_ISA _Pragma("GCC pop_options")
#endif
