// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/factorings.h"

#include <QFont>
#include <QLocale>
#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/planning/run_plan.h"
#include "engine/planning/run_work.h"
#include "ui/mesh/axis_choices.h"
#include "ui/project/consequences.h"
#include "ui/values/engine_texts.h"

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

QString meshText(const MeshShape& shape) {
    QStringList words;
    for (const MeshAxis axis : meshAxes)
        if (shape.extent(axis) > 1)
            words += QStringLiteral("%1 %2")
                         .arg(QString::fromStdString(std::string(nameOf(axis))))
                         .arg(shape.extent(axis));
    return words.isEmpty() ? FactoringModel::tr("one device") : words.join(QStringLiteral(" · "));
}

QString layoutText(const MeshLayout& layout) {
    const QString whole = meshText(layout.shape());
    return layout.dcn().devices() == 1 ? whole
                                       : FactoringModel::tr("%1, between hosts %2", "mesh, its part")
                                             .arg(whole, meshText(layout.dcn()));
}

QString sharingText(const Factoring& factoring) {
    const QString name = QString::fromStdString(std::string(factoring.mode->name));
    if (!factoring.mode->hybrid)
        return name;
    return QStringLiteral("%1 U%2 × R%3").arg(name).arg(factoring.split.ulysses).arg(factoring.split.ring);
}

void FactoringModel::setFactorings(std::vector<Factoring> factorings) {
    beginResetModel();
    m_factorings = std::move(factorings);
    endResetModel();
}

bool FactoringModel::hasSeconds() const {
    return std::ranges::any_of(m_factorings,
                               [](const Factoring& factoring) { return factoring.step.has_value(); });
}

bool FactoringModel::hasHosts() const {
    return std::ranges::any_of(
        m_factorings, [](const Factoring& factoring) { return factoring.layout.dcn().devices() > 1; });
}

int FactoringModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_factorings.size());
}

int FactoringModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FactoringModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Factoring& factoring = m_factorings[static_cast<std::size_t>(index.row())];
    if (role == Qt::FontRole && factoring.isCurrent && index.column() == Mesh) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (role == Qt::ToolTipRole && index.column() == Attention)
        return engineText(factoring.mode->help);
    if (role == Qt::ToolTipRole && index.column() == Seconds && factoring.step)
        return predictedText(*factoring.step);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
        case Seconds:
            return secondsText(factoring);
        case Mesh:
            return meshText(factoring.layout.shape());
        case HostAxes:
            return meshText(factoring.layout.dcn());
        case Attention:
            return sharingText(factoring);
        case Exchange:
            return QLocale().formattedDataSize(factoring.bytesPerStep, 1);
        case HostExchange:
            return QLocale().formattedDataSize(factoring.bytesBetweenHosts, 1);
        default:
            return {};
    }
}

/// Of meshes that are alike the whole durations would be, too.
QString FactoringModel::secondsText(const Factoring& factoring) const {
    if (!factoring.step)
        return {};
    const Factoring& best = m_factorings.front();
    if (&factoring == &best || !best.step || best.step->seconds <= 0)
        return roughDuration(factoring.step->seconds);
    constexpr double percent = 100;
    constexpr double wholeFrom = 10;
    const double longer = percent * (factoring.step->seconds / best.step->seconds - 1);
    return tr("+%1 %", "how much longer").arg(QLocale().toString(longer, 'f', longer < wholeFrom ? 1 : 0));
}

QVariant FactoringModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Seconds)
        return tr(
            "How long a step is expected to take with the fastest, by what was measured on this machine, and "
            "how much longer with the others");
    if (role == Qt::ToolTipRole && section == Exchange)
        return tr("What the busiest device receives from the others in one step");
    if (role == Qt::ToolTipRole && section == HostExchange)
        return tr("What the busiest host receives from the others in one step");
    if (role == Qt::ToolTipRole && section == HostAxes)
        return tr("The part of the mesh that lies between hosts; the rest lies inside each");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Mesh:
            return tr("Mesh");
        case Attention:
            return tr("Attention");
        case Seconds:
            return tr("Step");
        case Exchange:
            return tr("Exchange", "column of the legal meshes: bytes per step");
        case HostExchange:
            return tr("Between hosts", "column of the legal meshes: bytes per step");
        case HostAxes:
            return tr("Hosts", "column of the legal meshes: axes");
        default:
            return {};
    }
}

}  // namespace meshreel
