// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/kernels/dispatch/blas_trial.h"

namespace meshreel {

/// A core of OpenBLAS, its kernels for one family of CPUs, that was asked for.
struct BlasCore {
    std::string name;    ///< OpenBLAS's name: "SkylakeX"
    std::string whyNot;  ///< empty: it is taken
};

/// The products of OpenBLAS, which is loaded at the first call, not linked. It chooses its core while it
/// loads, and the version in Debian 12 identifies CPUs by model number, so that on one newer than itself it
/// falls back to SSE3 kernels, five times slower. Meshreel chooses by CPUID's feature bits
/// (preferredBlasCores()), unless the user sets blasCoreVariable. A core is tried before it is used
/// (blas_trial.h); one that computes wrong or crashes is replaced by the next narrower, and after the last of
/// them our own loops multiply.
struct BlasLibrary {
    BlasProducts products;
    std::string version;          ///< "OpenBLAS 0.3.21"
    std::string core;             ///< its own name; empty: our own loops
    std::vector<BlasCore> cores;  ///< up to the one taken, the widest first
    std::vector<Sentence> notes;  ///< about a core that the user's variable chose
    std::vector<Sentence> refusals;
    int mostBuffers = 0;  ///< buffers that OpenBLAS's tables have room for

    [[nodiscard]] bool isOwnLoops() const { return core.empty(); }
};

/// Loads it with a team of one: threads come from Execution alone. Throws Error{Internal} when the library
/// cannot be loaded, Error{Resources} when there is not enough address space.
const BlasLibrary& blasLibrary();

/// The right to one call of a product, while it lives. OpenBLAS maps a buffer of 128 MiB for each of the
/// calls that run at the same time, keeps it for later ones, and where the system refuses asks again for
/// ever. So nobody calls it without a buffer that is there, or for which there was room just now; where room
/// is short, calls wait for each other.
class BlasCall {
  public:
    /// Throws as blasLibrary() does, which maps the first buffer.
    BlasCall();
    ~BlasCall();
    BlasCall(const BlasCall&) = delete;
    BlasCall& operator=(const BlasCall&) = delete;

    const BlasProducts* operator->() const { return &blasLibrary().products; }

  private:
    bool m_takesBuffer;         // our own loops need none
    bool m_mapsBuffer = false;  // the first call with its buffer
};

}  // namespace meshreel
