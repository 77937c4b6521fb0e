// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/blas_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

namespace {

constexpr const char* libraryName = "libopenblas.so.0";
constexpr const char* installHint = "Install the package libopenblas0-pthread";

constexpr const char* coreTypeVariable = "OPENBLAS_CORETYPE";
constexpr const char* avx2Core = "Haswell";

// OpenBLAS's name of the widest single-precision kernels that this CPU runs.
const char* coreType() {
    const CpuFeatures& cpu = offeredCpuFeatures();
    const bool skylakeX = cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl;
    return skylakeX ? "SkylakeX" : avx2Core;
}

// Before main, because setenv is not safe beside another thread's getenv.
[[maybe_unused]] const int coreTypeChosen = ::setenv(coreTypeVariable, coreType(), 0);

template <typename Function>
Function symbol(void* library, const char* name) {
    void* found = ::dlsym(library, name);
    if (found == nullptr)
        throw Error(ErrorKind::Internal, fmt::format("OpenBLAS lacks {}", name), libraryName, installHint);
    return reinterpret_cast<Function>(found);
}

BlasLibrary load() {
    void* library = ::dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw Error(ErrorKind::Internal, fmt::format("OpenBLAS cannot be loaded: {}", ::dlerror()),
                    libraryName, installHint);
    symbol<decltype(&openblas_set_num_threads)>(library, "openblas_set_num_threads")(1);
    return {.sgemm = symbol<decltype(&cblas_sgemm)>(library, "cblas_sgemm"),
            .dgemm = symbol<decltype(&cblas_dgemm)>(library, "cblas_dgemm"),
            .config = symbol<decltype(&openblas_get_config)>(library, "openblas_get_config"),
            .coreName = symbol<decltype(&openblas_get_corename)>(library, "openblas_get_corename")};
}

}  // namespace

const BlasLibrary& blasLibrary() {
    static const BlasLibrary library = load();
    return library;
}

void chooseAvx2Blas() {
    ::setenv(coreTypeVariable, avx2Core, 1);
}

}  // namespace meshreel
