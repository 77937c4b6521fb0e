// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/run_work.h"

#include <nlohmann/json.hpp>

namespace meshreel {

std::string_view nameOf(RunStage stage) {
    constexpr std::array<std::string_view, runStages.size()> names{"preparing", "conditioning", "denoising",
                                                                   "decoding"};
    return names[static_cast<std::size_t>(stage)];
}

nlohmann::ordered_json runWorkJson(const RunWork& work) {
    nlohmann::ordered_json json{
        {"steps", work.steps}, {"devices", work.devices}, {"workers_per_device", work.workersPerDevice}};
    if (!work.gpus.empty())
        json["gpus"] = work.gpus;
    for (const RunStage stage : runStages)
        json[std::string(nameOf(stage))] = workJson(work[stage]);
    json["around_steps"] = workJson(work.aroundSteps);
    return json;
}

RunWork runWorkFrom(const nlohmann::json& json) {
    RunWork work{.steps = json.at("steps").get<int>(),
                 .devices = json.at("devices").get<int>(),
                 .workersPerDevice = json.at("workers_per_device").get<int>(),
                 .gpus = json.value("gpus", std::vector<std::string>())};
    for (const RunStage stage : runStages)
        work[stage] = workFrom(json.at(std::string(nameOf(stage))));
    work.aroundSteps = workFrom(json.at("around_steps"));
    return work;
}

}  // namespace meshreel
