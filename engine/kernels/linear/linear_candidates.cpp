// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/linear_candidates.h"

#include <algorithm>
#include <array>

#include "engine/kernels/linear/dnnl_linear.h"
#include "engine/kernels/linear/tile_linear.h"

namespace meshreel {
namespace {

// What multiplies for the others.
constexpr std::string_view oneDnn = "oneDNN";
constexpr std::string_view ownKernels = "Meshreel";

Tensor toBf16(const Tensor& weight) {
    if (weight.dtype() == DType::BF16)
        return weight;
    const Tensor values = weight.toF32();
    Tensor result = Tensor::empty(weight.shape(), DType::BF16);
    convert(std::span<const float>(values.data<float>()), result.data<BFloat16>());
    return result;
}

std::unique_ptr<LinearKernel> packF32(const Tensor& weight, Tensor bias) {
    return makeF32Linear(weight.toF32(), std::move(bias));
}

std::unique_ptr<LinearKernel> packDnnlBf16(const Tensor& weight, Tensor bias) {
    return makeDnnlLinear(toBf16(weight), std::move(bias));
}

std::unique_ptr<LinearKernel> streamDnnlBf16(const Tensor& weight, Tensor bias) {
    return makeDnnlStreamedLinear(toBf16(weight), std::move(bias));
}

std::unique_ptr<LinearKernel> packAmxBf16(const Tensor& weight, Tensor bias) {
    return makeTileLinear(amxBf16Product, toBf16(weight), std::move(bias));
}

std::unique_ptr<LinearKernel> streamAmxBf16(const Tensor& weight, Tensor bias) {
    return makeStreamedTileLinear(amxBf16Product, toBf16(weight), std::move(bias));
}

std::unique_ptr<LinearKernel> amxBf16FromParts(const PackedForm& form) {
    return tileLinearFromParts(amxBf16Product, form);
}

std::unique_ptr<LinearKernel> packUnpackedBf16(const Tensor& weight, Tensor bias) {
    return makeUnpackedBf16Linear(toBf16(weight), std::move(bias));
}

std::unique_ptr<LinearKernel> packDnnlInt8(const Tensor& weight, Tensor bias) {
    return makeDnnlInt8Linear(roundToInt8(weight), std::move(bias));
}

std::unique_ptr<LinearKernel> packAmxInt8(const Tensor& weight, Tensor bias) {
    return makeTileInt8Linear(amxInt8Product, roundToInt8(weight), std::move(bias));
}

std::unique_ptr<LinearKernel> amxInt8FromParts(const PackedForm& form) {
    return tileInt8LinearFromParts(amxInt8Product, form);
}

std::unique_ptr<LinearKernel> packUnpackedInt8(const Tensor& weight, Tensor bias) {
    return makeUnpackedInt8Linear(roundToInt8(weight), std::move(bias));
}

std::string f32Format(std::int64_t, std::int64_t) {
    return std::string(f32RowsFormat);
}

std::string bf16Format(std::int64_t, std::int64_t) {
    return std::string(bf16RowsFormat);
}

std::string int8Format(std::int64_t, std::int64_t) {
    return std::string(int8RowsFormat);
}

std::string amxBf16Format(std::int64_t, std::int64_t) {
    return std::string(tilesFormat);
}

std::string amxInt8Format(std::int64_t, std::int64_t) {
    return std::string(int8TilesFormat);
}

std::string dnnlBf16Format(std::int64_t out, std::int64_t in) {
    return dnnlLinearFormat(out, in, DType::BF16);
}

using enum Arithmetic;
using Cpu = CpuFeatures;

// Measured on a Cascade Lake CPU, in GFLOP/s of one core: bf16 unpacked to f32 for OpenBLAS 105, oneDNN's
// emulation of bf16 25; int8 by oneDNN on VNNI 430.
constexpr WeightBlock dnnlBf16Block{.outputs = 64, .inputs = 32};  // of its layout

const std::array f32Candidates{
    LinearCandidate{.kernel = {.name = "OpenBLAS, AVX-512",
                               .needs = {&Cpu::avx512f, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl}},
                    .library = openBlas,
                    .pack = packF32,
                    .stream = packF32,
                    .fromParts = f32LinearFromParts,
                    .format = f32Format,
                    .sharesWeight = true},
    LinearCandidate{.kernel = {.name = "OpenBLAS, AVX2", .needs = {&Cpu::avx2, &Cpu::fma}},
                    .library = openBlas,
                    .pack = packF32,
                    .stream = packF32,
                    .fromParts = f32LinearFromParts,
                    .format = f32Format,
                    .sharesWeight = true},
};

constexpr WeightBlock tileBlock{.outputs = tileStep, .inputs = tileStep};

const std::array bf16Candidates{
    LinearCandidate{
        .kernel = {.name = "own AMX tiles",
                   .needs = {&Cpu::amxTile, &Cpu::amxBf16, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl}},
        .library = ownKernels,
        .pack = packAmxBf16,
        .stream = streamAmxBf16,
        .fromParts = amxBf16FromParts,
        .format = amxBf16Format,
        .block = tileBlock},
    LinearCandidate{.kernel = {.name = "oneDNN, AMX tiles", .needs = {&Cpu::amxTile, &Cpu::amxBf16}},
                    .library = oneDnn,
                    .pack = packDnnlBf16,
                    .stream = streamDnnlBf16,
                    .fromParts = dnnlLinearFromParts,
                    .format = dnnlBf16Format,
                    .block = dnnlBf16Block},
    LinearCandidate{.kernel = {.name = "oneDNN, AVX512-BF16", .needs = {&Cpu::avx512Bf16}},
                    .library = oneDnn,
                    .pack = packDnnlBf16,
                    .stream = streamDnnlBf16,
                    .fromParts = dnnlLinearFromParts,
                    .format = dnnlBf16Format,
                    .block = dnnlBf16Block},
    LinearCandidate{.kernel = {.name = "unpacked to f32 for OpenBLAS, AVX-512",
                               .needs = {&Cpu::avx512f, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl}},
                    .library = openBlas,
                    .pack = packUnpackedBf16,
                    .stream = packUnpackedBf16,
                    .fromParts = unpackedBf16LinearFromParts,
                    .format = bf16Format,
                    .sharesWeight = true},
    LinearCandidate{
        .kernel = {.name = "unpacked to f32 for OpenBLAS, AVX2", .needs = {&Cpu::avx2, &Cpu::fma}},
        .library = openBlas,
        .pack = packUnpackedBf16,
        .stream = packUnpackedBf16,
        .fromParts = unpackedBf16LinearFromParts,
        .format = bf16Format,
        .sharesWeight = true},
};

const std::array int8Candidates{
    LinearCandidate{
        .kernel = {.name = "own AMX tiles",
                   .needs = {&Cpu::amxTile, &Cpu::amxInt8, &Cpu::avx512bw, &Cpu::avx512dq, &Cpu::avx512vl}},
        .library = ownKernels,
        .pack = packAmxInt8,
        .stream = packAmxInt8,
        .fromParts = amxInt8FromParts,
        .format = amxInt8Format,
        .block = {.outputs = tileStep, .inputs = tileRowBytes}},
    LinearCandidate{.kernel = {.name = "oneDNN, AMX tiles", .needs = {&Cpu::amxTile, &Cpu::amxInt8}},
                    .library = oneDnn,
                    .pack = packDnnlInt8,
                    .stream = packDnnlInt8,
                    .fromParts = dnnlInt8LinearFromParts,
                    .format = dnnlInt8LinearFormat},
    LinearCandidate{.kernel = {.name = "oneDNN, AVX512-VNNI", .needs = {&Cpu::avx512f, &Cpu::avx512Vnni}},
                    .library = oneDnn,
                    .pack = packDnnlInt8,
                    .stream = packDnnlInt8,
                    .fromParts = dnnlInt8LinearFromParts,
                    .format = dnnlInt8LinearFormat},
    // Without VNNI the products of bytes saturate at 16 bits.
    LinearCandidate{.kernel = {.name = "unpacked to f32 for OpenBLAS", .needs = {&Cpu::avx2, &Cpu::fma}},
                    .library = openBlas,
                    .pack = packUnpackedInt8,
                    .stream = packUnpackedInt8,
                    .fromParts = unpackedInt8LinearFromParts,
                    .format = int8Format},
};

}  // namespace

std::span<const LinearCandidate> linearCandidates(Arithmetic arithmetic) {
    switch (arithmetic) {
        case F32:
            return f32Candidates;
        case BF16:
            return bf16Candidates;
        case Int8:
            return int8Candidates;
    }
    return {};
}

const LinearCandidate& linearCandidate(Arithmetic arithmetic) {
    const auto candidates = linearCandidates(arithmetic);
    const auto taken = std::ranges::find_if(
        candidates, [](const LinearCandidate& candidate) { return whyRejected(candidate.kernel).empty(); });
    return taken != candidates.end() ? *taken : candidates.back();
}

const LinearCandidate& libraryCandidate(Arithmetic arithmetic) {
    const auto candidates = linearCandidates(arithmetic);
    const auto taken = std::ranges::find_if(candidates, [](const LinearCandidate& candidate) {
        return candidate.library != ownKernels && whyRejected(candidate.kernel).empty();
    });
    return taken != candidates.end() ? *taken : candidates.back();
}

}  // namespace meshreel
