// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/disk_rate.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/units.h"
#include "engine/catalogue/offered_model.h"
#include "engine/models/families/model_family.h"
#include "engine/models/families/model_identity.h"
#include "engine/planning/memory_fit.h"
#include "engine/project/project_keys.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Plans for one amount of memory, also beyond it.
class Fitting {
  public:
    explicit Fitting(const PlanOptions& options) : m_options(options) {
        if (!m_options.memoryBytes)
            m_options.memoryBytes = availableMemory();
        m_options.beyondMemory = true;
    }

    [[nodiscard]] ModelFit plan(const Project& project) const {
        ModelFit fit = assessFit(*makePlan(project, m_options));
        fit.project = project;  // not as the plan completed it
        return fit;
    }

    /// At this size.
    [[nodiscard]] ModelFit find(const Project& project) const {
        ModelFit best = plan(project);
        if (best.kind == FitKind::Fits)
            return best;
        for (const Project& leaner : leanerProjects(project, *m_options.memoryBytes)) {
            if (best.kind == FitKind::Streamed && leaner.memoryBudget != project.memoryBudget)
                continue;  // in other number types it would be streamed, too
            ModelFit other = plan(leaner);
            other.changes = changesBetween(project, leaner);
            if (other.kind == FitKind::Fits)
                return other;
            const bool isBetter = best.kind == FitKind::TooLarge &&
                                  (other.kind == FitKind::Streamed || other.memory < best.memory);
            if (isBetter)
                best = std::move(other);
        }
        if (best.kind == FitKind::TooLarge)
            best.changes.clear();
        return best;
    }

    /// Returns the largest size of about the same form with which this project, the leanest, fits.
    [[nodiscard]] std::optional<Project> findSmaller(const Project& project, const ModelFit& leanest) const {
        const std::int64_t step = sizeStep(project);
        const auto sized = [&](const Project& of, std::int64_t steps) {
            Project smaller = of;
            smaller.width = steps * step;
            smaller.height = std::max(step, smaller.width * project.height / project.width / step * step);
            return smaller;
        };
        std::int64_t fitting = 0;
        std::int64_t beyond = project.width / step;
        while (beyond - fitting > 1) {
            const std::int64_t middle = (fitting + beyond) / 2;
            (plan(sized(leanest.project, middle)).kind == FitKind::TooLarge ? beyond : fitting) = middle;
        }
        return fitting == 0 ? std::nullopt : std::optional(sized(project, fitting));
    }

  private:
    /// Pixels that width and height are multiples of.
    [[nodiscard]] std::int64_t sizeStep(const Project& project) const {
        const std::shared_ptr<const ModelFacts> model =
            m_options.model ? m_options.model : readProjectModel(project).facts;
        return model == nullptr ? 1 : model->family->sizeMultiple;
    }

    PlanOptions m_options;
};

}  // namespace

ModelFit assessFit(const RunPlan& plan) {
    const std::uint64_t reading = diskBytesPerStep(plan);
    const bool isTooLarge = plan.memory.peak() > plan.memory.limit();
    return {.kind = isTooLarge    ? FitKind::TooLarge
                    : reading > 0 ? FitKind::Streamed
                                  : FitKind::Fits,
            .project = plan.project,
            .changes = {},
            .memory = plan.memory.peak(),
            .available = plan.memory.limit(),
            .diskBytesPerStep = reading,
            .hungriest = hungriestStage(plan.memory)};
}

ModelFit findFit(const Project& project, const PlanOptions& options) {
    const Fitting fitting(options);
    ModelFit fit = fitting.find(project);
    if (fit.kind == FitKind::TooLarge)
        if (const std::optional<Project> smaller = fitting.findSmaller(project, fit))
            fit.smaller = std::make_shared<const ModelFit>(fitting.find(*smaller));
    return fit;
}

namespace {

/// The files of a model's transformer, or the file itself.
void addFiles(const fs::path& model, std::vector<fs::path>& files) {
    if (isFile(model))
        files.push_back(model);
    const fs::path transformer = model / "transformer";
    std::error_code failure;
    for (fs::directory_iterator entry(isFolder(transformer) ? transformer : model, failure), end;
         !failure && entry != end; entry.increment(failure))
        if (isFile(entry->path()))
            files.push_back(entry->path());
}

std::uintmax_t bytesOfFile(const fs::path& file) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(file, failure);
    return failure ? 0 : bytes;
}

/// Measures the first of the largest files that is not sparse.
DiskRate rateOfLargest(std::vector<fs::path> files) {
    constexpr std::size_t tries = 3;
    const std::size_t tried = std::min(tries, files.size());
    std::ranges::partial_sort(files, files.begin() + static_cast<std::ptrdiff_t>(tried), std::greater(),
                              bytesOfFile);
    files.resize(tried);
    for (const fs::path& file : files)
        if (const std::optional<double> rate = measureDiskRate(file))
            return {.bytesPerSecond = *rate, .isMeasured = true};
    return {};
}

}  // namespace

