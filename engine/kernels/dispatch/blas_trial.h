// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cblas.h>

#include <string>

namespace meshreel {

/// The products of a loaded OpenBLAS.
struct BlasProducts {
    decltype(&cblas_sgemm) sgemm = nullptr;
    decltype(&cblas_dgemm) dgemm = nullptr;
};

/// Returns why OpenBLAS's products are wrong, by comparing small products of each kind that we use with our
/// own loops to the bit: the matrices hold integers whose sums every order of adding makes exactly. Empty
/// when all are right; else "it computes a·bᵀ of 45x515x45 in f32 wrong (12 of 2025 values)" or "it crashes
/// (Illegal instruction)". After a crash the library is in the middle of a call: it can only be unloaded.
std::string whyWrong(const BlasProducts& products);

}  // namespace meshreel
