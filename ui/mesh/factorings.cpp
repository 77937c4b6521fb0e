// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/factorings.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/planning/run_plan.h"
#include "engine/planning/run_work.h"
#include "ui/mesh/mesh_change.h"

namespace meshreel {

namespace {

/// Modes that differ in how they share out tokens, each with the flash kernel.
constexpr std::array sharingModes{"flash", "ulysses", "tokamax_ring", "ulysses_ring"};

/// All shapes of exactly so many devices.
std::vector<MeshShape> shapesOf(int devices) {
    std::vector<MeshShape> shapes;
    for (const int data : divisorsOf(devices))
        for (const int fsdp : divisorsOf(devices / data))
            for (const int tensor : divisorsOf(devices / data / fsdp))
                shapes.push_back({data, fsdp, devices / data / fsdp / tensor, tensor});
    return shapes;
}

/// The ways to lay a mesh out over so many equal groups of devices.
std::vector<MeshLayout> layoutsOf(const MeshShape& shape, const std::vector<MeshShape>& betweenGroups) {
    std::vector<MeshLayout> layouts;
    for (const MeshShape& dcn : betweenGroups)
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
int groupsOf(const RunPlan& plan, const std::vector<Host>& hosts) {
    if (hosts.size() < 2)
        return plan.layout.dcn().devices();
    int ranks = 0;
    for (const Host& host : hosts)
        ranks = std::gcd(ranks, host.ranks);
    return slotsOf(hosts) / ranks;
}

/// Whether both put the same work into each group of so many devices.
bool sharesOutAlike(const MeshLayout& one, const MeshLayout& other, int devices) {
    if (one.shape() != other.shape())
        return false;
    for (int device = 0; device < one.devices(); ++device)
        if (other.deviceAt(one.coordinates(device)) / devices != device / devices)
            return false;
    return true;
}

class FactoringList {
  public:
    FactoringList(const RunPlan& plan, int groups, const PredictionBasis* basis)
        : m_plan(plan),
          m_groups(groups),
          m_betweenGroups(shapesOf(groups)),
          m_basis(plan.project.hosts.empty() ? basis : nullptr) {}

    void add(const MeshShape& shape, const AttentionMode& mode) {
        if (!mode.hybrid)
            return add(shape, mode, -1);
        for (const int shards : divisorsOf(shape.context))
            if (shards > 1 && shards < shape.context)  // else it is one of the plain modes
                add(shape, mode, shards);
    }

    std::vector<Factoring> take() {
        const auto order = [](const Factoring& factoring) {
            return std::tuple(factoring.step ? factoring.step->seconds : 0, factoring.bytesPerStep,
                              factoring.bytesBetweenHosts);
        };
        std::ranges::stable_sort(m_factorings, {}, order);
        return std::move(m_factorings);
    }

  private:
    /// What is legal, what a device receives and how long it takes depend on the whole mesh alone.
    void add(const MeshShape& shape, const AttentionMode& mode, int ulyssesShards) {
        const std::vector<MeshLayout> layouts = layoutsOf(shape, m_betweenGroups);
        if (layouts.empty())
            return;
        const auto changesTo = [&](const MeshLayout& layout) {
            return meshChanges(m_plan.layout, layout, mode, ulyssesShards);
        };
        std::optional<RunPlan> plan = planWith(m_plan, changesTo(layouts.front()));
        if (!plan)
            return;
        Factoring factoring{.layout = {},
                            .split = contextSplit(plan->attention, shape.context),
                            .mode = &mode,
                            .changes = {}};
        for (const MeshTraffic& traffic : trafficPerStep(*plan))
            factoring.bytesPerStep += traffic.bytes;
        if (m_basis != nullptr)
            if (const std::optional<Prediction> prediction = predictPlan(*plan, *m_basis))
                factoring.step = prediction->step;
        const bool isCurrentMode = &mode == m_plan.attention.mode &&
                                   (!mode.hybrid || ulyssesShards == m_plan.attention.ulyssesShards);
        for (const MeshLayout& layout : layouts) {
            plan->layout = layout;
            factoring.layout = layout;
            factoring.bytesBetweenHosts = bytesBetweenHosts(*plan);
            factoring.isCurrent =
                isCurrentMode && sharesOutAlike(layout, m_plan.layout, layout.devices() / m_groups);
            factoring.changes = changesTo(layout);
            m_factorings.push_back(factoring);
        }
    }

    const RunPlan& m_plan;
    int m_groups;
    std::vector<MeshShape> m_betweenGroups;
    const PredictionBasis* m_basis;  ///< null: seconds are not predicted
    std::vector<Factoring> m_factorings;
};

}  // namespace

std::vector<Factoring> legalFactorings(const RunPlan& plan, const std::vector<Host>& hosts,
                                       const PredictionBasis* basis) {
    std::vector<const AttentionMode*> modes{plan.attention.mode};
    for (const char* name : sharingModes)
        if (const AttentionMode* mode = findAttentionMode(name); !std::ranges::count(modes, mode))
            modes.push_back(mode);
    FactoringList list(plan, groupsOf(plan, hosts), basis);
    for (const MeshShape& shape : shapesOf(plan.layout.devices()))
        for (const AttentionMode* mode : modes)
            list.add(shape, *mode);
    return list.take();
}

}  // namespace meshreel