DiskRate modelDiskRate(const ModelCatalogue& catalogue) {
    std::vector<fs::path> files;
    for (const CatalogueFile& file : catalogue.files)
        files.push_back(file.path);
    for (const ModelInfo& model : catalogue.models)
        if (!model.embedded)
            addFiles(model.folder, files);
    return rateOfLargest(std::move(files));
}

DiskRate modelDiskRate(const fs::path& model) {
    std::vector<fs::path> files;
    addFiles(model, files);
    return rateOfLargest(std::move(files));
}

double secondsLonger(const ModelFit& fit, const DiskRate& rate) {
    return static_cast<double>(fit.diskBytesPerStep) / rate.bytesPerSecond;
}

namespace {

Sentence durationOf(double seconds) {
    constexpr double minute = 60;
    constexpr double hour = 60 * minute;
    if (seconds < 1.5 * minute)
        return sentence("{:.0f} s", std::max(1.0, seconds));
    if (seconds < 10 * minute)
        return sentence("{:.1f} min", seconds / minute);
    return seconds < 2 * hour ? sentence("{:.0f} min", seconds / minute)
                              : sentence("{:.1f} h", seconds / hour);
}

/// What is changed for it, without what streaming says.
std::vector<Sentence> conditionsOf(const ModelFit& fit) {
    std::vector<Sentence> conditions;
    const auto changes = [&](std::string_view key) {
        return std::ranges::find(fit.changes, key, &KeyChange::key) != fit.changes.end();
    };
    if (changes("weights_dtype"))
        conditions.push_back(fit.project.weightsDtype == "int8" ? sentence("int8 weights")
                                                                : sentence("bfloat16 weights"));
    else if (changes("activations_dtype"))
        conditions.push_back(sentence("bfloat16 activations"));
    if (changes("vae_dtype"))
        conditions.push_back(sentence("a bfloat16 VAE"));
    return conditions;
}

Sentence describeFitting(const ModelFit& fit, const DiskRate& rate) {
    const std::vector<Sentence> conditions = conditionsOf(fit);
    Sentence text = sentence("fits");
    if (conditions.size() == 1)
        text = sentence("fits with {}", conditions[0]);
    else if (conditions.size() == 2)
        text = sentence("fits with {} and {}", conditions[0], conditions[1]);
    if (fit.kind != FitKind::Streamed)
        return text;
    const Sentence longer = durationOf(secondsLonger(fit, rate));
    if (rate.isMeasured)
        return sentence("{}, streamed from the disk: at most {} a step longer", text, longer);
    return sentence("{}, streamed from the disk: {} a step, at most {} longer at {:g} GB/s", text,
                    formatBytes(fit.diskBytesPerStep), longer, rate.bytesPerSecond / giga);
}

}  // namespace

Sentence fitSentence(const ModelFit& fit, const DiskRate& rate) {
    if (fit.kind != FitKind::TooLarge)
        return describeFitting(fit, rate);
    const Sentence large =
        sentence("too large at {}: {} takes {} at the least, and {} are free", videoText(fit.project),
                 fit.hungriest, formatBytes(fit.memory), formatBytes(fit.available));
    if (fit.smaller == nullptr)
        return large;
    return sentence("{}; {}: {}", large, videoText(fit.smaller->project),
                    describeFitting(*fit.smaller, rate));
}

bool OfferFit::readsDisk() const {
    if (!memory)
        return false;
    const ModelFit& fit = memory->smaller ? *memory->smaller : *memory;
    return fit.kind == FitKind::Streamed;
}

namespace {

ModelFit fitUsual(ModelFacts model, PlanOptions options) {
    const Project project = usualProject(model);
    options.model = std::make_shared<const ModelFacts>(std::move(model));
    return findFit(project, options);
}

/// The type that most tensors of a class have.
std::string mostCommon(const StoredClass& stored) {
    const auto most =
        std::ranges::max_element(stored.tensorsOfType, {}, [](const auto& type) { return type.second; });
    return most == stored.tensorsOfType.end() ? std::string() : most->first;
}

}  // namespace

OfferFit fitOffer(const ModelOffer& offer, std::uint64_t bytesMissing, std::uint64_t memory,
                  std::optional<std::vector<GpuDriver>> drivers) {
    OfferFit fit{.bytesMissing = bytesMissing, .diskFree = freeDiskSpace(downloadFolder())};
    if (std::optional<ModelFacts> facts = offeredModelFacts(offer))
        fit.memory = fitUsual(*std::move(facts), {.memoryBytes = memory, .drivers = std::move(drivers)});
    return fit;
}

