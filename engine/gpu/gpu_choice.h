// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/gpu_work.h"

namespace meshreel {

/// Which GPUs a user asks for: the value of the key `gpus`.
struct GpuChoice {
    static constexpr std::string_view key = "gpus";
    static constexpr std::string_view automaticName = "auto";
    static constexpr std::string_view noneName = "none";

    bool automatic = false;         ///< a real one, if there is one
    std::vector<int> numbers = {};  ///< as meshreel devices counts them

    /// "auto", "none", "0" or "0,2"; nothing for another text.
    static std::optional<GpuChoice> parse(std::string_view text);

    [[nodiscard]] bool isNone() const { return !automatic && numbers.empty(); }
};

/// What is wrong with the value of the key `gpus` by itself: it is none that GpuChoice reads, or names more
/// GPUs than the one that a run computes on.
std::vector<Problem> gpuChoiceProblems(std::string_view text);

/// A GPU of this machine that work goes to.
struct ChosenGpu {
    int number = 0;                       ///< as meshreel devices counts
    std::filesystem::path manifest = {};  ///< of its driver
    GpuFacts facts = {};
};

/// The GPU that a choice means: the one of its number, or of `automatic` the discrete one with the most
/// memory, else another real one. Nothing where it means none or `automatic` finds none: software drivers are
/// taken by number only. Throws Error{Project} for a number that is not there and for a GPU that cannot be
/// used, with the numbers that can be as fixes.
std::optional<ChosenGpu> chooseGpu(const GpuChoice& choice, const std::vector<GpuDriver>& drivers);

/// Opens the GPU with its driver and no other: see VulkanLibrary about the environment. Throws Error{Device}.
std::shared_ptr<GpuWork> openGpu(const ChosenGpu& chosen);

}  // namespace meshreel
