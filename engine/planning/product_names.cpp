// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/product_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/record.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/measured_forms.h"

namespace meshreel {
namespace {

void addOnce(std::vector<std::string>& names, std::string_view name) {
    if (std::ranges::find(names, name) == names.end())
        names.emplace_back(name);
}

bool isOfVae(PlacedPart part) {
    return std::ranges::find(vaeParts, part) != vaeParts.end();
}

/// The form that a GPU takes, or all that it offers and a kernel has, where none was measured.
std::vector<std::string> formsOf(const PartPlan& part, const GpuFacts& gpu) {
    const Arithmetic products = part.products;
    std::vector<std::string> names{std::string(enumName(MatrixForm::Scalar))};
    if (products == Arithmetic::F32)
        return names;
    const std::optional<MatrixForm> measured =
        isOfVae(part.part) ? measuredConvolutionForm(gpu.id) : measuredLinearForm(gpu.id, products);
    if (measured)
        return {std::string(enumName(*measured))};
    for (const MatrixFormFacts& form : gpu.forms)
        if (form.offered && form.isOfInt8() == (products == Arithmetic::Int8) &&
            (!isOfVae(part.part) || convolvesIn(form.name)))
            addOnce(names, form.name);
    return names;
}

std::string productsOnGpus(const PartPlan& part, std::span<const ChosenGpu> gpus) {
    std::vector<CardForms> cards;
    for (const ChosenGpu& gpu : gpus)
        cards.push_back({.card = gpu.facts.name, .forms = formsOf(part, gpu.facts)});
    return nameCards(cards);
}

}  // namespace

std::string nameCards(std::span<const CardForms> cards) {
    std::vector<std::string> names;
    for (const CardForms& each : cards)
        addOnce(names,
                fmt::format("{}, {}{}", each.card, each.forms.size() == 1 ? "" : "the fastest form of ",
                            fmt::join(each.forms, ", ")));
    return fmt::format("{}", fmt::join(names, "; "));
}

void nameProducts(Placement& placement) {
    const std::span<const ChosenGpu> gpus = placement.gpus;
    for (PartPlan& part : placement.parts)
        if (part.isOnGpu())
            part.productsBy = productsOnGpus(part, part.place == PartPlace::FirstGpu ? gpus.first(1) : gpus);
        else
            part.productsBy = isOfVae(part.part) ? convolutionKernel(part.products).name
                                                 : linearCandidate(part.products).kernel.name;
}

}  // namespace meshreel
