// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/matrix_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/record.h"

namespace meshreel {
namespace {

constexpr std::array unitForms{MatrixForm::NvF16, MatrixForm::KhrF16, MatrixForm::KhrBf16, MatrixForm::Int8,
                               MatrixForm::Int8Dot};

constexpr std::array variantForms{MatrixForm::NvF16,  MatrixForm::KhrF16,  MatrixForm::KhrBf16,
                                  MatrixForm::Int8,   MatrixForm::Int8Dot, MatrixForm::PtxBf16,
                                  MatrixForm::PtxInt8};

/// FNV-1a.
class Fnv {
  public:
    void add(std::uint32_t value) { m_hash = (m_hash ^ value) * 0x100000001b3ULL; }
    [[nodiscard]] std::string text() const { return fmt::format("{:016x}", m_hash); }

  private:
    std::uint64_t m_hash = 0xcbf29ce484222325ULL;
};

std::size_t placeOf(MatrixForm form) {
    return static_cast<std::size_t>(std::ranges::find(unitForms, form) - unitForms.begin());
}

bool canRun(const MatrixOffers& offers, const MatrixVariant& variant, MatrixForm form) {
    const std::vector<MatrixExtents>& offered = offers.of(form).extents;
    const bool hasSubgroup = variant.subgroup == 0 || (variant.subgroup >= offers.leastSubgroup &&
                                                       variant.subgroup <= offers.mostSubgroup);
    return variant.isIn(form) && std::ranges::find(offered, variant.extents) != offered.end() &&
           hasSubgroup && variant.threads <= offers.invocations && variant.sharedBytes <= offers.sharedBytes;
}

}  // namespace

std::span<const std::uint32_t> MatrixVariant::wordsOf(MatrixForm form) const {
    return words.at(placeOf(form));
}

bool MatrixVariant::isIn(MatrixForm form) const {
    return isPtx() ? form == ptx.form : !isOfPtx(form) && !wordsOf(form).empty();
}

std::string computeRevision(std::span<const MatrixVariant> variants,
                            std::initializer_list<std::span<const std::uint32_t>> scalar) {
    Fnv hash;
    const auto add = [&](std::span<const std::uint32_t> words) {
        std::ranges::for_each(words, [&](std::uint32_t word) { hash.add(word); });
    };
    for (const MatrixVariant& variant : variants)
        std::ranges::for_each(variant.words, add);
    std::ranges::for_each(scalar, add);
    return hash.text();
}

std::string textRevision(const MatrixVariant& variant) {
    if (!variant.isPtx())
        return {};
    Fnv hash;
    const auto add = [&](const WritePtx& write) {
        for (const char letter : write().text)
            hash.add(static_cast<unsigned char>(letter));
    };
    add(variant.ptx.write);
    std::ranges::for_each(variant.ptx.besides, add);
    return hash.text();
}

std::vector<GpuCandidate> candidatesOn(const MatrixOffers& offers, const VariantFilter& filter,
                                       std::span<const MatrixVariant> variants) {
    std::vector<GpuCandidate> candidates;
    if (filter.admits(enumName(MatrixForm::Scalar), {}))
        candidates.emplace_back();
    for (const MatrixForm form : variantForms)
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
        std::ranges::all_of(variants, [&](const MatrixVariant& each) { return !each.isIn(*form); }))
        filter.form.clear();
    return candidatesOn(pipelines.gpu().matrices(), filter, variants);
}

VariantShaders::VariantShaders(std::string_view kernel, const MatrixVariant& variant, std::size_t constants,
                               Check check, std::span<const std::uint16_t> addresses) {
    if (variant.isPtx()) {
        if (addresses.empty())
            throw Error(ErrorKind::Internal,
                        fmt::format("the kernel of PTX {} {} does not say where its addresses lie", kernel,
                                    variant.block));
        m_shaders.push_back(
            {.name = fmt::format("{} {} {}", kernel, enumName(variant.ptx.form), variant.block),
             .words = {},
             .constants = constants,
             .check = check,
             .ptx = variant.ptx.write,
             .addresses = addresses});
        return;
    }
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
    return isOfPtx(form) ? m_shaders.front() : m_shaders.at(placeOf(form));
}

bool VariantShaders::has(const GpuShader& shader) const {
    return std::ranges::any_of(m_shaders, [&](const GpuShader& own) { return &own == &shader; });
}

}  // namespace meshreel
