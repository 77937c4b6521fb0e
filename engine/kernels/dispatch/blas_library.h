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
/// loaded, Error{Resources} when there is no address space for it.
const BlasLibrary& blasLibrary();

/// The right to one call of a product, while it lives. OpenBLAS maps a buffer of 128 MiB for each of the
/// calls that run at the same time, keeps it for later ones, and where the system refuses asks again for
/// ever. So nobody calls it without a buffer that is there, or for which there was room just now; where room
/// is short, calls wait for each other.
class BlasCall {
  public:
    /// Throws Error{Resources} when there is no room for a single buffer.
    BlasCall();
    ~BlasCall();
    BlasCall(const BlasCall&) = delete;
    BlasCall& operator=(const BlasCall&) = delete;

    const BlasLibrary* operator->() const { return &blasLibrary(); }

  private:
    bool m_mapsBuffer = false;  // the first call with its buffer
};

/// Lets OpenBLAS use its AVX2 kernels, whatever the CPU and the user's setting. Before threads are started.
void chooseAvx2Blas();

}  // namespace meshreel
