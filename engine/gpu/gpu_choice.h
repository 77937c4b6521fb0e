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

    bool automatic = false;  ///< a real one, if there is one
    /// As meshreel devices counts them: of each device of the mesh in order, or of those of each process. A
    /// GPU that is named twice is two devices.
    std::vector<int> numbers = {};

    /// "auto", "none", "0" or "0,2"; nothing for another text.
    static std::optional<GpuChoice> parse(std::string_view text);

    [[nodiscard]] bool isNone() const { return !automatic && numbers.empty(); }
};

/// What is wrong with the value of the key `gpus` by itself: it is none that GpuChoice reads.
std::vector<Problem> gpuChoiceProblems(std::string_view text);

/// A GPU of this machine that work goes to.
struct ChosenGpu {
    int number = 0;                       ///< as meshreel devices counts
    std::filesystem::path manifest = {};  ///< of its driver
    GpuFacts facts = {};
};

/// Real GPUs that can be used, the best first: discrete ones before others, then those with the most memory.
std::vector<ChosenGpu> realGpus(const std::vector<GpuDriver>& drivers);

/// The GPUs that a choice means: those of its numbers, or of `automatic` the first of realGpus(). None where
/// it means none or `automatic` finds none: software drivers are taken by number only. Throws Error{Project}
/// for a number that is not there and for a GPU that cannot be used, with the numbers that can be as fixes.
std::vector<ChosenGpu> chooseGpus(const GpuChoice& choice, const std::vector<GpuDriver>& drivers);

/// Opens each GPU with its driver and no other: see VulkanLibrary about the environment. Those that are one
/// GPU are opened once for each, and share nothing but its speed. `blockBytes` is as for GpuPool. Throws
/// Error{Device}.
std::vector<std::shared_ptr<GpuWork>> openGpus(std::span<const ChosenGpu> chosen,
                                               std::size_t blockBytes = GpuPool::usualBlock);

}  // namespace meshreel
