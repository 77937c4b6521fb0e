// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/model_offers.h"
#include "engine/catalogue/weights_inspection.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_list.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"

namespace meshreel {

/// Whether this machine's memory holds a run.
enum class FitKind : std::uint8_t {
    Fits,
    Streamed,  ///< weights are read from the disk in each step, because memory does not hold them
    TooLarge,  ///< with every number type, even when no layer is kept
};

template <>
struct EnumNames<FitKind> {
    static constexpr auto names = std::to_array<std::string_view>({"fits", "streamed", "too_large"});
};

/// How a run fits this machine, as makePlan() plans it.
struct ModelFit {
    FitKind kind = FitKind::Fits;
    Project project;     ///< that was planned: as asked, with the changes; TooLarge: in the least memory
    KeyChanges changes;  ///< changes to the request with which it fits
    std::uint64_t memory = 0;                      ///< that the plan takes at most
    std::uint64_t available = 0;                   ///< bytes of memory
    std::uint64_t diskBytesPerStep = 0;            ///< see diskBytesPerStep(const RunPlan&)
    Sentence hungriest;                            ///< the stage that takes `memory`
    std::shared_ptr<const ModelFit> smaller = {};  ///< TooLarge: the largest smaller size that fits
};

/// Returns how the plan fits by itself; it may be one that memory does not hold.
ModelFit assessFit(const RunPlan& plan);

/// Looks for how the project fits: as it is, else with the fewest changes of leanerProjects(), those first
/// that read nothing from the disk in a step, else at a smaller size. makePlan() makes a plan of `project`
/// with these options, and of TooLarge refuses it. Throws as makePlan() does, but for memory.
ModelFit findFit(const Project& project, const PlanOptions& options);

/// How fast the disk gives weights.
struct DiskRate {
    double bytesPerSecond = 1e9;  ///< what a SATA SSD has twice; nobody measured it
    bool isMeasured = false;
};

/// Measures the rate of the disk with the user's models, by reading for about a tenth of a second from the
/// largest file of weights among them; assumes a rate without one.
DiskRate modelDiskRate(const ModelCatalogue& catalogue);
/// Measures the rate of the disk with a file of weights, or with a model's folder.
DiskRate modelDiskRate(const std::filesystem::path& model);

/// Returns what streaming lengthens a step by at the most, in seconds: reading and computing overlap.
double secondsLonger(const ModelFit& fit, const DiskRate& rate);

/// "fits", "fits with int8 weights", "fits, streamed from the disk: at most 28 s a step longer", or what is
/// too large, with the numbers and the size that fits.
Sentence fitSentence(const ModelFit& fit, const DiskRate& rate);

/// How an offer fits this machine.
struct OfferFit {
    std::optional<ModelFit> memory = {};  ///< for its usual video; nothing when it is not a model by itself
    std::uint64_t bytesMissing = 0;       ///< bytes to be downloaded
    std::uint64_t diskFree = 0;           ///< the folder to save in

    [[nodiscard]] bool fitsDisk() const { return bytesMissing <= diskFree; }
    /// Returns whether each step of its usual video, or of the smaller one that fits, reads the disk.
    [[nodiscard]] bool readsDisk() const;
};

/// Plans the usual project of the offered model in `memory` bytes; `drivers` as in PlanOptions.
OfferFit fitOffer(const ModelOffer& offer, std::uint64_t bytesMissing, std::uint64_t memory,
                  std::optional<std::vector<GpuDriver>> drivers = {});

/// Returns the fit of the usual video of the model in a folder in diffusers layout; nothing when it cannot be
/// used.
std::optional<ModelFit> fitOfFolder(const std::filesystem::path& modelFolder);
/// Returns the fit of the model to which such a transformer belongs; nothing for other weights, and when the
/// model is not known.
std::optional<ModelFit> fitOfWeights(const WeightsInspection& weights);

/// Returns fitSentence() of its memory, or that the disk is too small, with the numbers; "fits" when it is
/// not a model.
Sentence fitSentence(const OfferFit& fit, const DiskRate& rate);

/// Returns the word of fitSentence() for a list: "fits", "fits, streamed", "needs 43.0 GiB", "disk too
/// small".
Sentence fitWord(const ModelFit& fit);
Sentence fitWord(const OfferFit& fit);

/// Returns where the rate comes from.
Sentence rateSentence(const DiskRate& rate);

/// Returns a project that makes a model's usual video: its family's size, frames, steps and guidance in
/// bfloat16, a prompt of any length, and names in place of the inputs that its task needs.
Project usualProject(const ModelFacts& model);

/// "832x480, 81 frames": what is planned for.
std::string videoText(const Project& project);

/// Size, length and number types of what fits, and its memory_budget, as lines of a project's YAML.
std::string fitLines(const ModelFit& fit);

/// Returns the keys "fit" (FitKind), "fit_text", "fit_changes" {key: value}, "fit_project" {of size, length
/// and types}, "planned_memory_bytes", "disk_bytes_per_step", "step_seconds_longer".
nlohmann::json fitJson(const ModelFit& fit, const DiskRate& rate);

}  // namespace meshreel
