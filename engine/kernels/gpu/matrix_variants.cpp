// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/matrix_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::array unitForms{MatrixForm::NvF16, MatrixForm::KhrF16, MatrixForm::KhrBf16, MatrixForm::Int8,
                               MatrixForm::Int8Dot};

std::size_t placeOf(MatrixForm form) {
    return static_cast<std::size_t>(std::ranges::find(unitForms, form) - unitForms.begin());
}

bool canRun(const MatrixOffers& offers, const MatrixVariant& variant, MatrixForm form) {
    const std::vector<MatrixExtents>& offered = offers.of(form).extents;
    const bool hasSubgroup = variant.subgroup == 0 || (variant.subgroup >= offers.leastSubgroup &&
                                                       variant.subgroup <= offers.mostSubgroup);
    return !variant.wordsOf(form).empty() && std::ranges::find(offered, variant.extents) != offered.end() &&
           hasSubgroup && variant.threads <= offers.invocations && variant.sharedBytes <= offers.sharedBytes;
}

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of one of so many problems, by the GPU's clock where it has one.
double secondsOf(const TrialProblem& problem, const GpuCandidate& candidate, GpuStream& stream, int times) {
    const double before = stream.gpuSeconds();
    const auto start = std::chrono::steady_clock::now();
    for (int each = 0; each < times; ++each)
        problem.record(candidate, stream);
    stream.finish();
    const double byGpu = stream.gpuSeconds() - before;
    return (byGpu > 0 ? byGpu : secondsSince(start)) / times;
}

/// The least of several. First the GPU works for a while: its frequency rises with work.
double warmSecondsOf(const TrialProblem& problem, const GpuCandidate& candidate, GpuStream& stream) {
    constexpr int rounds = 3;
    constexpr double warmSeconds = 0.04;
    constexpr double roundSeconds = 0.004;
    const auto timed = [&](int times) { return secondsOf(problem, candidate, stream, times); };
    const auto start = std::chrono::steady_clock::now();
    double least = timed(1);  // compiles, on some drivers
    do
        least = timed(1);
    while (secondsSince(start) < warmSeconds);
    const int times = std::clamp(static_cast<int>(roundSeconds / std::max(least, 1e-6)), 1, 50);
    for (int round = 0; round < rounds; ++round)
        least = std::min(least, timed(times));
    return least;
}

MeasuredVariant unmeasured(const GpuCandidate& candidate) {
    return {.form = std::string(enumName(candidate.form)), .block = std::string(candidate.block())};
}

std::vector<MeasuredVariant> measureAll(GpuPipelines& pipelines, const KernelTrial& trial,
                                        const std::vector<GpuCandidate>& candidates) {
    std::vector<MeasuredVariant> measured;
    std::vector<std::size_t> running;  // of the candidates: those that may still be the fastest
    for (const GpuCandidate& candidate : candidates) {
        measured.push_back(unmeasured(candidate));
        try {
            trial.build(candidate);
            running.push_back(measured.size() - 1);
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Device)
                throw;
            measured.back().why = failure.asSentence();
        }
    }
    constexpr double mostSeconds = 0.1;  // of one dispatch of the slowest candidate
    constexpr double hopeless = 0.25;    // of the fastest rate, in a smaller problem
    GpuStream stream(pipelines.gpu(), std::numeric_limits<double>::infinity());
    for (std::size_t size = 0; size < trial.sizes && running.size() > 1; ++size) {
        std::optional<TrialProblem> problem;
        try {
            problem = trial.prepare(size);
        } catch (const Error&) {
            if (size == 0)
                throw;
            break;  // memory is short: what is known must do
        }
        if (size > 0)
            std::erase_if(running, [&](std::size_t index) {
                return problem->flops / measured[index].rate > mostSeconds;
            });
        for (const std::size_t index : running)
            measured[index].rate = problem->flops / warmSecondsOf(*problem, candidates[index], stream);
        if (size == 0)
            continue;  // too small for a verdict
        double fastest = 0;
        for (const std::size_t index : running)
            fastest = std::max(fastest, measured[index].rate);
        std::erase_if(running, [&](std::size_t index) { return measured[index].rate < hopeless * fastest; });
    }
    if (running.size() == 1 && measured[running.front()].rate <= 0)
        measured[running.front()].rate = 1;  // the only one: nothing to compare
    return measured;
}

}  // namespace

std::span<const std::uint32_t> MatrixVariant::wordsOf(MatrixForm form) const {
    return words.at(placeOf(form));
}

std::string revisionOf(std::span<const MatrixVariant> variants) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
    for (const MatrixVariant& variant : variants)
        for (const auto& words : variant.words)
            for (const std::uint32_t word : words)
                hash = (hash ^ word) * 0x100000001b3ULL;
    return fmt::format("{:016x}", hash);
}

std::vector<GpuCandidate> candidatesOn(const MatrixOffers& offers, const VariantFilter& filter,
                                       std::span<const MatrixVariant> variants) {
    std::vector<GpuCandidate> candidates;
    if (filter.admits(enumName(MatrixForm::Scalar), {}))
        candidates.emplace_back();
    for (const MatrixForm form : unitForms)
        for (const MatrixVariant& variant : variants)
            if (canRun(offers, variant, form) && filter.admits(enumName(form), variant.block))
                candidates.push_back({.form = form, .variant = &variant});
    return candidates;
}

