// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/mesh_search.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/attention/attention_settings.h"
#include "engine/estimates/run_work.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_task.h"

namespace meshreel {
namespace {

/// Modes that differ in how they divide tokens, each with the flash kernel.
constexpr std::array sharingModes{"flash", "ulysses", "tokamax_ring", "ulysses_ring"};

constexpr int mostDevices = 64;  ///< for legalExtents(): a drawing cannot show more

/// Ascending.
std::vector<int> divisors(int number) {
    std::vector<int> all;
    for (int divisor = 1; divisor <= number; ++divisor)
        if (number % divisor == 0)
            all.push_back(divisor);
    return all;
}

/// All shapes of exactly so many devices.
std::vector<MeshShape> shapesWith(int devices) {
    std::vector<MeshShape> shapes;
    for (const int data : divisors(devices))
        for (const int fsdp : divisors(devices / data))
            for (const int tensor : divisors(devices / data / fsdp))
                shapes.push_back({data, fsdp, devices / data / fsdp / tensor, tensor});
    return shapes;
}

/// The ways to lay a mesh out over so many equal groups of devices.
std::vector<MeshLayout> layoutsBetween(const MeshShape& shape, const std::vector<MeshShape>& groups) {
    std::vector<MeshLayout> layouts;
    for (const MeshShape& dcn : groups)
        if (std::ranges::all_of(meshAxes,
                                [&](MeshAxis axis) { return shape.extent(axis) % dcn.extent(axis) == 0; }))
            layouts.emplace_back(MeshShape{.data = shape.data / dcn.data,
                                           .fsdp = shape.fsdp / dcn.fsdp,
                                           .context = shape.context / dcn.context,
                                           .tensor = shape.tensor / dcn.tensor},
                                 dcn);
    return layouts;
}

/// Groups of as many devices each that no host's end cuts.
int uncutGroups(const RunPlan& plan, const std::vector<int>& hostRanks) {
    if (hostRanks.size() < 2)
        return plan.layout.dcn().devices();
    int ranks = 0;
    for (const int ofHost : hostRanks)
        ranks = std::gcd(ranks, ofHost);
    return std::accumulate(hostRanks.begin(), hostRanks.end(), 0) / ranks;
}

/// Whether both put the same work into each group of so many devices.
bool shareOutAlike(const MeshLayout& one, const MeshLayout& other, int devices) {
    if (one.shape() != other.shape())
        return false;
    for (int device = 0; device < one.devices(); ++device)
        if (other.deviceAt(one.coordinates(device)) / devices != device / devices)
            return false;
    return true;
}

/// Returns the keys that turn the mesh `now` into `wanted`. Axes between hosts keep their spelling if they
/// are equal.
KeyChanges meshChanges(const MeshLayout& now, const MeshLayout& wanted, const AttentionMode& mode,
                       int ulyssesShards) {
    KeyChanges changes{{"attention", std::string(mode.name)},
                       {"devices", std::to_string(wanted.devices())},
                       {"ulysses_shards", std::to_string(ulyssesShards)}};
    const auto add = [&](MeshLevel level, const MeshShape& shape) {
        for (const MeshAxis axis : meshAxes)
            changes.push_back({axisKey(level, axis), std::to_string(shape.extent(axis))});
    };
    add(MeshLevel::Ici, wanted.ici());
    if (wanted.dcn() != now.dcn())
        add(MeshLevel::Dcn, wanted.dcn());
    return changes;
}

class MeshList {
  public:
    MeshList(const RunPlan& plan, const MeshSearch& search)
        : m_plan(plan),
          m_search(search),
          m_groups(uncutGroups(plan, search.hostRanks)),
          m_betweenGroups(shapesWith(m_groups)) {}

    void add(const MeshShape& shape, const AttentionMode& mode) {
        if (!mode.hybrid())
            return add(shape, mode, -1);
        for (const int shards : divisors(shape.context))
            if (shards > 1 && shards < shape.context)  // else it is one of the plain modes
                add(shape, mode, shards);
    }

    std::vector<LegalMesh> take() {
        const auto order = [](const LegalMesh& mesh) {
            return std::tuple(!mesh.fits, mesh.step ? mesh.step->seconds : 0, mesh.bytesPerStep,
                              mesh.bytesBetweenHosts);
        };
        std::ranges::stable_sort(m_meshes, {}, order);
        return std::move(m_meshes);
    }

