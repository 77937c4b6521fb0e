// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cblas.h>

namespace meshreel {

/// The functions of OpenBLAS that Meshreel calls. The library is loaded at the first call, not linked: it
/// chooses its kernels while it loads, and the version in Debian 12 knows CPUs by model number, so that on
/// one newer than itself it falls back to SSE3 kernels, five times slower. Loading it later lets Meshreel
/// choose them by CPUID's feature bits, through OPENBLAS_CORETYPE (which a user's own setting overrules).
struct BlasLibrary {
    decltype(&cblas_sgemm) sgemm = nullptr;
    decltype(&cblas_dgemm) dgemm = nullptr;
    decltype(&openblas_get_config) config = nullptr;
    decltype(&openblas_get_corename) coreName = nullptr;
};

/// With a team of one: threads come from Execution alone. Throws Error{Internal} when the library cannot be
/// loaded.
const BlasLibrary& blasLibrary();

/// Lets OpenBLAS use its AVX2 kernels, whatever the CPU and the user's setting. Before threads are started.
void chooseAvx2Blas();

}  // namespace meshreel