std::vector<GpuCandidate> admittedCandidates(GpuPipelines& pipelines,
                                             std::span<const MatrixVariant> variants) {
    VariantFilter filter = pipelines.tuning().filter();
    if (std::ranges::find(variants, filter.block, &MatrixVariant::block) == variants.end())
        filter.block.clear();
    const std::optional<MatrixForm> form = enumNamed<MatrixForm>(filter.form);
    if (form && form != MatrixForm::Scalar &&
        std::ranges::all_of(variants, [&](const MatrixVariant& each) { return each.wordsOf(*form).empty(); }))
        filter.form.clear();
    return candidatesOn(pipelines.gpu().matrices(), filter, variants);
}

VariantShaders::VariantShaders(std::string_view kernel, const MatrixVariant& variant, std::size_t constants,
                               Check check) {
    for (const MatrixForm form : unitForms) {
        GpuShader shader{.name = fmt::format("{} {} {}", kernel, enumName(form), variant.block),
                         .words = variant.wordsOf(form),
                         .constants = constants,
                         .check = check};
        if (form != MatrixForm::Int8Dot) {  // which has no matrices
            const MatrixExtents& extents = variant.extents;
            shader.specialised = {extents.m, extents.k, extents.k, extents.n, extents.m, extents.n};
            shader.subgroup = variant.subgroup;
        }
        m_shaders.push_back(std::move(shader));
    }
}

const GpuShader& VariantShaders::in(MatrixForm form) const {
    return m_shaders.at(placeOf(form));
}

bool VariantShaders::has(const GpuShader& shader) const {
    return std::ranges::any_of(m_shaders, [&](const GpuShader& own) { return &own == &shader; });
}

TakenKernel takeFastest(GpuPipelines& pipelines, const KernelTrial& trial) {
    GpuTuning& tuning = pipelines.tuning();
    const std::vector<GpuCandidate> candidates = admittedCandidates(pipelines, trial.variants);
    if (candidates.size() == 1 && candidates.front().variant == nullptr)
        return {};  // no matrix units: nothing to measure
    const MeasuredKernel* known = tuning.find(trial.kernel, trial.revision);
    if (known == nullptr)
        known = &tuning.keep(trial.kernel, trial.revision, measureAll(pipelines, trial, candidates));
    while (const MeasuredVariant* fastest = known->fastest()) {
        const auto candidate = std::ranges::find_if(candidates, [&](const GpuCandidate& each) {
            return enumName(each.form) == fastest->form && each.block() == fastest->block;
        });
        std::vector<MeasuredVariant> variants = known->variants;
        MeasuredVariant& taken = variants[static_cast<std::size_t>(fastest - known->variants.data())];
        try {
            if (candidate == candidates.end())
                throw Error(ErrorKind::Device, sentence("the GPU does not offer it any more"));
            trial.build(*candidate);
            const auto scalar =
                std::ranges::find(known->variants, enumName(MatrixForm::Scalar), &MeasuredVariant::form);
            const double scale = scalar == known->variants.end() || scalar->rate <= 0
                                     ? 1.0
                                     : std::min(1.0, scalar->rate / fastest->rate);
            return {.candidate = *candidate, .workScale = scale};
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Device)
                throw;
            taken.rate = 0;
            taken.why = failure.asSentence();
            known = &tuning.keep(trial.kernel, trial.revision, std::move(variants));
        }
    }
    const Sentence why = known->variants.empty() ? sentence("none is admitted") : known->variants.front().why;
    throw Error(ErrorKind::Device,
                sentence("{} computes {} in no form: {}", pipelines.gpu().name(), trial.kernel, why), {},
                sentence("See meshreel devices, update the GPU driver, or use the CPU"));
}

GpuKernelSearch::GpuKernelSearch(GpuWork& gpu, KernelTrial trial, TrialProblem problem)
    : m_gpu(gpu),
      m_trial(std::move(trial)),
      m_problem(std::move(problem)),
      m_candidates(candidatesOn(gpu.gpu().matrices(), {}, m_trial.variants)) {
    std::ranges::transform(m_candidates, std::back_inserter(m_variants), unmeasured);
}

GpuKernelSearch::~GpuKernelSearch() {
    try {
        m_gpu.stream().finish();  // what is recorded uses the problem's memory
    } catch (const Error&) {
        // The device is lost, and its work with it.
    }
}

double GpuKernelSearch::secondsOf(std::size_t index) {
    return meshreel::secondsOf(m_problem, m_candidates.at(index), m_gpu.stream(), 1);
}

std::optional<std::size_t> GpuKernelSearch::taken() const {
    const MeasuredKernel* known = m_gpu.pipelines().tuning().find(m_trial.kernel, m_trial.revision);
    const MeasuredVariant* fastest = known == nullptr ? nullptr : known->fastest();
    if (fastest == nullptr)
        return m_variants.size() == 1 ? std::optional<std::size_t>(0) : std::nullopt;
    const auto found = std::ranges::find_if(m_variants, [&](const MeasuredVariant& each) {
        return each.form == fastest->form && each.block == fastest->block;
    });
    return found == m_variants.end() ? std::nullopt
                                     : std::optional(static_cast<std::size_t>(found - m_variants.begin()));
}

}  // namespace meshreel
