// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/linear_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "engine/base/number_types.h"
#include "engine/kernels/dispatch/blas_library.h"
#include "engine/kernels/linear/dnnl_linear.h"
#include "engine/kernels/linear/dnnl_trial.h"
#include "engine/kernels/linear/int8_rounding.h"
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

std::unique_ptr<HostLinear> packF32(const Tensor& weight, Tensor bias) {
    return makeF32Linear(weight.toF32(), std::move(bias));
}

std::unique_ptr<HostLinear> packDnnlBf16(const Tensor& weight, Tensor bias) {
    return makeDnnlLinear(toBf16(weight), std::move(bias));
}

std::unique_ptr<HostLinear> streamDnnlBf16(const Tensor& weight, Tensor bias) {
    return makeDnnlStreamedLinear(toBf16(weight), std::move(bias));
}

std::unique_ptr<HostLinear> packAmxBf16(const Tensor& weight, Tensor bias) {
    return makeTileLinear(amxBf16Product, toBf16(weight), std::move(bias));
}

std::unique_ptr<HostLinear> streamAmxBf16(const Tensor& weight, Tensor bias) {
    return makeStreamedTileLinear(amxBf16Product, toBf16(weight), std::move(bias));
}

std::unique_ptr<HostLinear> amxBf16FromParts(const PackedForm& form) {
    return tileLinearFromParts(amxBf16Product, form);
}

std::unique_ptr<HostLinear> packUnpackedBf16(const Tensor& weight, Tensor bias) {
    return makeUnpackedBf16Linear(toBf16(weight), std::move(bias));
}

std::unique_ptr<HostLinear> packDnnlInt8(const Tensor& weight, Tensor bias) {
    return makeDnnlInt8Linear(roundToInt8(weight), std::move(bias));
}

std::unique_ptr<HostLinear> packAmxInt8(const Tensor& weight, Tensor bias) {
    return makeTileInt8Linear(amxInt8Product, roundToInt8(weight), std::move(bias));
}

std::unique_ptr<HostLinear> amxInt8FromParts(const PackedForm& form) {
    return tileInt8LinearFromParts(amxInt8Product, form);
}

std::unique_ptr<HostLinear> packUnpackedInt8(const Tensor& weight, Tensor bias) {
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

constexpr WeightBlock tileBlock{.outputs = tileStep, .inputs = tileStep};

const std::array ownBf16Candidates{
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
};

const std::array ownInt8Candidates{
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
    // Without VNNI the products of bytes saturate at 16 bits.
    LinearCandidate{.kernel = {.name = "oneDNN, AVX512-VNNI", .needs = {&Cpu::avx512f, &Cpu::avx512Vnni}},
                    .library = oneDnn,
                    .pack = packDnnlInt8,
                    .stream = packDnnlInt8,
                    .fromParts = dnnlInt8LinearFromParts,
                    .format = dnnlInt8LinearFormat},
};

// What computes everything, by f32 products.

const LinearCandidate f32ByBlas{.kernel = {},
                                .library = openBlas,
                                .pack = packF32,
                                .stream = packF32,
                                .fromParts = f32LinearFromParts,
                                .format = f32Format,
                                .sharesWeight = true};

const LinearCandidate bf16ByBlas{.kernel = {},
                                 .library = openBlas,
                                 .pack = packUnpackedBf16,
                                 .stream = packUnpackedBf16,
                                 .fromParts = unpackedBf16LinearFromParts,
                                 .format = bf16Format,
                                 .sharesWeight = true};

const LinearCandidate int8ByBlas{.kernel = {},
                                 .library = openBlas,
                                 .pack = packUnpackedInt8,
                                 .stream = packUnpackedInt8,
                                 .fromParts = unpackedInt8LinearFromParts,
                                 .format = int8Format};

/// The candidates of an arithmetic in this process: without the library that computes wrong here, and with
/// the cores of OpenBLAS by their own names.
class CandidateTable {
  public:
    CandidateTable(Arithmetic arithmetic, std::span<const LinearCandidate> better,
                   const LinearCandidate& byBlas)
        : m_candidates(better.begin(), better.end()) {
        tryDnnl(arithmetic);
        const std::string_view how = arithmetic == F32 ? "" : "unpacked to f32 for ";
        for (const BlasCore& core : blasLibrary().cores)
            add(byBlas, fmt::format("{}OpenBLAS, core {}", how, core.name), core.whyNot);
        add(byBlas, fmt::format("{}own loops", how), {});
    }

    [[nodiscard]] std::span<const LinearCandidate> candidates() const { return m_candidates; }

  private:
    /// oneDNN takes the widest instructions of the process for all of them.
    void tryDnnl(Arithmetic arithmetic) {
        const auto needsTrial = [](const LinearCandidate& candidate) {
            return candidate.library == oneDnn && whyRejected(candidate.kernel).empty();
        };
        if (std::ranges::none_of(m_candidates, needsTrial))
            return;
        const std::string_view why = m_texts.emplace_back(whyDnnlIsWrong(arithmetic));
        for (LinearCandidate& candidate : m_candidates)
            if (needsTrial(candidate))
                candidate.kernel.refused = why;
    }

    void add(const LinearCandidate& like, std::string name, std::string_view refused) {
        LinearCandidate& added = m_candidates.emplace_back(like);
        added.kernel.name = m_texts.emplace_back(std::move(name));
        added.kernel.refused = refused;
    }

    // What the candidates' views show.
    std::deque<std::string> m_texts;
    std::vector<LinearCandidate> m_candidates;
};

}  // namespace

std::span<const LinearCandidate> linearCandidates(Arithmetic arithmetic) {
    // Each when it is asked for: a run in f32 does not try oneDNN.
    switch (arithmetic) {
        case F32: {
            static const CandidateTable table(F32, {}, f32ByBlas);
            return table.candidates();
        }
        case BF16: {
            static const CandidateTable table(BF16, ownBf16Candidates, bf16ByBlas);
            return table.candidates();
        }
        case Int8: {
            static const CandidateTable table(Int8, ownInt8Candidates, int8ByBlas);
            return table.candidates();
        }
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

LibraryRemarks libraryRemarks(std::initializer_list<Arithmetic> used) {
    LibraryRemarks remarks{.notes = blasLibrary().notes, .refusals = blasLibrary().refusals};
    for (const Arithmetic arithmetic : used) {
        const auto candidates = linearCandidates(arithmetic);
        const auto refused = std::ranges::find_if(candidates, [](const LinearCandidate& candidate) {
            return candidate.library == oneDnn && !candidate.kernel.refused.empty();
        });
        if (refused != candidates.end())
            remarks.refusals.push_back(sentence(
                "oneDNN does not multiply in {}: {}. In its place: {}, which is slower. Install another "
                "version of oneDNN",
                nameOf(arithmetic), refused->kernel.refused, linearCandidate(arithmetic).kernel.name));
    }
    return remarks;
}

}  // namespace meshreel
