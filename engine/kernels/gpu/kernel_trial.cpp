// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/kernel_trial.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/record.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/first_use.h"

namespace meshreel {
namespace {

/// The least of several. First the GPU works for a while: its frequency rises with work.
double warmSecondsOf(const TrialProblem& problem, const BoundVariant& by, GpuStream& stream) {
    constexpr int rounds = 3;
    constexpr double warmSeconds = 0.04;
    constexpr double roundSeconds = 0.004;
    const auto timed = [&](int times) { return secondsOf(problem, by, stream, times); };
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

std::vector<MeasuredVariant> measureAll(GpuPipelines& pipelines, const KernelTrial& trial,
                                        const std::vector<GpuCandidate>& candidates) {
    std::vector<MeasuredVariant> measured;
    std::vector<std::size_t> running;  // those candidates that may still be the fastest
    for (const GpuCandidate& candidate : candidates) {
        measured.push_back(unmeasured(candidate));
        try {
            requireUsable(pipelines, trial, candidate);
            trial.build(candidate.bound());
            running.push_back(measured.size() - 1);
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Device)
                throw;
            measured.back().why = failure.asSentence();
        }
    }
    constexpr double mostSeconds = 0.1;  // for one dispatch of the slowest candidate
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
            measured[index].rate =
                problem->flops / warmSecondsOf(*problem, candidates[index].bound(), stream);
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

bool isPtxVariant(const MeasuredVariant& variant) {
    const std::optional<MatrixForm> form = enumNamed<MatrixForm>(variant.form);
    return form && isOfPtx(*form);
}

/// What the measurements know of a variant; null when they do not, or there are none.
const MeasuredVariant* findSame(const MeasuredKernel* kernel, const MeasuredVariant& wanted) {
    if (kernel == nullptr)
        return nullptr;
    const auto found = std::ranges::find_if(
        kernel->variants, [&](const MeasuredVariant& each) { return each.isSameAs(wanted); });
    return found == kernel->variants.end() ? nullptr : &*found;
}

/// Whether the measurements know each candidate of PTX, with today's text. A driver that launches them since,
/// and other kernels, are measured.
bool knowsPtx(const MeasuredKernel& kernel, const std::vector<GpuCandidate>& candidates) {
    return std::ranges::all_of(candidates, [&](const GpuCandidate& each) {
        return !isOfPtx(each.form) || findSame(&kernel, unmeasured(each)) != nullptr;
    });
}

/// The one with the highest rate, among shaders alone without `ofPtx`; null when all were refused.
const MeasuredVariant* fastestOf(const MeasuredKernel& kernel, bool ofPtx) {
    const MeasuredVariant* best = nullptr;
    for (const MeasuredVariant& variant : kernel.variants)
        if (variant.rate > 0 && (ofPtx || !isPtxVariant(variant)) &&
            (best == nullptr || variant.rate > best->rate))
            best = &variant;
    return best;
}

/// The fastest by the measurements, built and checked. What is refused meanwhile is remembered, and gives
/// place to the next one.
std::optional<BoundVariant> takeFastest(GpuPipelines& pipelines, const KernelTrial& trial,
                                        const std::vector<GpuCandidate>& candidates, bool ofPtx) {
    GpuTuning& tuning = pipelines.tuning();
    const std::string_view name = enumName(trial.kernel);
    const MeasuredKernel* known = tuning.find(name, trial.revision);
    while (const MeasuredVariant* fastest = fastestOf(*known, ofPtx)) {
        const auto candidate = std::ranges::find_if(candidates, [&](const GpuCandidate& each) {
            return enumName(each.form) == fastest->form && each.block() == fastest->block;
        });
        std::vector<MeasuredVariant> variants = known->variants;
        MeasuredVariant& taken = variants[static_cast<std::size_t>(fastest - known->variants.data())];
        try {
            if (candidate == candidates.end())
                throw Error(ErrorKind::Device, sentence("the GPU does not offer it any more"));
            trial.build(candidate->bound());
            const auto scalar =
                std::ranges::find(known->variants, enumName(MatrixForm::Scalar), &MeasuredVariant::form);
            BoundVariant bound = candidate->bound();
            if (scalar != known->variants.end() && scalar->rate > 0)
                bound.workScale = std::min(1.0, scalar->rate / fastest->rate);
            return bound;
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Device)
                throw;
            taken.rate = 0;
            taken.why = failure.asSentence();
            known = &tuning.keep(name, trial.revision, std::move(variants));
        }
    }
    return std::nullopt;
}

}  // namespace

void requireUsable(GpuPipelines& pipelines, const KernelTrial& trial, const GpuCandidate& candidate) {
    if (!isOfPtx(candidate.form))
        return;
    const std::string_view name = enumName(trial.kernel);
    const MeasuredVariant asked = unmeasured(candidate);
    const MeasuredVariant* known = findSame(pipelines.tuning().find(name, trial.revision), asked);
    const Sentence why =
        known != nullptr
            ? known->why
            : askFirstUse(usualFirstUse(), pipelines.gpu().id(),
                          {.kernel = std::string(name), .form = asked.form, .block = asked.block});
    if (!why.empty())
        throw Error(ErrorKind::Device, why);
}

void tryVariant(GpuPipelines& pipelines, const KernelTrial& trial, const NamedVariant& variant) {
    for (const GpuCandidate& candidate : candidatesOn(pipelines.gpu().matrices(), {}, trial.variants))
        if (enumName(candidate.form) == variant.form && candidate.block() == variant.block) {
            trial.build(candidate.bound());
            return;
        }
    throw Error(ErrorKind::Device, sentence("the GPU does not offer it any more"));
}

std::optional<MatrixForm> fastestForm(const GpuTuning& tuning, GpuKernel kernel, std::string_view revision) {
    const MeasuredKernel* known = tuning.find(enumName(kernel), revision);
    const MeasuredVariant* fastest = known == nullptr ? nullptr : known->fastest();
    return fastest == nullptr ? std::nullopt : enumNamed<MatrixForm>(fastest->form);
}

MeasuredVariant unmeasured(const GpuCandidate& candidate) {
    return {.form = std::string(enumName(candidate.form)),
            .block = std::string(candidate.block()),
            .text = candidate.variant == nullptr ? std::string() : textRevision(*candidate.variant)};
}

double secondsOf(const TrialProblem& problem, const BoundVariant& by, GpuStream& stream, int times) {
    const double before = stream.gpuSeconds();
    const auto start = std::chrono::steady_clock::now();
    for (int each = 0; each < times; ++each)
        problem.record(by, stream);
    stream.finish();
    const double byGpu = stream.gpuSeconds() - before;
    return (byGpu > 0 ? byGpu : secondsSince(start)) / times;
}

BoundKernel bindFastest(GpuPipelines& pipelines, const KernelTrial& trial, const MeasuringReport& report) {
    GpuTuning& tuning = pipelines.tuning();
    const auto slot = static_cast<std::size_t>(trial.kernel);
    const std::string_view name = enumName(trial.kernel);
    const std::vector<GpuCandidate> candidates = admittedCandidates(pipelines, trial.variants);
    if (candidates.size() == 1 && candidates.front().variant == nullptr)
        return tuning.bind(slot, {});  // no matrix units: nothing to measure
    const MeasuredKernel* known = tuning.find(name, trial.revision);
    if (known == nullptr || !knowsPtx(*known, candidates)) {
        if (report.before)
            report.before(trial.kernel);
        const MeasuredKernel& measured =
            tuning.keep(name, trial.revision, measureAll(pipelines, trial, candidates));
        for (const MeasuredVariant& variant : measured.variants)
            if (isPtxVariant(variant) && !variant.why.empty() && report.refused)
                report.refused(trial.kernel, variant);
    }
    if (const auto fastest = takeFastest(pipelines, trial, candidates, true)) {
        BoundKernel by = {.fastest = *fastest, .standIn = *fastest};
        if (isOfPtx(fastest->form))
            by.standIn = takeFastest(pipelines, trial, candidates, false).value_or(BoundVariant());
        return tuning.bind(slot, by);
    }
    const std::vector<MeasuredVariant>& refused = tuning.find(name, trial.revision)->variants;
    const Sentence why = refused.empty() ? sentence("none is admitted") : refused.front().why;
    throw Error(ErrorKind::Device,
                sentence("{} computes {} in no form: {}", pipelines.gpu().name(), name, why), {},
                sentence("See meshreel devices, update the GPU driver, or use the CPU"));
}

}  // namespace meshreel
