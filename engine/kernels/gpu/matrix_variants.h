// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu/gpu_pipelines.h"

namespace meshreel {

/// A shader for matrix units, compiled for products of these extents and one way to cut the work into groups:
/// a row of a table in engine/kernels/CMakeLists.txt.
struct MatrixVariant {
    MatrixExtents extents = {};
    std::uint32_t subgroup = 0;                                ///< invocations
    std::uint32_t threads = 0;                                 ///< of a group
    std::uint32_t sharedBytes = 0;                             ///< of a group
    std::string block = {};                                    ///< "16x16x16 128x128x32 2x2 1"
    std::size_t place = 0;                                     ///< in its table
    std::array<std::span<const std::uint32_t>, 3> words = {};  ///< of NvF16, KhrF16, KhrBf16

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

}  // namespace meshreel
