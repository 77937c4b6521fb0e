// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/rank_work.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/model/part_sources.h"
#include "engine/project/project_file.h"
#include "engine/runs/launch/rank_failure_mark.h"

namespace meshreel {
namespace {

constexpr std::string_view noCall;  // the ranks may go

/// What rank 0 tells the others before a generation.
struct RankCall {
    std::string project;  ///< YAML with every key
    int devices = 0;
    int workers = 0;
    int stepsDone = 0;
    std::string folder;  ///< of the run
};

std::string textOf(const RankCall& call) {
    return nlohmann::json{{"project", call.project},
                          {"devices", call.devices},
                          {"workers", call.workers},
                          {"steps_done", call.stepsDone},
                          {"folder", call.folder}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RankCall callFrom(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    return {.project = json.at("project").get<std::string>(),
            .devices = json.at("devices").get<int>(),
            .workers = json.at("workers").get<int>(),
            .stepsDone = json.at("steps_done").get<int>(),
            .folder = json.at("folder").get<std::string>()};
}

/// The model that rank 0 gives to all, when the project says so.
std::unique_ptr<BroadcastModel> broadcastWhenAsked(MpiSession& ranks, const Project& project,
                                                   const std::filesystem::path& folder) {
    return project.broadcastWeights ? std::make_unique<BroadcastModel>(ranks, folder) : nullptr;
}

void generateAsFollower(const RunOptions& options, const RankCall& call, const StopToken& stop) {
    RunOptions own = options;
    own.devices = call.devices;
    if (own.workers == 0)
        own.workers = call.workers;
    Project project = parseProject(call.project, "rank 0").project;
    const auto broadcast = broadcastWhenAsked(*options.ranks, project, {});
    if (broadcast) {
        forgetParts(project);  // they are in the folder
        project.model = broadcast->folder().string();
    }
    const RunPlan plan = makePlan(project, planOptionsOf(own));
    DeviceMesh mesh(rankMeshOptions(plan, own));
    GenerationStart start;
    if (call.stepsDone > 0)
        start.resumeFrom = SamplerSnapshot{call.stepsDone, {}, {}};
    GenerationObserver quiet;
    static_cast<void>(
        generate({mesh, stop, nullptr, options.caches ? &*options.caches : nullptr}, plan, start, quiet));
}

/// Does `work`; when it throws, the other ranks are told why.
template <typename Work>
auto tellingRanks(MpiSession& ranks, const Work& work) {
    try {
        return work();
    } catch (...) {
        ranks.fail(describeFailure(noDevice, std::current_exception()));
        throw;
    }
}

}  // namespace

PlanOptions planOptionsOf(const RunOptions& options) {
    PlanOptions planning;
    planning.devices = options.devices;
    planning.workers = options.workers;
    planning.oversubscribe = options.oversubscribe;
    if (options.ranks != nullptr)
        planning.ranks = options.ranks->ranks();
    return planning;
}

DeviceMeshOptions rankMeshOptions(const RunPlan& plan, const RunOptions& options) {
    DeviceMeshOptions mesh = meshOptions(plan);
    mesh.lowPriority = options.lowPriority;
    mesh.pinThreads = plan.layout.devices() > 1;
    if (options.ranks == nullptr)
        return mesh;
    options.ranks->setDevices(plan.layout.devices(), plan.stallTimeout);
    mesh.localDevices = plan.devicesPerRank();
    mesh.firstDevice = options.ranks->rank() * plan.devicesPerRank();
    mesh.remote = options.ranks;
    mesh.sharingProcesses = 0;
    for (int rank = 0; rank < options.ranks->ranks(); ++rank) {
        if (rank == options.ranks->rank())
            mesh.sharingIndex = mesh.sharingProcesses;
        if (options.ranks->host(rank) == options.ranks->host(options.ranks->rank()))
            ++mesh.sharingProcesses;
    }
    return mesh;
}

std::unique_ptr<BroadcastModel> callOtherRanks(const RunPlan& plan, const RunOptions& options, int stepsDone,
                                               const std::filesystem::path& folder) {
    if (options.ranks == nullptr)
        return nullptr;
    const RankCall call{.project = resolvedYaml(plan.project),
                        .devices = plan.layout.devices(),
                        .workers = options.workers,
                        .stepsDone = stepsDone,
                        .folder = folder.string()};
    static_cast<void>(options.ranks->broadcastText(textOf(call)));
    return broadcastWhenAsked(*options.ranks, plan.project, plan.modelFolder);
}

RunOutcome leadRanks(const RunOptions& options, const std::function<RunOutcome()>& work) {
    if (options.ranks == nullptr)
        return work();
    return tellingRanks(*options.ranks, [&] {
        RunOutcome outcome = work();
        static_cast<void>(options.ranks->broadcastText(noCall));
        return outcome;
    });
}

void followRun(const RunOptions& options, const StopToken& stop) {
    tellingRanks(*options.ranks, [&] {
        for (std::string text; !(text = options.ranks->broadcastText({})).empty();) {
            const RankCall call = callFrom(text);
            const AbandonedRunMark mark(*options.ranks, call.folder);
            generateAsFollower(options, call, stop);
        }
    });
}

}  // namespace meshreel
