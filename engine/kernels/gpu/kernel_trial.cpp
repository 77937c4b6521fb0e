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

}  // namespace

std::optional<MatrixForm> fastestForm(const GpuTuning& tuning, GpuKernel kernel, std::string_view revision) {
    const MeasuredKernel* known = tuning.find(enumName(kernel), revision);
    const MeasuredVariant* fastest = known == nullptr ? nullptr : known->fastest();
    return fastest == nullptr ? std::nullopt : enumNamed<MatrixForm>(fastest->form);
}

MeasuredVariant unmeasured(const GpuCandidate& candidate) {
    return {.form = std::string(enumName(candidate.form)), .block = std::string(candidate.block())};
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

BoundVariant bindFastest(GpuPipelines& pipelines, const KernelTrial& trial,
                         const BeforeMeasuring& beforeMeasuring) {
    GpuTuning& tuning = pipelines.tuning();
    const auto slot = static_cast<std::size_t>(trial.kernel);
    const std::string_view name = enumName(trial.kernel);
    const std::vector<GpuCandidate> candidates = admittedCandidates(pipelines, trial.variants);
    if (candidates.size() == 1 && candidates.front().variant == nullptr)
        return tuning.bind(slot, {});  // no matrix units: nothing to measure
    const MeasuredKernel* known = tuning.find(name, trial.revision);
    if (known == nullptr) {
        if (beforeMeasuring)
            beforeMeasuring(trial.kernel);
        known = &tuning.keep(name, trial.revision, measureAll(pipelines, trial, candidates));
    }
    while (const MeasuredVariant* fastest = known->fastest()) {
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
            const double scale = scalar == known->variants.end() || scalar->rate <= 0
                                     ? 1.0
                                     : std::min(1.0, scalar->rate / fastest->rate);
            BoundVariant bound = candidate->bound();
            bound.workScale = scale;
            return tuning.bind(slot, bound);
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Device)
                throw;
            taken.rate = 0;
            taken.why = failure.asSentence();
            known = &tuning.keep(name, trial.revision, std::move(variants));
        }
    }
    const Sentence why = known->variants.empty() ? sentence("none is admitted") : known->variants.front().why;
    throw Error(ErrorKind::Device,
                sentence("{} computes {} in no form: {}", pipelines.gpu().name(), name, why), {},
                sentence("See meshreel devices, update the GPU driver, or use the CPU"));
}

}  // namespace meshreel
