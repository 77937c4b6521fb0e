// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_status.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/local_time.h"
#include "engine/base/sentence_json.h"

namespace meshreel {
namespace {

constexpr std::array<std::pair<RunStatus, std::string_view>, 5> statusNames{{
    {RunStatus::Running, "running"},
    {RunStatus::Done, "done"},
    {RunStatus::Cancelled, "cancelled"},
    {RunStatus::Failed, "failed"},
    {RunStatus::Crashed, "crashed"},
}};

RunStatus statusFromName(const std::string& name) {
    const auto* found = std::ranges::find(statusNames, name, &decltype(statusNames)::value_type::second);
    if (found == statusNames.end())
        throw Error(ErrorKind::Input, sentence("\"{}\" is not a status of a run", name), "status.json",
                    sentence("It is one of running, done, cancelled, failed"));
    return found->first;
}

nlohmann::json outlineJson(const RunOutline& outline) {
    const MeshShape& mesh = outline.mesh;
    return {
        {"model", outline.model},
        {"width", outline.width},
        {"height", outline.height},
        {"frames", outline.frames},
        {"attention", outline.attention},
        {"mesh",
         {{"data", mesh.data}, {"fsdp", mesh.fsdp}, {"context", mesh.context}, {"tensor", mesh.tensor}}},
    };
}

RunOutline outlineFrom(const nlohmann::json& json) {
    const nlohmann::json& mesh = json.at("mesh");
    return {.model = json.at("model").get<std::string>(),
            .width = json.at("width").get<std::int64_t>(),
            .height = json.at("height").get<std::int64_t>(),
            .frames = json.at("frames").get<std::int64_t>(),
            .attention = json.at("attention").get<std::string>(),
            .mesh = {.data = mesh.at("data").get<int>(),
                     .fsdp = mesh.at("fsdp").get<int>(),
                     .context = mesh.at("context").get<int>(),
                     .tensor = mesh.at("tensor").get<int>()}};
}

}  // namespace

std::string_view nameOf(RunStatus status) {
    return std::ranges::find(statusNames, status, &decltype(statusNames)::value_type::first)->second;
}

void to_json(nlohmann::json& json, const RunState& state) {
    json = {{"status", nameOf(state.status)},
            {"pid", state.pid},
            {"started", state.started},
            {"finished", state.finished},
            {"name", state.name},
            {"prompt", state.prompt},
            {"steps", state.steps},
            {"resumes", state.resumes},
            {"resumed_from", state.resumedFrom},
            {"different_machine", state.differentMachine}};
    putSentence(json, "why", state.why);
    if (state.outline)
        json["outline"] = outlineJson(*state.outline);
}

void from_json(const nlohmann::json& json, RunState& state) {
    state.status = statusFromName(json.at("status").get<std::string>());
    state.why = sentenceAt(json, "why");
    state.pid = json.value("pid", 0);
    state.started = json.value("started", "");
    state.finished = json.value("finished", "");
    state.name = json.value("name", "");
    state.prompt = json.value("prompt", "");
    state.steps = json.value("steps", 0);
    state.resumes = json.value("resumes", 0);
    state.resumedFrom = json.value("resumed_from", std::vector<int>());
    state.differentMachine = json.value("different_machine", false);
    state.outline = json.contains("outline") ? std::optional(outlineFrom(json.at("outline"))) : std::nullopt;
}

std::string timestampNow() {
    return localTimeNow("%Y-%m-%dT%H:%M:%S%z");
}

}  // namespace meshreel
