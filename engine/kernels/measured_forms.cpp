// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/measured_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/base/units.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/linear_trials.h"

namespace meshreel {
namespace {

/// The variants of one form.
struct FormVariants {
    const MeasuredVariant* fastest = nullptr;  // null: none computes
    Sentence refused = {};                     // why one of them is not used
};

FormVariants variantsOf(const MeasuredKernel& kernel, const std::string& form) {
    FormVariants found;
    for (const MeasuredVariant& variant : kernel.variants) {
        if (variant.form != form)
            continue;
        if (variant.rate > 0 && (found.fastest == nullptr || variant.rate > found.fastest->rate))
            found.fastest = &variant;
        if (!variant.why.empty())
            found.refused = variant.why;
    }
    return found;
}

Sentence whyNotMeasured(const MatrixFormFacts& form) {
    return form.isOfInt8()
               ? sentence("not measured yet; the first run with int8 weights measures")
               : sentence("not measured yet; the first run in bf16 measures, or meshreel bench gpu");
}

Sentence whySlower(const MatrixFormFacts& form, const MeasuredVariant& fastest, double rate) {
    const double fast = fastest.rate / tera;
    const double slow = rate / tera;
    return form.isOfInt8()
               ? sentence("in int8 {} is faster: {:.3g} against {:.3g} TOP/s", fastest.form, fast, slow)
               : sentence("in bf16 {} is faster: {:.3g} against {:.3g} TFLOP/s", fastest.form, fast, slow);
}

/// The scalar form reports bf16, which more runs use.
void addMeasuredForm(MatrixFormFacts& form, const GpuTuning& tuning) {
    const std::string_view kernel = linearKernelName(form.isOfInt8() ? Arithmetic::Int8 : Arithmetic::BF16);
    const auto measured = std::ranges::find(tuning.kernels(), kernel, &MeasuredKernel::kernel);
    const MeasuredVariant* const fastest = measured == tuning.kernels().end() ? nullptr : measured->fastest();
    if (fastest == nullptr) {
        if (form.offered && !form.taken)
            form.why = whyNotMeasured(form);
        return;
    }
    const FormVariants own = variantsOf(*measured, form.name);
    if (own.fastest == nullptr) {
        if (!own.refused.empty())
            form.why = own.refused;
        else if (form.offered && !form.taken)
            form.why = whyNotMeasured(form);
        return;
    }
    // Scalar kernels compute f32 on every device.
    form.taken = form.taken || form.name == fastest->form;
    form.rate = own.fastest->rate;
    form.why = form.name == fastest->form ? Sentence() : whySlower(form, *fastest, *form.rate);
}

/// A line for each kernel of PTX that attends and was measured: linear layers have one, which the line of its
/// form tells of.
void addPtxAttention(GpuFacts& facts, const MeasuredKernel& kernel) {
    const MeasuredVariant* const fastest = kernel.fastest();
    for (const MeasuredVariant& variant : kernel.variants) {
        const std::optional<MatrixForm> form = enumNamed<MatrixForm>(variant.form);
        if (!form || !isOfPtx(*form))
            continue;
        MatrixFormFacts line{.name = fmt::format("{}, {} {}", variant.form, kernel.kernel, variant.block),
                             .offered = true,
                             .taken = &variant == fastest,
                             .why = variant.why};
        if (!line.taken && line.why.empty() && fastest != nullptr)
            line.why = sentence("{} {} is faster: {:.3g} against {:.3g} TFLOP/s", fastest->form,
                                fastest->block, fastest->rate / tera, variant.rate / tera);
        facts.forms.push_back(std::move(line));
    }
}

}  // namespace

std::optional<MatrixForm> measuredLinearForm(const std::string& gpu, Arithmetic arithmetic) {
    return linearFormIn(GpuTuning(usualTuningFile(), gpu), arithmetic);
}

std::optional<MatrixForm> measuredConvolutionForm(const std::string& gpu) {
    return convolutionFormIn(GpuTuning(usualTuningFile(), gpu));
}

bool convolvesIn(std::string_view form) {
    const std::optional<MatrixForm> named = enumNamed<MatrixForm>(form);
    return named && hasConvolutionIn(*named);
}

void addMeasuredForms(GpuFacts& facts, const GpuTuning& tuning) {
    for (MatrixFormFacts& form : facts.forms)
        addMeasuredForm(form, tuning);
    for (const MeasuredKernel& kernel : tuning.kernels())
        if (kernel.kernel != linearKernelName(Arithmetic::BF16) &&
            kernel.kernel != linearKernelName(Arithmetic::Int8))
            addPtxAttention(facts, kernel);
}

std::vector<GpuDriver> askMeasuredDrivers(bool again) {
    DriverQuestion question = usualQuestion();
    question.again = again;
    std::vector<GpuDriver> drivers = askDrivers(question);
    for (GpuDriver& driver : drivers)
        for (GpuFacts& gpu : driver.gpus)
            addMeasuredForms(gpu, GpuTuning(usualTuningFile(), gpu.id));
    return drivers;
}

}  // namespace meshreel
