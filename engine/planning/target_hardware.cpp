// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/target_hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/attention/attention_mode.h"
#include "engine/attention/context_split.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/units.h"
#include "engine/catalogue/model_facts.h"
#include "engine/estimates/prediction.h"
#include "engine/estimates/work.h"
#include "engine/foresight/foresight_model.h"
#include "engine/foresight/foresight_text.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/families/model_family.h"
#include "engine/project/gpu_choice.h"
#include "engine/sampling/guidance.h"

namespace meshreel {
namespace {

constexpr int longRing = 8;             ///< from which on a ring is held against shorter ones
constexpr double clearlySlower = 1.02;  ///< beyond it the range of meshes that are equally good

/// Returns `of` with the plan's own mesh, mode and block sizes.
AcceleratorCase caseOn(AcceleratorCase of, const RunPlan& plan) {
    const MeshShape& shape = plan.layout.shape();
    const AttentionMode& mode = *plan.attention.mode;
    const ContextSplit split = contextSplit(plan.attention, shape.context);
    of.mesh = {.data = shape.data,
               .fsdp = shape.fsdp,
               .gathered = shape.context / split.devices(),
               .ring = split.ring,
               .ulysses = split.ulysses,
               .tensor = shape.tensor};
    if (mode.exchange == Exchange::Gather) {  // whatever the ring of its split says, keys come at once
        of.mesh.gathered = shape.context / split.ulysses;
        of.mesh.ring = 1;
    }
    of.kernel = &kernelFor(*of.hardware, *of.program, mode.kernel);
    of.bothWays = mode.rotation == Rotation::BidirectionalRing;
    of.chunks = static_cast<int>(plan.attention.chunks);
    if (of.hardware->kind == AcceleratorKind::Tpu) {
        of.blockQ = plan.attention.blocks.blockQ;
        of.blockKv = plan.attention.blocks.blockKv;
    }
    return of;
}

PredictedSeconds toPrediction(const ForeseenTime& time) {
    return {.seconds = time.seconds, .low = time.low, .high = time.high};
}

Problem memoryWarning(const ForeseenMesh& mesh) {
    return {.id = "memory-short",
            .severity = Severity::Warning,
            .key = "devices",
            .message = sentence("{} needs {:.0f} GiB a device for {}, which has {:.0f} GiB",
                                mesh.of.mesh.label(), mesh.memory.total() / gibibyte, mesh.of.hardware->title,
                                mesh.of.hardware->memory / gibibyte),
            .fixes = byHand(sentence("Use more devices, or shard the weights over an fsdp axis"))};
}

/// Whether the program there can exchange the heads that the tensor axis leaves to a device of this mesh.
bool takesHeads(const AcceleratorProgram& program, const RunPlan& plan, const MeshShape& shape,
                const ContextSplit& split) {
    return exchangesHeads(program, plan.model.transformer.heads / shape.tensor, split.ulysses);
}

std::optional<Problem> headsWarning(const RunPlan& plan, const AcceleratorProgram& program) {
    const MeshShape& shape = plan.layout.shape();
    const ContextSplit split = contextSplit(plan.attention, shape.context);
    if (takesHeads(program, plan, shape, split))
        return std::nullopt;
    return Problem{.id = "heads-not-for-program",
                   .severity = Severity::Warning,
                   .key = "attention",
                   .involved = {"ulysses_shards"},
                   .message = sentence("{} does not exchange {} heads between {} devices", program.name,
                                       plan.model.transformer.heads / shape.tensor, split.ulysses),
                   .fixes = byHand(sentence("Exchange heads between devices that divide them, use "
                                            "tokamax_ring, or plan for a program that shares heads out "
                                            "unevenly"))};
}

/// The fastest with the plan's axes and number of devices whose ring is shorter than the plan's.
const LegalMesh* shorterRing(const std::vector<LegalMesh>& meshes, const RunPlan& plan, int ring) {
    const auto found = std::ranges::find_if(meshes, [&](const LegalMesh& mesh) {
        return mesh.fits && mesh.step && mesh.layout.shape() == plan.layout.shape() &&
               mesh.split.ring < ring && mesh.mode->kernel == plan.attention.mode->kernel;
    });
    return found == meshes.end() ? nullptr : &*found;
}

/// Only what the plan does not have yet: mesh axes stay as they are written.
KeyChanges attentionChanges(const LegalMesh& mesh, const RunPlan& plan) {
    KeyChanges changes;
    for (const KeyChange& change : mesh.changes)
        if ((change.key == "attention" && change.value != plan.attention.mode->name) ||
            (change.key == "ulysses_shards" && mesh.mode->hybrid()))
            changes.push_back(change);
    return changes;
}

std::optional<Problem> ringWarning(const ForeseenMesh& own, const RunPlan& plan,
                                   const TargetHardware& target) {
    const int ring = own.of.mesh.ring;
    if (ring < longRing)
        return std::nullopt;
    const std::vector<LegalMesh> meshes = rankedMeshesOn(target, plan);
    const LegalMesh* shorter = shorterRing(meshes, plan, ring);
    const double step = own.step.seconds;
    if (shorter == nullptr || step <= clearlySlower * shorter->step->seconds)
        return std::nullopt;
    const bool isBound = own.seconds.transferPerHop > own.seconds.kernelPerHop;
    const Sentence why = isBound ? sentence("a hop takes {:.1f} ms, and the kernel beside it only {:.1f} ms",
                                            millisecondsPerSecond * own.seconds.transferPerHop,
                                            millisecondsPerSecond * own.seconds.kernelPerHop)
                                 : sentence("its {} hops start more blocks and merge more partials", ring);
    const std::string split = fmt::format("U{} R{}", shorter->split.ulysses, shorter->split.ring);
    return Problem{.id = "mesh-slow",
                   .severity = Severity::Warning,
                   .key = "ulysses_shards",
                   .involved = {"attention"},
                   .message = sentence("A ring of {} takes {:.3g} s a step on {}: {}", ring, step,
                                       own.of.hardware->title, why),
                   .fixes = {{.words = sentence("{} with {} takes {:.3g} s", split, shorter->mode->name,
                                                shorter->step->seconds),
                              .changes = attentionChanges(*shorter, plan)}}};
}

}  // namespace

TargetHardware readTargetHardware(const std::string& nameOrFile, const std::string& program) {
    TargetHardware target{.hardware = requireHardware(nameOrFile)};
    target.program = &requireProgram(program.empty() ? target.hardware->defaultProgram : program);
    target.foresight = std::make_shared<const Foresight>(readForesight(target.hardware));
    return target;
}

namespace {

/// Plans as if this machine had the devices and the memory, and no GPU: the question is about another one.
PlanPtr planAnywhere(Project project) {
    project.memoryBudget = 0;
    project.gpus = GpuChoice::none();
    project.hosts.clear();
    PlanOptions options{.memoryBytes = std::uint64_t{1} << 52, .oversubscribe = true};
    const ProjectModel model = readProjectModel(project);
    if (model.isReleased() && model.facts)
        options.model = model.facts;
    return makePlan(project, options);
}

/// Passes of a step for one video; one that sees fewer tokens counts as a part of one, by its work.
double wholePasses(const RunPlan& plan) {
    const auto work = [&](std::int64_t tokens) {
        return transformerPassFlops(plan.model.transformer, tokens, plan.project.maxSequenceLength);
    };
    double passes = 0;
    for (const GuidedPass& pass : plan.passes)
        passes += work(plan.tokensOf(pass)) / work(plan.tokens);
    return passes;
}

}  // namespace

AcceleratorCase projectCase(const Project& project, const Hardware& hardware,
                            const AcceleratorProgram& program) {
    // Planned on one device: what a generation computes does not depend on the mesh.
    Project alone = project;
    const Project defaults;
    alone.attention = defaults.attention;
    alone.ulyssesShards = defaults.ulyssesShards;
    alone.devices = 1;
    for (std::int64_t Project::*axis :
         {&Project::iciDataParallelism, &Project::iciFsdpParallelism, &Project::iciContextParallelism,
          &Project::iciTensorParallelism, &Project::dcnDataParallelism, &Project::dcnFsdpParallelism,
          &Project::dcnContextParallelism, &Project::dcnTensorParallelism})
        alone.*axis = 1;
    const PlanPtr plan = planAnywhere(std::move(alone));

    AcceleratorCase of;
    of.hardware = hardware;
    of.program = &program;
    of.kernel = &kernelFor(*hardware, program, AttentionKernel::Flash);
    of.model = std::make_shared<const ModelFacts>(plan->model);
    of.frames = plan->project.numFrames;
    of.passTokens = plan->tokens;
    of.height = plan->project.height;
    of.width = plan->project.width;
    of.videos = plan->latentShape[0];
    of.forwards = wholePasses(*plan);
    of.windows = plan->windowsIn(0);
    of.fromImage = plan->task != WanTask::TextToVideo;
    of.chunks = static_cast<int>(plan->project.ulyssesAttentionChunks);
    // Step caches and steps without guidance make some steps shorter: as many full ones as make the same
    // work. What a driving video adds counts as more of them.
    const double context = real(plan->model.experts()) * plan->rowsOfVideo() * plan->flops.textContext;
    of.steps = (plan->flops.denoising / real(of.videos) - context) /
               (of.forwards * of.windows *
                transformerPassFlops(plan->model.transformer, plan->tokens, plan->project.maxSequenceLength));
    return of;
}

std::optional<ForeseenMesh> foreseeOwnMesh(const Project& project, const TargetHardware& target) {
    try {
        const PlanPtr plan = planAnywhere(project);
        return foreseeMesh(caseOn(projectCase(project, target.hardware, *target.program), *plan),
                           *plan->attention.mode, *target.foresight);
    } catch (const Error&) {
        return std::nullopt;
    }
}

TargetOutlook foreseePlan(const RunPlan& plan, const TargetHardware& target) {
    const AcceleratorCase of = caseOn(projectCase(plan.project, target.hardware, *target.program), plan);
    TargetOutlook outlook{.own = foreseeMesh(of, *plan.attention.mode, *target.foresight),
                          .basis = target.foresight->efficiencies.basisFor(of)};
    const MeshForesight meshes = foreseeMeshes(of, of.mesh.devices(), *target.foresight);
    if (const ForeseenMesh* best = meshes.best())
        outlook.best = *best;
    if (!outlook.own.fits())
        outlook.problems.push_back(memoryWarning(outlook.own));
    if (std::optional<Problem> heads = headsWarning(plan, *target.program))
        outlook.problems.push_back(std::move(*heads));
    if (std::optional<Problem> ring = ringWarning(outlook.own, plan, target))
        outlook.problems.push_back(std::move(*ring));
    std::ranges::copy(target.hardware->warnings, std::back_inserter(outlook.problems));
    return outlook;
}

std::vector<LegalMesh> rankedMeshesOn(const TargetHardware& target, const RunPlan& plan) {
    const AcceleratorCase of = projectCase(plan.project, target.hardware, *target.program);
    MeshSearch search{.modes = attentionModesOn(*target.hardware)};
    // Modes that a program does not have are not offered.
    if (!target.program->gathersKeys)
        std::erase_if(search.modes,
                      [](const AttentionMode* mode) { return mode->exchange == Exchange::Gather; });
    search.predict = [&](const RunPlan& other) -> std::optional<Prediction> {
        AcceleratorCase on = caseOn(of, other);
        on.blockQ = on.blockKv = 0;  // each with the sizes that suit it
        const ForeseenMesh mesh = foreseeMesh(on, *other.attention.mode, *target.foresight);
        return Prediction{.step = toPrediction(mesh.step),
                          .firstStep = toPrediction(mesh.step),
                          .stages = {},
                          .total = toPrediction(mesh.clip)};
    };
    search.memory = [&](const RunPlan& other) {
        return MeshMemory{.peak = static_cast<std::uint64_t>(foreseeMemory(caseOn(of, other)).total()),
                          .limit = static_cast<std::uint64_t>(target.hardware->memory)};
    };
    std::vector<LegalMesh> meshes = legalMeshes(plan, search);
    std::erase_if(meshes, [&](const LegalMesh& mesh) {
        return !mesh.isCurrent && !takesHeads(*target.program, plan, mesh.layout.shape(), mesh.split);
    });
    return meshes;
}

std::string describeOutlook(const TargetOutlook& outlook) {
    const ForeseenMesh& own = outlook.own;
    std::string text = fmt::format("{:<14}{}, {}: {:.4g} s a step ({:.3g} to {:.3g}), a clip {:.4g} s\n",
                                   "Foreseen:", own.of.hardware->title, own.of.program->name,
                                   own.step.seconds, own.step.low, own.step.high, own.clip.seconds);
    text +=
        fmt::format("{:<14}efficiencies from {}; {:.0f} of {:.0f} GiB a device\n", "", nameOf(outlook.basis),
                    own.memory.total() / gibibyte, own.of.hardware->memory / gibibyte);
    if (outlook.best && outlook.best->of.mesh != own.of.mesh)
        text +=
            fmt::format("{:<14}fastest of {} devices: {} {}, {:.4g} s a step\n", "", own.of.mesh.devices(),
                        outlook.best->of.mesh.label(), outlook.best->mode->name, outlook.best->step.seconds);
    for (const Problem& problem : outlook.problems)
        text += fmt::format("{:<14}{}\n", "Warning:", problem.text());
    return text;
}

nlohmann::ordered_json outlookJson(const TargetOutlook& outlook) {
    const ForeseenMesh& own = outlook.own;
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    for (const Problem& problem : outlook.problems)
        problems.push_back({{"id", problem.id.name()}, {"key", problem.key}, {"text", problem.text()}});
    return {{"hardware", own.of.hardware->id},
            {"program", own.of.program->name},
            {"efficiencies", nameOf(outlook.basis)},
            {"own", foreseenMeshJson(own)},
            {"best", outlook.best ? foreseenMeshJson(*outlook.best) : nlohmann::ordered_json(nullptr)},
            {"problems", problems}};
}

}  // namespace meshreel
