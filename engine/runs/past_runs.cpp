// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/past_runs.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/version.h"
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

MachineIdentity toMachine(const nlohmann::json& environment) {
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

/// Another build may be faster or slower; an earlier version did not say which it was.
bool isOfThisBuild(const nlohmann::json& environment) {
    return environment.at("meshreel").value("commit", std::string()) == versionCommit();
}

/// Nothing for a run that teaches nothing. Throws Error and nlohmann::json::exception for files that are
/// damaged or older than predictions.
std::optional<PastRun> readPastRun(const fs::path& path, const MachineIdentity& machine) {
    const nlohmann::json environment = readJsonObject(path / run_file::environment);
    if (environment.at("ranks") != 1 || toMachine(environment) != machine || !isOfThisBuild(environment))
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

}  // namespace meshreel
