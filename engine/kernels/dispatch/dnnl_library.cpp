// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/dnnl_library.h"

#include <fmt/format.h>
#include <omp.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

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

namespace {

dnnl::memory dnnlMemory(const dnnl::memory::desc& desc, const void* data) {
    return {desc, dnnlEngine(), const_cast<void*>(data)};
}

}  // namespace

// The C++ interface takes a map, and makes a list of it.
void runDnnl(const dnnl::primitive& primitive, std::span<const DnnlOperand> operands) {
    constexpr std::size_t most = 6;
    std::array<dnnl::memory, most> memories;
    std::array<dnnl_exec_arg_t, most> arguments{};
    for (std::size_t index = 0; index < operands.size(); ++index) {
        memories.at(index) = dnnlMemory(operands[index].layout, operands[index].data);
        arguments.at(index) = {operands[index].argument, memories.at(index).get()};
    }
    const dnnl_status_t status = dnnl_primitive_execute(primitive.get(), dnnlStream().get(),
                                                        static_cast<int>(operands.size()), arguments.data());
    if (status != dnnl_success)
        throw dnnl::error(status, "could not execute a primitive");
    dnnlStream().wait();
}

dnnl::matmul::primitive_desc planDnnlProduct(const DnnlProduct& product) {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    attributes.set_post_ops(product.after);
#if DNNL_VERSION_MAJOR < 3
    const auto description =
        product.bias ? dnnl::matmul::desc(product.source, product.weights, *product.bias, product.destination)
                     : dnnl::matmul::desc(product.source, product.weights, product.destination);
    return {description, attributes, dnnlEngine()};
#else
    if (product.bias)
        return {dnnlEngine(),  product.source,      product.weights,
                *product.bias, product.destination, attributes};
    return {dnnlEngine(), product.source, product.weights, product.destination, attributes};
#endif
}

void appendDnnlActivation(dnnl::post_ops& after, dnnl::algorithm kind) {
#if DNNL_VERSION_MAJOR < 3
    after.append_eltwise(1.0F, kind, 1.0F, 0.0F);
#else
    after.append_eltwise(kind, 1.0F, 0.0F);
#endif
}

namespace {

/// A matrix as oneDNN lays it out.
struct DnnlLayout {
    std::vector<dnnl_dim_t> blocks, axes;  ///< for each block: its size, and the dimension that it divides
    std::vector<dnnl_dim_t> strides, sizes;
    dnnl::memory::data_type type;
};

DnnlLayout layoutOf(const dnnl::memory::desc& desc) {
#if DNNL_VERSION_MAJOR < 3
    const auto& blocking = desc.data.format_desc.blocking;
    const auto count = [](const auto* values, int number) {
        return std::vector<dnnl_dim_t>(values, values + number);
    };
    return {.blocks = count(blocking.inner_blks, blocking.inner_nblks),
            .axes = count(blocking.inner_idxs, blocking.inner_nblks),
            .strides = count(blocking.strides, desc.data.ndims),
            .sizes = desc.dims(),
            .type = desc.data_type()};
#else
    return {.blocks = desc.get_inner_blks(),
            .axes = desc.get_inner_idxs(),
            .strides = desc.get_strides(),
            .sizes = desc.get_dims(),
            .type = desc.get_data_type()};
#endif
}

}  // namespace

std::string dnnlLayoutText(const dnnl::memory::desc& desc) {
    const DnnlLayout layout = layoutOf(desc);
    std::string text;
    for (std::size_t block = 0; block < layout.blocks.size(); ++block)
        text += fmt::format("{}{}", layout.blocks[block], static_cast<char>('a' + layout.axes[block]));
    return fmt::format("{} strides {},{} of {}x{}", text.empty() ? "plain" : text, layout.strides[0],
                       layout.strides[1], layout.sizes[0], layout.sizes[1]);
}

void packDnnlWeights(const void* weight, std::int64_t out, std::int64_t in, const dnnl::memory::desc& desc,
                     void* packed) {
    const DnnlLayout layout = layoutOf(desc);
    const auto type = layout.type;
    const std::int64_t paddedIn = layout.sizes[0];
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
