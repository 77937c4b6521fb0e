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
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/gpu/vulkan_library.h"
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

constexpr double mostSeconds = 0.1;  // for one dispatch of the slowest candidate

/// A problem of the trial; nothing when memory is short for one of the larger: what is known must do.
std::optional<TrialProblem> trialProblem(const KernelTrial& trial, std::size_t size) {
    try {
        return trial.prepare(size);
    } catch (const Error&) {
        if (size == 0)
            throw;
        return std::nullopt;
    }
}

/// Measures those that are usable, each on no more problems than its first use computed: a larger one could
/// end this process. Adds to `uses` what is refused now. Returns what is worth remembering.
std::vector<MeasuredVariant> measureAll(GpuPipelines& pipelines, const KernelTrial& trial,
                                        const std::vector<GpuCandidate>& candidates,
                                        std::vector<FirstUse>& uses) {
    std::vector<double> rates(candidates.size(), 0.0);
    std::vector<std::size_t> running;  // those candidates that may still be the fastest
    for (std::size_t index = 0; index < candidates.size(); ++index) {
        if (!uses[index].isUsable())
            continue;
        try {
            trial.build(candidates[index].bound());
            running.push_back(index);
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Device)
                throw;
            // A shader is not asked about again: it is remembered with its reason.
            const bool lasts = isLasting(failure) || !isOfPtx(candidates[index].form);
            uses[index] = {.verdict = lasts ? FirstUseVerdict::Refused : FirstUseVerdict::NotAsked,
                           .why = failure.asSentence()};
        }
    }
    constexpr double hopeless = 0.25;  // of the fastest rate, in a smaller problem
    GpuStream stream(pipelines.gpu(), std::numeric_limits<double>::infinity());
    for (std::size_t size = 0; size < trial.sizes && running.size() > 1; ++size) {
        const std::optional<TrialProblem> problem = trialProblem(trial, size);
        if (!problem)
            break;
        std::erase_if(running, [&](std::size_t index) {
            return size >= uses[index].sizes || (size > 0 && problem->flops / rates[index] > mostSeconds);
        });
        for (const std::size_t index : running) {
            const GpuTuning::Trying trying(pipelines.tuning(), enumName(trial.kernel), trial.revision,
                                           unmeasured(candidates[index]));
            try {
                rates[index] = problem->flops / warmSecondsOf(*problem, candidates[index].bound(), stream);
            } catch (const Error& failure) {
                refuseIfItEndsTheDevice(pipelines.tuning(), trial, unmeasured(candidates[index]), failure);
                throw;
            }
        }
        if (size == 0)
            continue;  // too small for a verdict
        double fastest = 0;
        for (const std::size_t index : running)
            fastest = std::max(fastest, rates[index]);
        std::erase_if(running, [&](std::size_t index) { return rates[index] < hopeless * fastest; });
    }
    if (running.size() == 1 && rates[running.front()] <= 0)
        rates[running.front()] = 1;  // the only one: nothing to compare
    std::vector<MeasuredVariant> lasting;
    for (std::size_t index = 0; index < candidates.size(); ++index)
        if (uses[index].isLasting()) {
            lasting.push_back(unmeasured(candidates[index]));
            lasting.back().rate = rates[index];
            lasting.back().why = uses[index].why;
        }
    return lasting;
}

bool isPtxVariant(const MeasuredVariant& variant) {
    const std::optional<MatrixForm> form = enumNamed<MatrixForm>(variant.form);
    return form && isOfPtx(*form);
}

/// What the measurements know of a variant; null when they do not, or doubt it, or there are none.
const MeasuredVariant* findSame(const MeasuredKernel* kernel, const MeasuredVariant& wanted) {
    if (kernel == nullptr)
        return nullptr;
    const auto found = std::ranges::find_if(kernel->variants, [&](const MeasuredVariant& each) {
        return each.isSameAs(wanted) && !each.isDoubted();
    });
    return found == kernel->variants.end() ? nullptr : &*found;
}

/// Whether the measurements know each candidate of PTX, with today's text. A driver that launches them since,
/// and other kernels, are measured.
bool knowsPtx(const MeasuredKernel& kernel, const std::vector<GpuCandidate>& candidates) {
    return std::ranges::all_of(candidates, [&](const GpuCandidate& each) {
        return !isOfPtx(each.form) || findSame(&kernel, unmeasured(each)) != nullptr;
    });
}

/// Whether the measurements know of shaders at all: a process that ended while it measured may have left what
/// ended it alone.
bool knowsShaders(const MeasuredKernel& kernel) {
    return !std::ranges::all_of(kernel.variants, isPtxVariant);
}

