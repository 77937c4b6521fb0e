// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/gpu/gpu_facts.h"

namespace meshreel {

/// What became of a driver that was asked for its devices.
enum class DriverState : std::uint8_t {
    Answered,  ///< with devices, or without: its card is not in this machine
    Failed,    ///< ended with an error, or did not answer in time
    Skipped,   ///< failed before and has not changed since
};

template <>
struct EnumNames<DriverState> {
    static constexpr std::array<std::string_view, 3> names{"answered", "failed", "skipped"};
};

/// A Vulkan driver of this system: the file by which the loader finds it, and its devices.
struct GpuDriver {
    std::filesystem::path manifest;  ///< "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json"
    DriverState state = DriverState::Answered;
    /// Why it failed or is skipped, or has no device although it answered. Empty with devices.
    Sentence why = {};
    std::vector<GpuFacts> gpus = {};

    static constexpr auto fields() {
        return std::tuple(field("manifest", &GpuDriver::manifest), field("state", &GpuDriver::state),
                          field("why", &GpuDriver::why), field("gpus", &GpuDriver::gpus));
    }
};

/// How drivers are asked.
struct DriverQuestion {
    /// A program that prints answerOfDriver(), given the manifest as its last argument: a driver that crashes
    /// ends that program, not this one.
    std::vector<std::string> program;
    std::filesystem::path memory;  ///< a file that remembers drivers that failed; empty: none
    bool again = false;            ///< ask those too
    /// What a driver without a real GPU answered holds as long as neither its files nor the cards of this
    /// system change: it is not asked. What is free of the host's memory is read anew.
    bool remembersSoftware = false;
    std::chrono::seconds patience{20};  ///< time limit of one answer
};

/// Asks every driver of this system, one child process each. Throws Error{Input} when the program cannot be
/// started.
std::vector<GpuDriver> askDrivers(const DriverQuestion& question);

/// Returns the question that `meshreel` asks: in a child process of itself, remembered in the user's cache.
DriverQuestion usualQuestion();

/// Returns what askDrivers(usualQuestion()) answered in this process some seconds ago, else what it answers
/// now: for whoever computes or plans. Software drivers are remembered from process to process. Any thread.
std::vector<GpuDriver> recentDrivers();

/// Returns every device of the drivers, in their order: a GPU's number, as users give it, is its place here.
std::vector<GpuFacts> listGpus(const std::vector<GpuDriver>& drivers);

/// Returns why no GPU can be used; empty when one can.
Sentence whyNoGpu(const std::vector<GpuDriver>& drivers);

/// Runs in the child process: asks the driver of this manifest and no other. Returns a line of JSON for
/// readAnswer().
std::string answerOfDriver(const std::filesystem::path& manifest);

/// Returns the manifests that Vulkan's loader would read, in its order: those that VK_DRIVER_FILES or
/// VK_ICD_FILENAMES name, otherwise those in the folders vulkan/icd.d of the XDG variables.
std::vector<std::filesystem::path> driverManifests();

}  // namespace meshreel
