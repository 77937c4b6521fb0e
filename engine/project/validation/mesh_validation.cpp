// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/validation/mesh_validation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/attention/context_split.h"
#include "engine/project/batch.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace {

using Problems = std::vector<ProjectProblem>;

struct NearestDivisors {
    int below = 1;
    int above = 1;
};

/// Of `number`, on both sides of `wanted`; the same twice where there is only one.
NearestDivisors nearestDivisors(int number, std::int64_t wanted) {
    NearestDivisors nearest{.below = 1, .above = number};
    for (int divisor = 1; divisor <= number; ++divisor) {
        if (number % divisor != 0)
            continue;
        if (divisor <= wanted)
            nearest.below = divisor;
        if (divisor >= wanted && divisor < nearest.above)
            nearest.above = divisor;
    }
    return wanted > number ? NearestDivisors{number, number} : nearest;
}

void requireStrips(const Project& project, int devices, Problems& problems) {
    const std::int64_t strips = project.vaeSpatial;
    if (strips < 1 || (strips <= devices && devices % strips == 0))
        return;
    const auto [below, above] = nearestDivisors(devices, strips);
    problems.push_back(
        {.key = "vae_spatial",
         .message =
             sentence("vae_spatial is {}, which does not divide the {} devices of the mesh", strips, devices),
         .hint = below == above ? sentence("The nearest legal value is {} (-1 takes all)", below)
                                : sentence("The nearest legal values are {} and {}", below, above)});
}

/// The key that makes an axis larger than 1: of the hosts' mesh where only that one has it.
std::string keyOf(const MeshLayout& layout, MeshAxis axis) {
    return axisKey(layout.ici().extent(axis) > 1 ? MeshLevel::Ici : MeshLevel::Dcn, axis);
}

void requireFeedForward(const MeshLayout& layout, const ModelSizes& model, Problems& problems) {
    const int tensor = layout.shape().tensor;
    if (!model.feedForward || *model.feedForward % tensor == 0)
        return;
    const auto [below, above] =
        nearestDivisors(static_cast<int>(std::gcd(*model.feedForward, model.heads.value_or(0))), tensor);
    problems.push_back(
        {.key = keyOf(layout, MeshAxis::Tensor),
         .message = sentence("The tensor axis has {} devices, which do not divide the model's {} "
                             "feed-forward features",
                             tensor, *model.feedForward),
         .hint =
             sentence("The nearest sizes that divide its features and heads are {} and {}", below, above)});
}

/// What a batch is made of.
Sentence rowsText(int videos, bool guided) {
    if (videos > 1)
        return sentence("videos and their halves of guidance");
    return guided ? sentence("the two halves of guidance") : sentence("one video, no guidance");
}

void noteIdleDevices(const Project& project, const MeshLayout& layout, Problems& problems) {
    const MeshShape shape = layout.shape();
    const int groups = shape.data * shape.fsdp;
    const bool guided = project.guidanceScale > 1.0;
    const auto videos = static_cast<int>(batchItems(project).size());
    const int rows = guided ? 2 * videos : videos;
    if (groups <= rows)
        return;
    problems.push_back(
        {.severity = Severity::Warning,
         .key = keyOf(layout, shape.data > 1 ? MeshAxis::Data : MeshAxis::Fsdp),
         .message = sentence("The data and fsdp axes share out a batch of {} ({}) among {} devices; {} "
                             "have no row to compute",
                             rows, rowsText(videos, guided), groups, groups - rows),
         .hint = sentence("Give the devices to the context axis, which shares out the sequence")});
}

void requireAttention(const AttentionSettings& settings, const ModelSizes& model, int contextDevices,
                      int tensorDevices, Problems& problems) {
    for (AttentionProblemReport& report :
         attentionProblems(settings, model.heads, model.headDim, contextDevices, tensorDevices))
        problems.push_back({.key = std::move(report.key),
                            .message = std::move(report.message),
                            .hint = std::move(report.hint)});
}

/// A size of the context axis at which nothing but the settings themselves can be wrong.
int agreeableContext(const AttentionSettings& settings) {
    if (settings.mode->hybrid)
        return std::max(1, settings.ulyssesShards);
    return settings.mode->rotation == Rotation::None ? 1 : 2;
}

/// What holds on this mesh and on every larger one that only more processes make of it.
Problems lastingProblems(const Project& project, const MeshLayout& layout, const ModelSizes& model) {
    Problems problems;
    requireFeedForward(layout, model, problems);
    noteIdleDevices(project, layout, problems);
    return problems;
}

}  // namespace

std::vector<ProjectProblem> meshProblems(const Project& project, const MeshLayout& layout,
                                         const ModelSizes& model) {
    Problems problems = lastingProblems(project, layout, model);
    const MeshShape shape = layout.shape();
    requireAttention(attentionSettings(project), model, shape.context, shape.tensor, problems);
    requireStrips(project, layout.devices(), problems);
    return problems;
}

std::vector<ProjectProblem> projectMeshProblems(const Project& project, std::optional<int> ranks,
                                                const ModelSizes& model) {
    const MeshRequest request = meshRequest(project, ranks.value_or(1));
    const AttentionSettings settings = attentionSettings(project);
    Problems problems;
    auto resolved = resolveMesh(request);
    if (auto* fault = std::get_if<MeshFault>(&resolved)) {
        problems.push_back({.key = std::move(fault->key),
                            .message = std::move(fault->message),
                            .hint = std::move(fault->hint)});
        requireAttention(settings, {}, agreeableContext(settings), 1, problems);
        return problems;
    }
    const MeshLayout& layout = std::get<MeshLayout>(resolved);
    if (ranks || !dependsOnRanks(request))
        return meshProblems(project, layout, model);
    problems = lastingProblems(project, layout, model);
    requireAttention(settings, model, agreeableContext(settings), layout.shape().tensor, problems);
    return problems;
}

int vaeStrips(const Project& project, int devices) {
    return project.vaeSpatial < 1 ? devices : static_cast<int>(project.vaeSpatial);
}

}  // namespace meshreel
