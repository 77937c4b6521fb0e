// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_forecast.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Run folders, the newest first: their names begin with the time.
std::vector<fs::path> newestFirst(const fs::path& folder) {
    std::vector<fs::path> runs;
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable))
        if (RunFolder::isRun(entry.path()))
            runs.push_back(entry.path());
    std::ranges::sort(runs, std::greater<>());
    return runs;
}

MachineIdentity machineOf(const nlohmann::json& environment) {
    return {.cpu = environment.at("cpu").get<std::string>(),
            .isa = environment.at("isa").get<std::string>(),
            .cpus = environment.at("cpus").get<int>(),
            .version = environment.at("meshreel").at("version").get<std::string>()};
}

/// The steps behind the first, as if all had been like them.
std::optional<double> denoisingSeconds(const nlohmann::json& timings) {
    const auto steps = timings.at("step_seconds").get<std::vector<double>>();
    if (steps.size() < 2)
        return std::nullopt;
    const double behindFirst = std::accumulate(steps.begin() + 1, steps.end(), 0.0);
    return behindFirst * static_cast<double>(steps.size()) / static_cast<double>(steps.size() - 1);
}

/// Nothing for a run that teaches nothing. Throws Error and nlohmann::json::exception for files that are
/// damaged or older than predictions.
std::optional<PastRun> readPastRun(const fs::path& path, const MachineIdentity& machine) {
    const nlohmann::json environment = readJsonObject(path / run_file::environment);
    if (environment.at("ranks") != 1 || machineOf(environment) != machine)
        return std::nullopt;
    const nlohmann::json timings = readJsonObject(path / run_file::timings);
    if (timings.value("first_step", 0) != 0 || timings.contains("parts"))
        return std::nullopt;  // continued: it loaded more than once
    PastRun run{.work = runWorkFrom(environment.at("work")), .seconds = {}};
    const auto set = [&run](RunStage stage, std::optional<double> seconds) {
        run.seconds[static_cast<std::size_t>(stage)] = seconds;
    };
    set(RunStage::Preparing, timings.at("load").get<double>() + timings.at("compile").get<double>());
    if (!timings.value("text_encoder_skipped", false))
        set(RunStage::Conditioning, timings.at("conditioning").get<double>());
    set(RunStage::Denoising, denoisingSeconds(timings));
    set(RunStage::Decoding, timings.at("vae_decode").get<double>());
    return run;
}

}  // namespace

std::vector<PastRun> readPastRuns(const fs::path& folder, const MachineIdentity& machine, std::size_t most) {
    std::vector<PastRun> runs;
    for (const fs::path& path : newestFirst(folder)) {
        if (runs.size() >= most)
            break;
        try {
            if (std::optional<PastRun> run = readPastRun(path, machine))
                runs.push_back(std::move(*run));
        } catch (const Error&) {
            continue;
        } catch (const nlohmann::json::exception&) {
            continue;
        }
    }
    return runs;
}

PredictionBasis readPredictionBasis(const fs::path& runs) {
    const MachineIdentity machine = MachineIdentity::ofThis();
    return {.rates = readRates(ratesFile(machine), machine), .past = readPastRuns(runs, machine)};
}

std::optional<Prediction> predictPlan(const RunPlan& plan, const PredictionBasis& basis) {
    if (!basis.rates || plan.ranks > 1)
        return std::nullopt;
    return predictRun(runWorkOf(plan), *basis.rates, basis.past);
}

std::vector<LegalMesh> rankedMeshes(const RunPlan& plan, const std::vector<Host>& hosts,
                                    const PredictionBasis* basis) {
    MeshSearch search;
    for (const Host& host : hosts)
        search.hostRanks.push_back(host.ranks);
    if (basis != nullptr && plan.project.hosts.empty())
        search.predict = [basis](const RunPlan& other) { return predictPlan(other, *basis); };
    return legalMeshes(plan, search);
}

namespace {

constexpr const char* devicesKey = "devices";

/// Every key that says how many devices there are, alone or with others.
std::vector<std::string> deviceKeys() {
    std::vector<std::string> keys{devicesKey};
    for (const MeshLevel level : {MeshLevel::Ici, MeshLevel::Dcn})
        for (const MeshAxis axis : meshAxes)
            keys.push_back(axisKey(level, axis));
    return keys;
}

Project changed(Project project, const KeyChange& change) {
    setFromText(project, *findProjectKey(change.key), change.value);
    return project;
}

/// The plan on one device, where that is legal and fits.
std::optional<RunPlan> onOneDevice(const Project& project, const PlanOptions& options) {
    try {
        RunPlan plan = makePlan(project, options);
        if (plan.layout.devices() == 1)
            return plan;
    } catch (const Error&) {
        return std::nullopt;
    }
    return std::nullopt;
}

/// A project whose mesh and attention need no other device.
Project withoutMesh(Project project) {
    for (const std::string& key : deviceKeys())
        project = changed(project, {.key = key, .value = "1"});
    for (const KeyChange& change : {KeyChange{"attention", "flash"}, KeyChange{"ulysses_shards", "-1"}})
        project = changed(project, change);
    return project;
}

struct OneDevice {
    RunPlan plan;
    KeyChanges fix;  ///< of one key; empty where several have to be changed
};

std::optional<OneDevice> oneDevice(const Project& project, const PlanOptions& options) {
    for (const std::string& key : deviceKeys()) {
        const KeyChange change{.key = key, .value = "1"};
        if (valueText(project, *findProjectKey(key)) == change.value)
            continue;
        if (std::optional<RunPlan> plan = onOneDevice(changed(project, change), options))
            return OneDevice{std::move(*plan), {change}};
    }
    if (std::optional<RunPlan> plan = onOneDevice(withoutMesh(project), options))
        return OneDevice{std::move(*plan), {}};
    return std::nullopt;
}

}  // namespace

std::optional<Problem> slowMeshWarning(const Project& asked, const PlanOptions& options, const RunPlan& plan,
                                       const Prediction& prediction, const PredictionBasis& basis) {
    // Seconds of several devices over those of one: whole runs of one and two devices were predicted within
    // 14 % (docs/performance.md).
    constexpr double clearly = 1.2;
    if (plan.layout.devices() == 1)
        return std::nullopt;
    PlanOptions alone = options;
    alone.devices = 0;
    const std::optional<OneDevice> one = oneDevice(asked, alone);
    if (!one)
        return std::nullopt;
    const std::optional<Prediction> other = predictPlan(one->plan, basis);
    if (!other || prediction.total.seconds <= clearly * other->total.seconds)
        return std::nullopt;
    return Problem{
        .id = "mesh-slow",
        .severity = Severity::Warning,
        .key = one->fix.empty() ? devicesKey : one->fix.front().key,
        .message = sentence("{} devices are predicted to take {:.1f} times as long here as one device",
                            plan.layout.devices(), prediction.total.seconds / other->total.seconds),
        .fixes = {{.words = sentence(
                       "Take one device: exchange and waiting cost more than sharing the work out saves"),
                   .changes = one->fix}}};
}

}  // namespace meshreel
