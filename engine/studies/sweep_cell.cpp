// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/sweep_cell.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <variant>

#include "engine/attention/context_split.h"
#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/mesh/machine_load.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/transformer/wan_tensor_specs.h"
#include "engine/planning/model/model_library.h"
#include "engine/planning/run_precision.h"
#include "engine/planning/video_shape.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace {

/// Nothing is encoded, but a project wants a prompt.
Project projectOf(const SweepCell& cell) {
    Project project = cell.project;
    if (project.prompt.empty())
        project.prompt = cell.strategy;
    return project;
}

int workersOf(const Project& project, int devices) {
    return project.workers > 0 ? static_cast<int>(project.workers) : std::max(1, availableCpus() / devices);
}

ModelFacts factsOf(const SweepFile& sweep, const Project& project) {
    ModelFacts facts;
    if (sweep.architecture.empty())
        facts = readModelFacts(findModel(project.model));
    else
        facts.transformer = WanTransformerConfig::fromJson(
            configOf(requireArchitecture(sweep.architecture), sweep.layers), "arch");
    facts.transformer.layers = sweep.layers;
    return facts;
}

}  // namespace

std::string ResolvedCell::group() const {
    const MeshShape shape = mesh.layout.shape();
    return fmt::format("{} {} {} {} {} {} {} {}", shape.data, shape.fsdp, shape.context, shape.tensor,
                       mesh.workersPerDevice, workload.latents.text(), keyValueOf(workload.precision.weights),
                       keyValueOf(workload.precision.activations));
}

AskedMesh askedMesh(const SweepCell& cell) {
    const Project project = projectOf(cell);
    AskedMesh asked{.devices = static_cast<int>(project.devices),
                    .workersPerDevice = static_cast<int>(project.workers)};
    if (hasErrors(validate(project)))
        return asked;
    const auto mesh = resolveMesh(meshRequest(project));
    if (const auto* layout = std::get_if<MeshLayout>(&mesh))
        asked.devices = layout->devices();
    if (asked.devices > 0)
        asked.workersPerDevice = workersOf(project, asked.devices);
    return asked;
}

ResolvedCell resolveCell(const SweepFile& sweep, const SweepCell& cell) {
    const Project project = projectOf(cell);
    std::vector<ProjectProblem> problems = validate(project);
    if (hasErrors(problems))
        throw ProjectError(std::move(problems));
    const ModelFacts facts = factsOf(sweep, project);
    const auto mesh = resolveMesh(meshRequest(project));
    if (const auto* fault = std::get_if<MeshFault>(&mesh))
        throw Error(ErrorKind::Project, fault->message, fault->key, fault->hint);
    const MeshLayout& layout = std::get<MeshLayout>(mesh);
    if (const auto overload = deviceOverload(layout.devices(), availableCpus());
        overload && !sweep.oversubscribe)
        throw Error(ErrorKind::Project, overload->message, "devices", overload->hint);
    AttentionSettings attention = attentionSettings(project);
    const MeshShape shape = layout.shape();
    const auto faults = attentionProblems(attention, facts.transformer.heads, facts.transformer.headDim,
                                          shape.context, shape.tensor);
    if (!faults.empty())
        throw Error(ErrorKind::Project, faults.front().message, faults.front().key, faults.front().hint);
    attention.blocks = resolveFlashBlocks(attention.blocks);
    const Shape one = latentShapeOf(project, facts);
    return {.cell = &cell,
            .workload = {.config = facts.transformer,
                         .latents = {cell.batch, facts.transformer.inChannels, one[2], one[3], one[4]},
                         .precision = precisionOf(project).transformer},
            .mesh = {.layout = layout, .workersPerDevice = workersOf(project, layout.devices())},
            .attention = attention};
}

double timeCell(const ResolvedCell& cell, const StopToken& stop) {
    WorkerPool writers({.workers = availableCpus()});
    const RandomCheckpoint random({writers, stop}, wanTensors(cell.workload.config, DType::BF16));
    TimedForward forward(cell.workload, cell.mesh, cell.attention, random.checkpoint());
    static_cast<void>(forward.run(stop));  // warms up
    throwIfStopped(stop);
    return forward.run(stop).seconds;
}

}  // namespace meshreel
