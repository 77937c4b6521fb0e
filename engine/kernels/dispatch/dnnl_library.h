// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <dnnl.hpp>
#include <optional>
#include <span>
#include <string>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// oneDNN's CPU engine. At the first call the library is limited to the instructions in cpuFeatures().
const dnnl::engine& dnnlEngine();

/// Returns the calling thread's stream. Its primitives run on that thread alone: threads come from Execution.
dnnl::stream& dnnlStream();

/// "oneDNN 2.6.3".
std::string dnnlVersion();

/// [rows, columns], side by side.
dnnl::memory::desc dnnlRows(std::int64_t rows, std::int64_t columns, dnnl::memory::data_type type);

/// Memory that a primitive reads or writes as `argument` (DNNL_ARG_SRC, ...).
struct DnnlOperand {
    int argument;
    const dnnl::memory::desc& layout;
    const void* data;
};

/// Runs a primitive of up to six operands on the calling thread, to its end.
void runDnnl(const dnnl::primitive& primitive, std::span<const DnnlOperand> operands);

/// destination = source · weights, or that + bias, with scratch memory that its caller gives. oneDNN 2 and 3
/// write it differently. Throws dnnl::error when the library has no such product.
struct DnnlProduct {
    dnnl::memory::desc source, weights, destination;
    std::optional<dnnl::memory::desc> bias = {};
    dnnl::post_ops after = {};
};
dnnl::matmul::primitive_desc planDnnlProduct(const DnnlProduct& product);

/// The function of `kind` as the next of `after`; a swish has α = 1: x / (1 + e^-x).
void appendDnnlActivation(dnnl::post_ops& after, dnnl::algorithm kind);

/// Returns the blocks of `desc` in words: "16a64b2a 1536x8960".
std::string dnnlLayoutText(const dnnl::memory::desc& desc);

/// weight [out, in] of desc's type, side by side, reordered into `packed`, which has room for `desc` =
/// [in or more, out]; the rows of zeros that `desc` has more are added.
void packDnnlWeights(const void* weight, std::int64_t out, std::int64_t in, const dnnl::memory::desc& desc,
                     void* packed);

}  // namespace meshreel