/// What the measurements know of a candidate, or what a program says that tries it now.
FirstUse firstUseOf(GpuPipelines& pipelines, const KernelTrial& trial, const GpuCandidate& candidate,
                    const MeasuredVariant* known, const StopToken& stop) {
    const FirstUse usable{.verdict = FirstUseVerdict::Usable, .sizes = trial.sizes};
    if (!isOfPtx(candidate.form))
        return usable;
    if (known != nullptr)
        return known->why.empty() ? usable : FirstUse{.verdict = FirstUseVerdict::Refused, .why = known->why};
    return askFirstUse(usualFirstUse(), pipelines.gpu().id(),
                       {.kernel = std::string(enumName(trial.kernel)),
                        .form = std::string(enumName(candidate.form)),
                        .block = std::string(candidate.block())},
                       stop);
}

/// Asks about what is not known, and measures where there are news. What could not be asked about is told
/// too. Returns why one was refused; empty when none was.
Sentence learnKernel(GpuPipelines& pipelines, const KernelTrial& trial,
                     const std::vector<GpuCandidate>& candidates, const MeasuringReport& report,
                     const StopToken& stop) {
    GpuTuning& tuning = pipelines.tuning();
    const std::string_view name = enumName(trial.kernel);
    const MeasuredKernel* known = tuning.find(name, trial.revision);
    std::vector<FirstUse> uses;
    bool hasNews = known == nullptr || !knowsShaders(*known);
    for (const GpuCandidate& each : candidates) {
        const MeasuredVariant* same = findSame(known, unmeasured(each));
        uses.push_back(firstUseOf(pipelines, trial, each, same, stop));
        hasNews = hasNews || (isOfPtx(each.form) && same == nullptr && uses.back().isLasting());
    }
    if (hasNews)
        tuning.keep(name, trial.revision, measureAll(pipelines, trial, candidates, uses));
    Sentence refused;
    for (std::size_t index = 0; index < candidates.size(); ++index) {
        if (uses[index].why.empty())
            continue;
        if (refused.empty())
            refused = uses[index].why;
        MeasuredVariant variant = unmeasured(candidates[index]);
        variant.why = uses[index].why;
        if (isPtxVariant(variant) && report.refused)
            report.refused(trial.kernel, variant);
    }
    return refused;
}

/// The one with the highest rate, among shaders alone without `ofPtx`; null when all were refused.
MeasuredVariant* fastestOf(std::vector<MeasuredVariant>& variants, bool ofPtx) {
    MeasuredVariant* best = nullptr;
    for (MeasuredVariant& variant : variants)
        if (variant.rate > 0 && (ofPtx || !isPtxVariant(variant)) &&
            (best == nullptr || variant.rate > best->rate))
            best = &variant;
    return best;
}

/// Remembers that one is refused.
void keepRefusal(GpuTuning& tuning, const KernelTrial& trial, const MeasuredVariant& refused) {
    const std::string_view name = enumName(trial.kernel);
    std::vector<MeasuredVariant> variants = tuning.find(name, trial.revision)->variants;
    std::ranges::replace_if(
        variants, [&](const MeasuredVariant& each) { return each.isSameAs(refused); }, refused);
    tuning.keep(name, trial.revision, std::move(variants));
}

/// The fastest by the measurements, built and checked. What is refused meanwhile gives place to the next one,
/// and is remembered if that lasts; `why` is the reason.
std::optional<BoundVariant> takeFastest(GpuPipelines& pipelines, const KernelTrial& trial,
                                        const std::vector<GpuCandidate>& candidates, bool ofPtx,
                                        Sentence& why) {
    GpuTuning& tuning = pipelines.tuning();
    std::vector<MeasuredVariant> variants = tuning.find(enumName(trial.kernel), trial.revision)->variants;
    while (MeasuredVariant* fastest = fastestOf(variants, ofPtx)) {
        const auto candidate = std::ranges::find_if(
            candidates, [&](const GpuCandidate& each) { return unmeasured(each).isSameAs(*fastest); });
        try {
            if (candidate == candidates.end())
                throw Error(ErrorKind::Device, sentence("the GPU does not offer it any more"));
            trial.build(candidate->bound());
            const auto scalar =
                std::ranges::find(variants, enumName(MatrixForm::Scalar), &MeasuredVariant::form);
            BoundVariant bound = candidate->bound();
            if (scalar != variants.end() && scalar->rate > 0)
                bound.workScale = std::min(1.0, scalar->rate / fastest->rate);
            return bound;
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Device)
                throw;
            why = failure.asSentence();
            fastest->rate = 0;
            fastest->why = why;
            if (isLasting(failure))
                keepRefusal(tuning, trial, *fastest);
        }
    }
    return std::nullopt;
}

}  // namespace

