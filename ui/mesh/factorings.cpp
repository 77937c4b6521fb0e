// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/factorings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/planning/cost/mesh_traffic.h"
#include "engine/planning/project_check.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"

namespace meshreel {

namespace {

/// Modes that differ in how they share out tokens, each with the flash kernel.
constexpr std::array sharingModes{"flash", "ulysses", "tokamax_ring", "ulysses_ring"};

std::vector<int> divisorsOf(int number) {
    std::vector<int> divisors;
    for (int divisor = 1; divisor <= number; ++divisor)
        if (number % divisor == 0)
            divisors.push_back(divisor);
    return divisors;
}

/// All shapes of exactly so many devices.
std::vector<MeshShape> shapesOf(int devices) {
    std::vector<MeshShape> shapes;
    for (const int data : divisorsOf(devices))
        for (const int fsdp : divisorsOf(devices / data))
            for (const int tensor : divisorsOf(devices / data / fsdp))
                shapes.push_back({data, fsdp, devices / data / fsdp / tensor, tensor});
    return shapes;
}

KeyText keyText(std::string_view name, const std::string& text) {
    return {findProjectKey(name), QString::fromStdString(text)};
}

std::vector<KeyText> changesFor(const MeshShape& ici, const std::string& mode, int ulyssesShards,
                                int devices) {
    std::vector<KeyText> changes{keyText("attention", mode), keyText("devices", std::to_string(devices)),
                                 keyText("ulysses_shards", std::to_string(ulyssesShards))};
    for (const MeshAxis axis : meshAxes)
        changes.push_back(keyText(axisKey(MeshLevel::Ici, axis), std::to_string(ici.extent(axis))));
    return changes;
}

/// The plan with the changes; absent when they are not legal.
std::optional<RunPlan> changed(const RunPlan& plan, const std::vector<KeyText>& changes) {
    RunPlan other = plan;
    for (const KeyText& change : changes)
        if (trySetFromText(other.project, *change.key, change.text.toStdString()))
            return {};
    // A new warning tells of devices without work.
    const std::vector<ProjectProblem> problems = validate(other.project);
    if (hasErrors(problems) || problems.size() > validate(plan.project).size() ||
        !modelProblems(other.project, plan.model, 1).empty())
        return {};
    auto layout = resolveMesh(meshRequest(other.project));
    if (std::holds_alternative<MeshFault>(layout))
        return {};
    other.layout = std::get<MeshLayout>(layout);
    other.attention = attentionSettings(other.project);
    other.attention.blocks = resolveFlashBlocks(other.attention.blocks);
    return other;
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
        std::vector<KeyText> changes = changesFor(ici, std::string(mode.name), ulyssesShards, m_devices);
        const std::optional<RunPlan> plan = changed(m_plan, changes);
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
