// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "engine/base/numbers.h"
#include "engine/base/record.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/gpu/shader_check.h"
#include "int8_dot_peak.spv.h"
#include "int8_scalar_peak.spv.h"
#include "matrix_int8_peak.variants.h"
#include "matrix_peak.variants.h"
#include "scalar_peak.spv.h"

namespace meshreel {
namespace {

/// Read by matrix_peak.comp, scalar_peak.comp and int8_peak.glsl.
struct PeakConstants {
    GpuAddress numbers;
    std::uint32_t rounds;
};

constexpr std::size_t peakFactorBytes = 8192;
constexpr std::size_t groupBytes = 4096;
constexpr double subgroupsOfGroup = 4;
constexpr double productsOfRound = 16;  // in a subgroup
constexpr std::uint32_t scalarThreads = 128;
constexpr double scalarSums = 16;  // in an invocation

/// A row of matrix_peak.table or matrix_int8_peak.table.
struct PeakRow {
    std::uint32_t tileM, tileN, tileK, subgroup;
    VariantWords words;
};

/// With four subgroups; with any size for units without matrices.
MatrixVariant peakVariant(const PeakRow& row) {
    return {.extents = {.m = row.tileM, .n = row.tileN, .k = row.tileK},
            .subgroup = row.subgroup,
            .threads = row.subgroup == 0 ? scalarThreads
                                         : static_cast<std::uint32_t>(subgroupsOfGroup) * row.subgroup,
            .block = fmt::format("{}x{}x{}", row.tileM, row.tileN, row.tileK),
            .words = row.words};
}

double checkPeak(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

/// A variant with its shaders.
struct PeakVariant {
    MatrixVariant variant;
    VariantShaders shaders;

    explicit PeakVariant(const PeakRow& row)
        : variant(peakVariant(row)), shaders("matrix_peak", variant, sizeof(PeakConstants), checkPeak) {}
};

const std::vector<PeakVariant>& peakTable() {
    static const std::vector<PeakVariant> table = [] {
        std::vector<PeakVariant> all;
        for (const auto& row :
             std::to_array<PeakRow>({MESHREEL_MATRIX_PEAK_VARIANTS MESHREEL_MATRIX_INT8_PEAK_VARIANTS}))
            all.emplace_back(row);
        // Products of four bytes at once, which invocations of any subgroup make.
        all.emplace_back(PeakRow{.tileM = 1,
                                 .tileN = 1,
                                 .tileK = 4,
                                 .subgroup = 0,
                                 .words = {{{}, {}, {}, {}, int8_dot_peak_spirv}}});
        return all;
    }();
    return table;
}

const std::vector<MatrixVariant>& peakVariants() {
    static const std::vector<MatrixVariant> variants =
        selectVariants(peakTable(), [](const PeakVariant&) { return true; });
    return variants;
}

const GpuShader scalarPeakShader{.name = "scalar_peak",
                                 .words = scalar_peak_spirv,
                                 .constants = sizeof(PeakConstants),
                                 .check = checkPeak};
const GpuShader int8ScalarPeakShader{.name = "int8_scalar_peak",
                                     .words = int8_scalar_peak_spirv,
                                     .constants = sizeof(PeakConstants),
                                     .check = checkPeak};

/// With memory as peakMemory() sets it up, or within the host's reach.
void dispatchPeak(GpuStream& stream, const GpuProgram& program, const GpuBuffer& memory, std::uint32_t rounds,
                  double work) {
    const PeakConstants constants{.numbers = memory.address(), .rounds = rounds};
    stream.dispatch(program, constantBytes(constants), {.x = peakGroups}, work);
}

/// One round of the shader with zeros as factors: the sum that it writes first is 0, f32 or int32.
double checkPeak(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const GpuBuffer memory(pipelines.gpu(), peakFactorBytes + peakGroups * groupBytes, GpuPlace::Host);
    std::ranges::fill(memory.mapped(), std::byte{0xff});
    std::ranges::fill(memory.mapped().first(peakFactorBytes), std::byte{0});
    dispatchPeak(stream, pipelines.program(shader), memory, 1, 1.0);
    stream.finish();
    std::uint32_t found = 1;
    std::memcpy(&found, memory.mapped().data() + peakFactorBytes, sizeof found);
    constexpr double refused = 2.0;
    return found == 0 ? 0.0 : refused;
}

const GpuShader& peakShader(const GpuPeak& peak) {
    if (peak.form != MatrixForm::Scalar)
        return peakTable()[peak.variant].shaders.in(peak.form);
    return peak.ofInt8 ? int8ScalarPeakShader : scalarPeakShader;
}

/// In a group.
double operationsOfRound(const GpuPeak& peak) {
    constexpr double ofMultiplyAdd = 2;
    if (peak.form == MatrixForm::Scalar)
        return scalarThreads * scalarSums * ofMultiplyAdd;
    const MatrixExtents& extents = peakVariants().at(peak.variant).extents;
    const double ofProduct = ofMultiplyAdd * real(extents.m * extents.n * extents.k);
    return peak.form == MatrixForm::Int8Dot ? scalarThreads * scalarSums * ofProduct
                                            : subgroupsOfGroup * productsOfRound * ofProduct;
}

}  // namespace

std::string GpuPeak::name() const {
    if (form == MatrixForm::Scalar)
        return ofInt8 ? "int8_scalar" : "scalar";
    return fmt::format("{}.{}", enumName(form), extents);
}

std::vector<GpuPeak> peaksOn(const Gpu& gpu) {
    std::vector<GpuPeak> peaks{{.ofInt8 = true}};
    for (const GpuCandidate& candidate : candidatesOn(gpu.matrices(), {}, peakVariants()))
        peaks.push_back({.form = candidate.form,
                         .ofInt8 = takesInt8(candidate.form),
                         .extents = std::string(candidate.block()),
                         .variant = candidate.variant == nullptr ? 0 : candidate.variant->row});
    return peaks;
}

GpuBuffer peakMemory(const Gpu& gpu) {
    return {gpu, peakFactorBytes + peakGroups * groupBytes, GpuPlace::Device};
}

double recordPeak(GpuPipelines& pipelines, GpuStream& stream, const GpuPeak& peak, const GpuBuffer& memory,
                  std::uint32_t rounds) {
    const double work = operationsOfRound(peak) * real(peakGroups) * real(rounds);
    dispatchPeak(stream, pipelines.program(peakShader(peak)), memory, rounds, work);
    return work;
}

}  // namespace meshreel