bool refuseIfItEndsTheDevice(GpuTuning& tuning, const KernelTrial& trial, const MeasuredVariant& variant,
                             const Error& failure) {
    const auto* ofVulkan = dynamic_cast<const VulkanFailure*>(&failure);
    const auto* ofCuda = dynamic_cast<const CudaFailure*>(&failure);
    if (!isPtxVariant(variant) || !((ofVulkan != nullptr && ofVulkan->result() == VK_ERROR_DEVICE_LOST) ||
                                    (ofCuda != nullptr && ofCuda->isOfKernel())))
        return false;
    tuning.refuse(enumName(trial.kernel), trial.revision, variant, failure.asSentence());
    return true;
}

bool isLasting(const Error& failure) {
    return dynamic_cast<const RefusedShader*>(&failure) != nullptr;
}

void requireUsable(GpuPipelines& pipelines, const KernelTrial& trial, const GpuCandidate& candidate,
                   const StopToken& stop) {
    const FirstUse use = firstUseOf(pipelines, trial, candidate, nullptr, stop);
    if (use.isUsable())
        return;
    if (!use.isLasting())
        throw Error(ErrorKind::Device, use.why);
    throw RefusedShader(
        use.verdict == FirstUseVerdict::Wrong ? RefusedShader::Fault::Wrong : RefusedShader::Fault::Refused,
        use.why, {});
}

std::size_t tryVariant(GpuPipelines& pipelines, const KernelTrial& trial, const NamedVariant& variant) {
    const std::vector<GpuCandidate> candidates = candidatesOn(pipelines.gpu().matrices(), {}, trial.variants);
    const auto candidate = std::ranges::find_if(candidates, [&](const GpuCandidate& each) {
        return enumName(each.form) == variant.form && each.block() == variant.block;
    });
    if (candidate == candidates.end())
        throw Error(ErrorKind::Device, sentence("the GPU does not offer it any more"));
    trial.build(candidate->bound());
    // Each problem that will be measured, once: what ends a process at a real size ends this one.
    GpuStream stream(pipelines.gpu(), std::numeric_limits<double>::infinity());
    double rate = 0;
    for (std::size_t size = 0; size < trial.sizes; ++size) {
        const std::optional<TrialProblem> problem = trialProblem(trial, size);
        if (!problem || (size > 0 && problem->flops / rate > mostSeconds))
            return size;
        rate = problem->flops / secondsOf(*problem, candidate->bound(), stream, 1);
    }
    return trial.sizes;
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
    try {
        for (int each = 0; each < times; ++each)
            problem.record(by, stream);
        stream.finish();
    } catch (...) {
        stream.settle();  // the problem's memory may be freed before the stream
        throw;
    }
    const double byGpu = stream.gpuSeconds() - before;
    return (byGpu > 0 ? byGpu : secondsSince(start)) / times;
}

BoundKernel bindFastest(GpuPipelines& pipelines, const KernelTrial& trial, const MeasuringReport& report,
                        const StopToken& stop) {
    GpuTuning& tuning = pipelines.tuning();
    const auto slot = static_cast<std::size_t>(trial.kernel);
    const std::string_view name = enumName(trial.kernel);
    const std::vector<GpuCandidate> candidates = admittedCandidates(pipelines, trial.variants);
    if (candidates.size() == 1 && candidates.front().variant == nullptr)
        return tuning.bind(slot, {});  // no matrix units: nothing to measure
    const MeasuredKernel* known = tuning.find(name, trial.revision);
    Sentence why;
    if (known == nullptr || !knowsShaders(*known) || !knowsPtx(*known, candidates)) {
        if (report.before)
            report.before(trial.kernel);
        why = learnKernel(pipelines, trial, candidates, report, stop);
    }
    if (const auto fastest = takeFastest(pipelines, trial, candidates, true, why)) {
        BoundKernel by = {.fastest = *fastest, .standIn = *fastest};
        if (isOfPtx(fastest->form))
            by.standIn = takeFastest(pipelines, trial, candidates, false, why).value_or(BoundVariant());
        return tuning.bind(slot, by);
    }
    const std::vector<MeasuredVariant>& refused = tuning.find(name, trial.revision)->variants;
    if (!refused.empty() && !refused.front().why.empty())
        why = refused.front().why;
    if (why.empty())
        why = sentence("none is admitted");
    throw Error(ErrorKind::Device,
                sentence("{} computes {} in no form: {}", pipelines.gpu().name(), name, why), {},
                sentence("See meshreel devices, update the GPU driver, or use the CPU"));
}

}  // namespace meshreel
