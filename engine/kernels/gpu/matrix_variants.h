// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/gpu/ptx_kernel.h"

namespace meshreel {

/// SPIR-V in the forms NvF16, KhrF16, KhrBf16, Int8, Int8Dot; empty: it is not compiled in that form.
using VariantWords = std::array<std::span<const std::uint32_t>, 5>;

/// A kernel of PTX in the place of shaders, in its one form.
struct PtxVariant {
    MatrixForm form = MatrixForm::PtxBf16;
    WritePtx write = {};                 ///< null: there is none
    std::vector<WritePtx> besides = {};  ///< what is bound with it, for other sizes
};

/// A shader for the units of some forms, compiled for products of these extents and one way to cut the work
/// into groups: built from a row of a table in gpu/shaders. Or a kernel of PTX that does.
struct MatrixVariant {
    MatrixExtents extents = {};
    std::uint32_t subgroup = 0;     ///< invocations; 0: any
    std::uint32_t threads = 0;      ///< threads of a group
    std::uint32_t sharedBytes = 0;  ///< shared memory of a group that counts against Vulkan's limit
    std::string block = {};         ///< "16x16x16.128x128x32.2x2.1"
    std::size_t row = 0;            ///< row in its table
    VariantWords words = {};
    PtxVariant ptx = {};

    [[nodiscard]] std::span<const std::uint32_t> wordsOf(MatrixForm form) const;
    [[nodiscard]] bool isPtx() const { return ptx.write != nullptr; }
    /// Returns whether it computes in the form.
    [[nodiscard]] bool isIn(MatrixForm form) const;
};

/// One way to compute a kernel on a GPU. Without a variant: by its scalar shader.
struct GpuCandidate {
    MatrixForm form = MatrixForm::Scalar;
    const MatrixVariant* variant = nullptr;

    [[nodiscard]] std::string_view block() const {
        return variant == nullptr ? std::string_view() : std::string_view(variant->block);
    }
    /// Returns the variant as it would be bound.
    [[nodiscard]] BoundVariant bound() const {
        return {.form = form, .row = variant == nullptr ? 0 : variant->row};
    }
};

/// Scalar, and the variants that a GPU can run in each form that it offers, as far as `filter` admits
/// them.
std::vector<GpuCandidate> candidatesOn(const MatrixOffers& offers, const VariantFilter& filter,
                                       std::span<const MatrixVariant> variants);

/// Returns the candidates that the tuning's filter admits. A form or block that no variant has belongs to
/// another kernel and restricts nothing.
std::vector<GpuCandidate> admittedCandidates(GpuPipelines& pipelines,
                                             std::span<const MatrixVariant> variants);

/// The shaders of a variant, in each form that it is compiled in, or its kernel of PTX; made once, with their
/// variant.
class VariantShaders {
  public:
    using Check = decltype(GpuShader::check);

    /// `kernel` distinguishes them from the shaders of other tables, in messages. `check` finds the variant
    /// by rowOf(). `addresses`: of a kernel of PTX, the bytes of its constants at which addresses lie.
    /// Throws Error{Internal} for one that does not say so: some ways to launch it need them.
    VariantShaders(std::string_view kernel, const MatrixVariant& variant, std::size_t constants, Check check,
                   std::span<const std::uint16_t> addresses = {});

    /// Returns the shader for a form other than Scalar that the variant is compiled for.
    [[nodiscard]] const GpuShader& in(MatrixForm form) const;
    [[nodiscard]] bool has(const GpuShader& shader) const;

  private:
    std::vector<GpuShader> m_shaders;  // indexed by form; of PTX the only one
};

/// Returns the row of a table of variants that has the shader among its `shaders`; there must be one.
template <typename Table>
const auto& rowOf(const Table& table, const GpuShader& shader) {
    return *std::ranges::find_if(table, [&](const auto& row) { return row.shaders.has(shader); });
}

/// Returns the variants of those rows of a table that are compared with each other.
template <typename Table, typename IsCompared>
std::vector<MatrixVariant> selectVariants(const Table& table, const IsCompared& isCompared) {
    std::vector<MatrixVariant> variants;
    for (std::size_t row = 0; row < table.size(); ++row)
        if (isCompared(table[row])) {
            variants.push_back(table[row].variant);
            variants.back().row = row;
        }
    return variants;
}

/// Changes with the shaders that are compared with each other, the variants' and the SPIR-V of the `scalar`
/// ones: other ones are measured again.
std::string computeRevision(std::span<const MatrixVariant> variants,
                            std::initializer_list<std::span<const std::uint32_t>> scalar);

/// Changes with the text of a kernel of PTX and of those that are bound with it; empty for shaders. Writes
/// the texts: for cards that launch them.
std::string textRevision(const MatrixVariant& variant);

}  // namespace meshreel
