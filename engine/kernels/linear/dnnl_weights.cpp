// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/dnnl_weights.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/kernels/dispatch/dnnl_library.h"

namespace meshreel {

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
