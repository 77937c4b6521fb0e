// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/dnnl_library.h"

#include <fmt/format.h>
#include <omp.h>

#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

namespace {

dnnl::cpu_isa widestAllowed() {
    const CpuFeatures& cpu = cpuFeatures();
    if (cpu.amxTile)
        return dnnl::cpu_isa::avx512_core_amx;
    if (cpu.avx512Bf16)
        return dnnl::cpu_isa::avx512_core_bf16;
    if (cpu.avx512f && cpu.avx512Vnni)
        return dnnl::cpu_isa::avx512_core_vnni;
    return cpu.avx512f ? dnnl::cpu_isa::avx512_core : dnnl::cpu_isa::avx2;
}

dnnl::engine makeEngine() {
    dnnl::set_max_cpu_isa(widestAllowed());
    return {dnnl::engine::kind::cpu, 0};
}

// OpenMP's team size belongs to the thread that sets it.
dnnl::stream makeStream() {
    omp_set_num_threads(1);
    return dnnl::stream(dnnlEngine());
}

}  // namespace

const dnnl::engine& dnnlEngine() {
    static const dnnl::engine engine = makeEngine();
    return engine;
}

dnnl::stream& dnnlStream() {
    thread_local dnnl::stream stream = makeStream();
    return stream;
}

std::string dnnlVersion() {
    const dnnl::version_t* version = dnnl::version();
    return fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
}

}  // namespace meshreel
