// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_work.h"

namespace meshreel {

/// A shader for the units of some forms, compiled for products of these extents and one way to cut the work
/// into groups: a row of a table in engine/kernels/CMakeLists.txt.
struct MatrixVariant {
    MatrixExtents extents = {};
    std::uint32_t subgroup = 0;     ///< invocations; 0: any
    std::uint32_t threads = 0;      ///< of a group
    std::uint32_t sharedBytes = 0;  ///< of a group
    std::string block = {};         ///< "16x16x16 128x128x32 2x2 1"
    std::size_t place = 0;          ///< in its table
    /// SPIR-V of NvF16, KhrF16, KhrBf16, Int8, Int8Dot; empty: it is not compiled in that form.
    std::array<std::span<const std::uint32_t>, 5> words = {};

    [[nodiscard]] std::span<const std::uint32_t> wordsOf(MatrixForm form) const;
};

/// One way to compute a kernel on a GPU. Without a variant: by its scalar shader.
struct GpuCandidate {
    MatrixForm form = MatrixForm::Scalar;
    const MatrixVariant* variant = nullptr;

    [[nodiscard]] std::string_view block() const {
        return variant == nullptr ? std::string_view() : std::string_view(variant->block);
    }
};

/// Scalar, and the variants that a GPU can run in each form that it offers, as far as `filter` admits
/// them.
std::vector<GpuCandidate> candidatesOn(const MatrixOffers& offers, const VariantFilter& filter,
                                       std::span<const MatrixVariant> variants);

/// The same as far as the tuning's filter admits them. A form or block that no variant has is another
/// kernel's and restricts nothing.
std::vector<GpuCandidate> admittedCandidates(GpuPipelines& pipelines,
                                             std::span<const MatrixVariant> variants);

/// The shaders of a variant, in each form that it is compiled in; made once, with their variant.
class VariantShaders {
  public:
    using Check = decltype(GpuShader::check);

    /// `kernel` tells them from the shaders of other tables, in messages. `check` finds the variant by
    /// rowOf().
    VariantShaders(std::string_view kernel, const MatrixVariant& variant, std::size_t constants, Check check);

    /// Of a form other than Scalar that the variant is compiled in.
    [[nodiscard]] const GpuShader& in(MatrixForm form) const;
    [[nodiscard]] bool has(const GpuShader& shader) const;

  private:
    std::vector<GpuShader> m_shaders;  // by form
};

/// The row of a table of variants that has the shader among its `shaders`; it is there.
template <typename Table>
const auto& rowOf(const Table& table, const GpuShader& shader) {
    return *std::ranges::find_if(table, [&](const auto& row) { return row.shaders.has(shader); });
}

/// Changes with the shaders: other ones are measured again.
std::string revisionOf(std::span<const MatrixVariant> variants);

/// A problem on which candidates are measured, larger or smaller.
struct TrialProblem {
    double flops = 0;
    /// Records the kernel once.
    std::function<void(const GpuCandidate& candidate, GpuStream& stream)> record;
};

/// What compares the ways to compute a kernel.
struct KernelTrial {
    std::string_view kernel;  ///< its name among the measurements of a GPU
    std::span<const MatrixVariant> variants;
    std::string_view revision;  ///< revisionOf() them
    /// Compiles and checks. Throws Error{Device} when the candidate is to be refused.
    std::function<void(const GpuCandidate& candidate)> build;
    /// Problems of rising size: the next is measured when it takes no longer than a submission may.
    std::size_t sizes = 0;
    std::function<TrialProblem(std::size_t size)> prepare;
};

/// A candidate that was taken.
struct TakenKernel {
    GpuCandidate candidate = {};
    /// The scalar shader's rate as a part of this one's: what makes its work comparable.
    double workScale = 1.0;
};

/// The fastest way to compute a kernel on the GPU: as measured before, or measured now, once. A way that is
/// refused gives place to the next one. Throws Error{Device} when there is none, or the filter admits none.
TakenKernel takeFastest(GpuPipelines& pipelines, const KernelTrial& trial);

/// Every candidate for a kernel on a GPU, timed one by one on one problem: a search at a size of one's own.
/// The GPU outlives it.
class GpuKernelSearch {
  public:
    /// Of the trial's problems it uses none.
    GpuKernelSearch(GpuWork& gpu, KernelTrial trial, TrialProblem problem);
    GpuKernelSearch(const GpuKernelSearch&) = delete;
    GpuKernelSearch& operator=(const GpuKernelSearch&) = delete;
    /// Waits for the GPU: the problem's memory goes.
    ~GpuKernelSearch();

    [[nodiscard]] std::string_view kernel() const { return m_trial.kernel; }
    [[nodiscard]] std::string_view revision() const { return m_trial.revision; }
    /// Form and block of each, without a rate.
    [[nodiscard]] const std::vector<MeasuredVariant>& variants() const { return m_variants; }
    [[nodiscard]] double flops() const { return m_problem.flops; }
    /// Of the problem, by the GPU's clock. Throws Error{Device} for a candidate that the GPU refuses.
    double secondsOf(std::size_t index);
    /// The one that runs take now; nothing where none has measured.
    [[nodiscard]] std::optional<std::size_t> taken() const;

  private:
    GpuWork& m_gpu;
    KernelTrial m_trial;
    TrialProblem m_problem;
    std::vector<GpuCandidate> m_candidates;
    std::vector<MeasuredVariant> m_variants;
};

}  // namespace meshreel
