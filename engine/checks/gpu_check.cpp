// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/gpu_check.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/project.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"

namespace meshreel {
namespace {

const std::string gpuKey{GpuChoice::key};
const std::string noGpu{GpuChoice::noneName};

Fix useCpu() {
    return {.words = {}, .changes = {{.key = gpuKey, .value = noGpu}}};
}

Problem unable(std::string other, Sentence message, Sentence words, const std::string& value) {
    return {.id = "gpu-cannot-compute",
            .key = gpuKey,
            .involved = {other},
            .message = std::move(message),
            .fixes = {{.words = std::move(words), .changes = {{.key = std::move(other), .value = value}}},
                      useCpu()}};
}

/// A list of so many GPUs, those that are named one after the other.
std::string listOfGpus(const std::vector<int>& named, int devices) {
    GpuChoice each;
    for (int device = 0; device < devices; ++device)
        each.numbers.push_back(named[static_cast<std::size_t>(device) % named.size()]);
    return each.text();
}

/// Each device of a mesh has a GPU: a list names one for each of all devices, or for each of a process. If
/// the number of processes is not known yet, some number of them has to fit.
std::optional<Problem> countProblem(const GpuChoice& choice, const MeshLayout& layout,
                                    std::optional<int> ranks) {
    const auto named = static_cast<int>(choice.automatic ? 1 : choice.numbers.size());
    const int devices = layout.devices();
    const bool fitsEach = ranks ? named == devices / *ranks : devices % named == 0;
    if (named == devices || (!choice.automatic && fitsEach))
        return std::nullopt;
    Problem problem{
        .id = "gpus-for-one-device",
        .key = gpuKey,
        .involved = {"devices"},
        .message = choice.automatic
                       ? sentence("auto takes one GPU, and the mesh has {} devices", devices)
                       : sentence("gpus names {} GPUs, and the mesh has {} devices", named, devices),
        .fixes = {}};
    const std::string list =
        listOfGpus(choice.automatic ? std::vector{0} : choice.numbers, devices / ranks.value_or(1));
    problem.fixes = {
        {.words = sentence("Name a GPU for each device (gpus: {}), change the number of devices, "
                           "or use the CPU (gpus: none)",
                           list),
         .changes = {{.key = gpuKey, .value = list}}},
        {.words = {}, .changes = {{.key = "devices", .value = fmt::to_string(named)}}},
        useCpu()};
    return problem;
}

/// GPUs divide the videos and the tokens, not the weights.
std::optional<Problem> axisProblem(const MeshLayout& layout) {
    for (const MeshLevel level : {MeshLevel::Ici, MeshLevel::Dcn})
        for (const MeshAxis axis : {MeshAxis::Fsdp, MeshAxis::Tensor})
            if ((level == MeshLevel::Ici ? layout.ici() : layout.dcn()).extent(axis) > 1)
                return unable(axisKey(level, axis),
                              sentence("GPUs share out videos and tokens (the axes data and context), not {}",
                                       nameOf(axis)),
                              sentence("Use the context axis, or the CPU (gpus: none)"), "1");
    return std::nullopt;
}

}  // namespace

std::vector<Problem> gpuObstacles(const Project& project, const ModelFacts& model, std::optional<int> ranks) {
    std::vector<Problem> problems;
    const auto resolved = resolveMesh(meshRequest(project, ranks.value_or(1)));
    if (const auto* layout = std::get_if<MeshLayout>(&resolved))
        for (std::optional<Problem>& problem :
             std::array{countProblem(project.gpus, *layout, ranks), axisProblem(*layout)})
            if (problem)
                problems.push_back(*std::move(problem));
    if (project.vaeSpatial > 1)
        problems.push_back(
            unable("vae_spatial", sentence("a GPU decodes whole frames, or its own strips in turn"),
                   sentence("Write -1, which leaves it to the plan, or use the CPU (gpus: none)"), "-1"));
    const AttentionSettings attention = attentionSettings(project);
    const AttentionMode& mode = *attention.mode;
    if (attention.sparse && !rowOf(mode.kernel).sparseOn.gpu)
        problems.push_back(
            unable("sparse_attention",
                   sentence("a GPU has no {} kernel that leaves blocks out", nameOf(mode.kernel)),
                   sentence("Write none, or use the CPU (gpus: none)"), std::string(noSparseAttention)));
    if (!rowOf(mode.kernel).runsOn.gpu)
        problems.push_back(unable(
            "attention", sentence("a GPU has no {} kernel, which {} needs", nameOf(mode.kernel), mode.name),
            sentence("Use flash, or the CPU (gpus: none)"), "flash"));
    const std::int64_t headDim = model.transformer.headDim;
    if (headDim > HeadsOnGpu::widest || headDim % HeadsOnGpu::step != 0)
        problems.push_back({.id = "gpu-cannot-compute",
                            .key = gpuKey,
                            .message = sentence("the model's heads have {} numbers; a GPU takes multiples of "
                                                "{} up to {}",
                                                headDim, HeadsOnGpu::step, HeadsOnGpu::widest),
                            .fixes = setKey(sentence("Use the CPU"), gpuKey, {noGpu})});
    return problems;
}

std::vector<Problem> gpuProblems(const Project& project, const ModelFacts& model, std::optional<int> ranks) {
    return project.gpus.numbers.empty() ? std::vector<Problem>() : gpuObstacles(project, model, ranks);
}

}  // namespace meshreel
