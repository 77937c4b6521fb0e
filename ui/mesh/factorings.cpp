// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/factorings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/planning/cost/mesh_traffic.h"
#include "engine/planning/run_plan.h"
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

class FactoringList {
  public:
    FactoringList(const RunPlan& plan, int devices, const PredictionBasis* basis)
        : m_plan(plan), m_devices(devices), m_basis(plan.project.hosts.empty() ? basis : nullptr) {}

    void add(const MeshShape& ici, const AttentionMode& mode) {
        if (!mode.hybrid)
            return add(ici, mode, -1);
        const int context = ici.context * m_plan.layout.dcn().context;
        for (const int shards : divisorsOf(context))
            if (shards > 1 && shards < context)  // else it is one of the plain modes
                add(ici, mode, shards);
    }

    std::vector<Factoring> take() {
        const auto order = [](const Factoring& factoring) {
            return std::pair(factoring.step ? factoring.step->seconds : 0, factoring.bytesPerStep);
        };
        std::ranges::stable_sort(m_factorings, {}, order);
        return std::move(m_factorings);
    }

  private:
    void add(const MeshShape& ici, const AttentionMode& mode, int ulyssesShards) {
        std::vector<KeyText> changes = meshChanges(ici, mode, ulyssesShards, m_devices);
        const std::optional<RunPlan> plan = planWith(m_plan, changes);
        if (!plan)
            return;
        Factoring factoring{.shape = plan->layout.shape(),
                            .split = contextSplit(plan->attention, plan->layout.shape().context),
                            .mode = &mode,
                            .changes = std::move(changes)};
        for (const MeshTraffic& traffic : trafficPerStep(*plan))
            factoring.bytesPerStep += traffic.bytes;
        if (m_basis != nullptr)
            if (const std::optional<Prediction> prediction = predictPlan(*plan, *m_basis))
                factoring.step = prediction->step;
        factoring.isCurrent = plan->layout == m_plan.layout && &mode == m_plan.attention.mode &&
                              (!mode.hybrid || ulyssesShards == m_plan.attention.ulyssesShards);
        m_factorings.push_back(std::move(factoring));
    }

    const RunPlan& m_plan;
    int m_devices;
    const PredictionBasis* m_basis;  ///< null: seconds are not predicted
    std::vector<Factoring> m_factorings;
};

}  // namespace

std::vector<Factoring> legalFactorings(const RunPlan& plan, int devices, const PredictionBasis* basis) {
    const int hosts = plan.layout.dcn().devices();
    if (devices % hosts != 0)
        return {};
    std::vector<const AttentionMode*> modes{plan.attention.mode};
    for (const char* name : sharingModes)
        if (const AttentionMode* mode = findAttentionMode(name); !std::ranges::count(modes, mode))
            modes.push_back(mode);
    FactoringList list(plan, devices, basis);
    for (const MeshShape& shape : shapesOf(devices / hosts))
        for (const AttentionMode* mode : modes)
            list.add(shape, *mode);
    return list.take();
}

}  // namespace meshreel
