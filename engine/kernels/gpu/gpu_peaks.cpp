// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/numbers.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/gpu/shader_check.h"
#include "matrix_peak.variants.h"
#include "scalar_peak.spv.h"

namespace meshreel {
namespace {

/// As matrix_peak.comp and scalar_peak.comp read them.
struct PeakConstants {
    GpuAddress numbers;
    std::uint32_t rounds;
};

constexpr std::size_t peakFactorBytes = 8192;
constexpr std::size_t groupBytes = 4096;
constexpr double subgroupsOfGroup = 4;
constexpr double productsOfRound = 16;  // of a subgroup
constexpr double scalarThreads = 128;
constexpr double scalarSums = 16;  // of an invocation

#define MESHREEL_MATRIX_PEAK(m, n, k, size, nv, khr, khrNarrow) \
    MatrixVariant{.extents = {m, n, k},                         \
                  .subgroup = size,                             \
                  .threads = 4 * (size),                        \
                  .block = fmt::format("{}x{}x{}", m, n, k),    \
                  .words = {nv, khr, khrNarrow}},

const std::vector<MatrixVariant>& peakVariants() {
    static const std::vector<MatrixVariant> variants = [] {
        std::vector<MatrixVariant> all{MESHREEL_MATRIX_PEAK_VARIANTS(MESHREEL_MATRIX_PEAK)};
        for (std::size_t place = 0; place < all.size(); ++place)
            all[place].place = place;
        return all;
    }();
    return variants;
}

/// One round of the shader, with the memory's zeros as factors: every number that it writes is known.
double checkPeak(GpuPipelines& pipelines, GpuStream& stream, const GpuPeak& peak) {
    const GpuBuffer memory(pipelines.gpu(), peakFactorBytes + peakGroups * groupBytes, GpuPlace::Host);
    std::ranges::fill(memory.mapped(), std::byte{0});
    static_cast<void>(recordPeak(pipelines, stream, peak, memory, 1));
    stream.finish();
    float found = 1;
    std::memcpy(&found, memory.mapped().data() + peakFactorBytes, sizeof found);
    return std::abs(static_cast<double>(found)) * 1e6;
}

const GpuProgram& peakProgram(GpuPipelines& pipelines, const GpuPeak& peak) {
    GpuShader shader{
        .name = "scalar_peak",
        .words = scalar_peak_spirv,
        .constants = sizeof(PeakConstants),
        .check = [peak](GpuPipelines& by, GpuStream& stream) { return checkPeak(by, stream, peak); }};
    if (peak.form != MatrixForm::Scalar) {
        const MatrixVariant& variant = peakVariants().at(peak.variant);
        const MatrixExtents& extents = variant.extents;
        shader.name = fmt::format("matrix_peak {} {}", enumName(peak.form), peak.extents);
        shader.words = variant.wordsOf(peak.form);
        shader.specialised = {extents.m, extents.k, extents.k, extents.n, extents.m, extents.n};
        shader.subgroup = variant.subgroup;
    }
    return pipelines.program(shader);
}

}  // namespace

std::vector<GpuPeak> peaksOn(const Gpu& gpu) {
    std::vector<GpuPeak> peaks;
    for (const GpuCandidate& candidate : candidatesOn(gpu.matrices(), {}, peakVariants()))
        peaks.push_back({.form = candidate.form,
                         .extents = std::string(candidate.block()),
                         .variant = candidate.variant == nullptr ? 0 : candidate.variant->place});
    return peaks;
}

GpuBuffer peakMemory(const Gpu& gpu) {
    return {gpu, peakFactorBytes + peakGroups * groupBytes, GpuPlace::Device};
}

double recordPeak(GpuPipelines& pipelines, GpuStream& stream, const GpuPeak& peak, const GpuBuffer& memory,
                  std::uint32_t rounds) {
    double ofRound = scalarThreads * scalarSums * 2.0;
    if (peak.form != MatrixForm::Scalar) {
        const MatrixExtents& extents = peakVariants().at(peak.variant).extents;
        ofRound = subgroupsOfGroup * productsOfRound * 2.0 * real(extents.m * extents.n * extents.k);
    }
    const PeakConstants constants{.numbers = memory.address(), .rounds = rounds};
    const double work = ofRound * real(peakGroups) * real(rounds);
    stream.dispatch(peakProgram(pipelines, peak), constantBytes(constants), {.x = peakGroups}, work);
    return work;
}

}  // namespace meshreel
