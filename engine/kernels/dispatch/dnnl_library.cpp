// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/dnnl_library.h"

#include <fmt/format.h>
#include <omp.h>

#include <cstring>

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

dnnl::memory::desc dnnlRows(std::int64_t rows, std::int64_t columns, dnnl::memory::data_type type) {
    return {{rows, columns}, type, dnnl::memory::format_tag::ab};
}

dnnl::memory dnnlMemory(const dnnl::memory::desc& desc, const void* data) {
    return {desc, dnnlEngine(), const_cast<void*>(data)};
}

std::string dnnlLayoutText(const dnnl::memory::desc& desc) {
    std::string text;
    const auto& blocking = desc.data.format_desc.blocking;
    for (int block = 0; block < blocking.inner_nblks; ++block)
        text += fmt::format("{}{}", blocking.inner_blks[block],
                            static_cast<char>('a' + static_cast<char>(blocking.inner_idxs[block])));
    return fmt::format("{} strides {},{} of {}x{}", text.empty() ? "plain" : text, blocking.strides[0],
                       blocking.strides[1], desc.data.dims[0], desc.data.dims[1]);
}

void packDnnlWeights(const void* weight, std::int64_t out, std::int64_t in, const dnnl::memory::desc& desc,
                     void* packed) {
    const auto type = desc.data_type();
    const std::int64_t paddedIn = desc.dims()[0];
    const std::size_t rowBytes = static_cast<std::size_t>(in) * dnnl::memory::data_type_size(type);
    const std::size_t paddedBytes = static_cast<std::size_t>(paddedIn) * dnnl::memory::data_type_size(type);
    Tensor padded;
    if (paddedIn != in) {
        padded = Tensor::zeros({out, static_cast<std::int64_t>(paddedBytes)}, DType::U8);
        for (std::int64_t row = 0; row < out; ++row)
            std::memcpy(padded.raw() + static_cast<std::size_t>(row) * paddedBytes,
                        static_cast<const std::byte*>(weight) + static_cast<std::size_t>(row) * rowBytes,
                        rowBytes);
    }
    const dnnl::memory::desc from({paddedIn, out}, type, dnnl::memory::format_tag::ba);
    dnnl::memory source = dnnlMemory(from, paddedIn == in ? weight : padded.raw());
    dnnl::memory destination = dnnlMemory(desc, packed);
    dnnl::reorder(source, destination).execute(dnnlStream(), source, destination);
    dnnlStream().wait();
}

}  // namespace meshreel