  private:
    /// What is legal, what a device receives and how long it takes depend on the whole mesh alone.
    void add(const MeshShape& shape, const AttentionMode& mode, int ulyssesShards) {
        const std::vector<MeshLayout> layouts = layoutsBetween(shape, m_betweenGroups);
        if (layouts.empty())
            return;
        const auto changesTo = [&](const MeshLayout& layout) {
            return meshChanges(m_plan.layout, layout, mode, ulyssesShards);
        };
        const PlanPtr plan = planOnMesh(m_plan, changesTo(layouts.front()));
        if (plan == nullptr)
            return;
        const MeshMemory memory =
            m_search.memory ? m_search.memory(*plan)
                            : MeshMemory{.peak = plan->memory.peak(), .limit = plan->memory.limit()};
        LegalMesh mesh{.layout = {},
                       .split = contextSplit(plan->attention, shape.context),
                       .mode = &mode,
                       .mostHeads = plan->attentions.self.mostHeads(),
                       .headEfficiency = 1 / plan->attentions.self.headExcess(),
                       .memory = memory.peak,
                       .fits = memory.peak <= memory.limit};
        for (const MeshTraffic& traffic : trafficPerStep(*plan))
            mesh.bytesPerStep += traffic.bytes;
        if (m_search.predict)
            if (const std::optional<Prediction> prediction = m_search.predict(*plan))
                mesh.step = prediction->step;
        const bool isCurrentMode = &mode == m_plan.attention.mode &&
                                   (!mode.hybrid() || ulyssesShards == m_plan.attention.ulyssesShards);
        RunTask task = *plan;
        for (const MeshLayout& layout : layouts) {
            task.layout = mesh.layout = layout;
            mesh.bytesBetweenHosts = bytesBetweenHosts(task);
            mesh.isCurrent =
                isCurrentMode && shareOutAlike(layout, m_plan.layout, layout.devices() / m_groups);
            mesh.changes = changesTo(layout);
            m_meshes.push_back(mesh);
        }
    }

    const RunPlan& m_plan;
    const MeshSearch& m_search;
    int m_groups;
    std::vector<MeshShape> m_betweenGroups;
    std::vector<LegalMesh> m_meshes;
};

MeshShape withExtent(const MeshShape& shape, MeshAxis changed, int extent) {
    const auto along = [&](MeshAxis axis) { return axis == changed ? extent : shape.extent(axis); };
    return {.data = along(MeshAxis::Data),
            .fsdp = along(MeshAxis::Fsdp),
            .context = along(MeshAxis::Context),
            .tensor = along(MeshAxis::Tensor)};
}

/// What ulysses_shards may become with so many devices along the context axis, the nearest first.
std::vector<int> shardsNear(const AttentionSettings& attention, int context) {
    if (!attention.mode->hybrid())
        return {attention.ulyssesShards};
    std::vector<int> shards = divisors(context);
    std::ranges::stable_sort(shards, {},
                             [&](int number) { return std::abs(number - attention.ulyssesShards); });
    return shards;
}

std::vector<AxisChoice> legalExtentsAlong(const RunPlan& plan, MeshAxis axis) {
    const MeshLayout& now = plan.layout;
    const int others = now.devices() / now.ici().extent(axis);
    std::vector<AxisChoice> choices;
    for (int extent = 1; extent * others <= std::max(mostDevices, now.devices()); ++extent) {
        const MeshLayout wanted(withExtent(now.ici(), axis, extent), now.dcn());
        for (const int shards : shardsNear(plan.attention, wanted.shape().context)) {
            KeyChanges changes = meshChanges(now, wanted, *plan.attention.mode, shards);
            const PlanPtr other = planOnMesh(plan, changes);
            if (other == nullptr)
                continue;
            choices.push_back({.extent = other->layout.shape().extent(axis),
                               .layout = other->layout,
                               .split = other->attentions.self.split,
                               .changes = std::move(changes)});
            break;
        }
    }
    return choices;
}

}  // namespace

std::vector<LegalMesh> legalMeshes(const RunPlan& plan, const MeshSearch& search) {
    std::vector<const AttentionMode*> modes{plan.attention.mode};
    std::vector<const AttentionMode*> others = search.modes;
    if (others.empty())
        for (const char* name : sharingModes)
            others.push_back(findAttentionMode(name));
    for (const AttentionMode* mode : others)
        if (!std::ranges::count(modes, mode))
            modes.push_back(mode);
    MeshList list(plan, search);
    for (const MeshShape& shape : shapesWith(plan.layout.devices()))
        for (const AttentionMode* mode : modes)
            list.add(shape, *mode);
    return list.take();
}

AxisChoices legalExtents(const RunPlan& plan) {
    AxisChoices choices;
    for (std::size_t axis = 0; axis < meshAxes.size(); ++axis)
        choices.at(axis) = legalExtentsAlong(plan, meshAxes.at(axis));
    return choices;
}

}  // namespace meshreel