std::optional<ModelFit> fitOfFolder(const fs::path& modelFolder) {
    try {
        return fitUsual(readModelFacts(modelFolder), {});
    } catch (const Error&) {
        return std::nullopt;  // the description of the folder says why
    }
}

std::optional<ModelFit> fitOfWeights(const WeightsInspection& weights) {
    const ModelIdentity& identity = weights.identity;
    const auto matrices = std::ranges::find(weights.classes, "matrices", &StoredClass::name);
    if (identity.part != ModelPart::Transformer || !identity.relative.empty() ||
        identity.architecture == nullptr || matrices == weights.classes.end())
        return std::nullopt;
    const StoredTypeInfo* const stored = findStoredType(mostCommon(*matrices));
    if (stored == nullptr)
        return std::nullopt;
    std::optional<ModelFacts> facts = releasedModelFacts(identity.architecture->name, stored->type);
    return facts ? std::optional(fitUsual(*std::move(facts), {})) : std::nullopt;
}

Sentence fitSentence(const OfferFit& fit, const DiskRate& rate) {
    if (!fit.fitsDisk())
        return sentence("disk too small: {} to download, and {} are free", formatBytes(fit.bytesMissing),
                        formatBytes(fit.diskFree));
    return fit.memory ? fitSentence(*fit.memory, rate) : sentence("fits");
}

Sentence fitWord(const ModelFit& fit) {
    switch (fit.kind) {
        case FitKind::Fits:
            return sentence("fits");
        case FitKind::Streamed:
            return sentence("fits, streamed");
        case FitKind::TooLarge:
            break;
    }
    return sentence("needs {}", formatBytes(fit.memory));
}

Sentence fitWord(const OfferFit& fit) {
    if (!fit.fitsDisk())
        return sentence("disk too small");
    return fit.memory ? fitWord(*fit.memory) : sentence("fits");
}

Sentence rateSentence(const DiskRate& rate) {
    const double gigabytes = rate.bytesPerSecond / giga;
    return rate.isMeasured
               ? sentence("{:.2g} GB/s were measured on the disk with the weights", gigabytes)
               : sentence("{:g} GB/s is assumed: there is no large file of weights to measure the disk by",
                          gigabytes);
}

Project usualProject(const ModelFacts& model) {
    const ModelFamily& family = *model.family;
    const FamilyDefaults& usual = family.defaults;
    Project project;
    project.prompt = std::string(static_cast<std::size_t>(project.maxSequenceLength), '-');
    project.width = usual.width;
    project.height = usual.height;
    project.numFrames = usual.numFrames;
    project.fps = usual.fps;
    project.numInferenceSteps = usual.steps;
    project.flowShift = usual.flowShift;
    project.guidanceScale = usual.guidance;
    project.guidanceScaleLow = usual.guidanceLow;
    project.weightsDtype = "bfloat16";
    project.activationsDtype = "bfloat16";
    const WanTaskRow& task = rowOf(family.tasks.front());
    project.task = task.name;
    for (const std::string_view input : task.needs)
        setFromText(project, *findProjectKey(input), input);
    return project;
}

std::string videoText(const Project& project) {
    return fmt::format("{}x{}, {} frames", project.width, project.height, project.numFrames);
}

namespace {

/// What a project says to run as planned.
constexpr std::array<std::string_view, 7> fittedKeys{
    "width", "height", "num_frames", "weights_dtype", "activations_dtype", "vae_dtype", "memory_budget"};

}  // namespace

std::string fitLines(const ModelFit& fit) {
    const Project& project = fit.smaller ? fit.smaller->project : fit.project;
    std::string lines;
    for (const std::string_view key : fittedKeys)
        if (const std::string value = valueText(project, *findProjectKey(key));
            value != valueText(Project(), *findProjectKey(key)))
            lines += fmt::format("{}: {}\n", key, value);
    return lines;
}

nlohmann::json fitJson(const ModelFit& fit, const DiskRate& rate) {
    nlohmann::json changes = nlohmann::json::object();
    for (const KeyChange& change : fit.changes)
        changes[change.key] = change.value;
    nlohmann::json planned = nlohmann::json::object();
    for (const char* key : {"width", "height", "num_frames", "weights_dtype", "activations_dtype",
                            "vae_dtype", "memory_budget"})
        planned[key] = valueText(fit.project, *findProjectKey(key));
    nlohmann::json json{{"fit", enumName(fit.kind)},
                        {"fit_text", fitSentence(fit, rate).text()},
                        {"fit_changes", std::move(changes)},
                        {"fit_project", std::move(planned)},
                        {"planned_memory_bytes", fit.memory},
                        {"disk_bytes_per_step", fit.diskBytesPerStep},
                        {"step_seconds_longer", secondsLonger(fit, rate)}};
    if (fit.smaller != nullptr)
        json["smaller"] = fitJson(*fit.smaller, rate);
    return json;
}

}  // namespace meshreel
