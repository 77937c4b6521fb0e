// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/prediction/machine_rates.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/version.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr int format = 4;  // of the file; samples of earlier ones know fewer classes of work

/// How far `value` is on the way from `from` to `to`, by logarithms; 0 to 1.
double logShare(double value, double from, double to) {
    if (to <= from)
        return value > from ? 1 : 0;
    return std::clamp(std::log(value / from) / std::log(to / from), 0.0, 1.0);
}

nlohmann::ordered_json machineJson(const MachineIdentity& machine) {
    return {{"cpu", machine.cpu}, {"isa", machine.isa}, {"cpus", machine.cpus}, {"version", machine.version}};
}

MachineIdentity machineFrom(const nlohmann::json& json) {
    return {.cpu = json.at("cpu").get<std::string>(),
            .isa = json.at("isa").get<std::string>(),
            .cpus = json.at("cpus").get<int>(),
            .version = json.at("version").get<std::string>()};
}

nlohmann::ordered_json sampleJson(const RateSample& sample) {
    return {{"name", sample.name},
            {"devices", sample.arrangement.devices},
            {"workers_per_device", sample.arrangement.workersPerDevice},
            {"seconds", sample.seconds},
            {"predicted", sample.predicted},
            {"rounds", sample.rounds},
            {"work", workJson(sample.work)}};
}

RateSample sampleFrom(const nlohmann::json& json) {
    return {.name = json.at("name").get<std::string>(),
            .work = workFrom(json.at("work")),
            .arrangement = {.devices = json.at("devices").get<int>(),
                            .workersPerDevice = json.at("workers_per_device").get<int>()},
            .seconds = json.at("seconds").get<double>(),
            .predicted = json.at("predicted").get<double>(),
            .rounds = json.at("rounds").get<std::vector<double>>()};
}

MachineRates ratesFrom(const nlohmann::json& json) {
    const nlohmann::json& slowdown = json.at("slowdown");
    MachineRates rates{.machine = machineFrom(json.at("machine")),
                       .secondsPerUnit = workFrom(json.at("seconds_per_unit")).amounts,
                       .slowdown = {.oneWorker = slowdown.at("one_worker").get<double>(),
                                    .devices = slowdown.at("devices").get<double>(),
                                    .crowded = slowdown.at("crowded").get<double>()},
                       .firstStep = json.at("first_step").get<double>(),
                       .spread = json.at("spread").get<double>(),
                       .roundSpread = json.at("round_spread").get<double>(),
                       .samples = {},
                       .firstSteps = json.at("first_steps").get<std::vector<double>>(),
                       .measured = json.at("measured").get<std::string>()};
    for (const nlohmann::json& sample : json.at("samples"))
        rates.samples.push_back(sampleFrom(sample));
    return rates;
}

/// Letters, digits and dots; what else stands there becomes one '-'.
std::string fileNamePart(const std::string& text) {
    std::string name;
    for (const char c : text) {
        const bool plain =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
        if (plain)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    return name;
}

}  // namespace

MachineIdentity MachineIdentity::ofThis() {
    return {.cpu = cpuModelName(),
            .isa = isaName(),
            .cpus = availableCpus(),
            .version = std::string(versionNumber())};
}

double Slowdown::of(const Arrangement& arrangement, int cpus) const {
    const double all = std::max(1, cpus);
    const double threads = std::min<double>(all, arrangement.devices * arrangement.workersPerDevice);
    const double fewThreads = all > 1 ? std::pow(oneWorker, 1 - logShare(threads, 1, all)) : 1;
    const double manyDevices = std::pow(devices, logShare(arrangement.devices, 1, all));
    const double crowd = std::pow(crowded / devices, logShare(arrangement.devices, all, 2 * all));
    return fewThreads * manyDevices * crowd;
}

double MachineRates::secondsOf(const Work& work, const Arrangement& arrangement) const {
    Work inTurn = work;
    for (const WorkClass kind : {WorkClass::Blocks, WorkClass::Weights})
        inTurn[kind] /= std::clamp(arrangement.devices, 1, std::max(1, machine.cpus));
    const double alone =
        std::inner_product(inTurn.amounts.begin(), inTurn.amounts.end(), secondsPerUnit.begin(), 0.0);
    return alone * slowdown.of(arrangement, machine.cpus);
}

fs::path ratesFile(const MachineIdentity& machine) {
    return userCacheFolder() / "rates" /
           fmt::format("{}-{}-{}cpus-{}.json", fileNamePart(machine.cpu), machine.isa, machine.cpus,
                       machine.version);
}

nlohmann::ordered_json ratesJson(const MachineRates& rates) {
    nlohmann::ordered_json json{{"format", format},
                                {"machine", machineJson(rates.machine)},
                                {"measured", rates.measured},
                                {"seconds_per_unit", workJson({rates.secondsPerUnit})},
                                {"slowdown",
                                 {{"one_worker", rates.slowdown.oneWorker},
                                  {"devices", rates.slowdown.devices},
                                  {"crowded", rates.slowdown.crowded}}},
                                {"first_step", rates.firstStep},
                                {"spread", rates.spread},
                                {"round_spread", rates.roundSpread},
                                {"first_steps", rates.firstSteps},
                                {"samples", nlohmann::ordered_json::array()}};
    for (const RateSample& sample : rates.samples)
        json["samples"].push_back(sampleJson(sample));
    return json;
}

std::optional<MachineRates> readRates(const fs::path& file, const MachineIdentity& machine) {
    std::error_code missing;
    if (!fs::is_regular_file(file, missing))
        return std::nullopt;
    try {
        const nlohmann::json json = nlohmann::json::parse(readFile(file));
        if (json.value("format", 0) != format)
            return std::nullopt;
        MachineRates rates = ratesFrom(json);
        return rates.machine == machine ? std::optional(std::move(rates)) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

void writeRates(const fs::path& file, const MachineRates& rates) {
    std::error_code failure;
    fs::create_directories(file.parent_path(), failure);
    constexpr int indent = 1;
    writeFileAtomically(file, ratesJson(rates).dump(indent) + "\n");
}

}  // namespace meshreel
