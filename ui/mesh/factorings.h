// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/runs/launch/host_file.h"
#include "engine/runs/run_forecast.h"
#include "ui/mesh/mesh_picture.h"
#include "ui/project/project_document.h"

namespace meshreel {

/// One way to share out the work between the devices there are.
struct Factoring {
    MeshLayout layout;
    ContextSplit split;
    const AttentionMode* mode = nullptr;
    std::int64_t bytesPerStep = 0;              ///< that the busiest device receives
    std::int64_t bytesBetweenHosts = 0;         ///< that the busiest host receives from the others in a step
    std::optional<PredictedSeconds> step = {};  ///< nothing where no seconds can be predicted
    bool isCurrent = false;                     ///< the project shares out the same work to the same hosts
    std::vector<KeyText> changes;               ///< that give it to the project
};

/// Every legal factoring of the plan's devices, and of the hosts that take its ranks, for the plan's
/// attention mode and those that share out tokens otherwise; each once. The axes between hosts multiply to
/// the number of hosts, so that every ici axis lies inside one; without several hosts, to what those of the
/// plan do. Hosts with unlike slots count as several equal ones with as many slots as divide all. A mesh that
/// the end of a host would cut through is not in the list, even where the plan has it.
///
/// The fastest first by what `basis` predicts, the least exchange first where it is null or predicts nothing:
/// of several machines, whose network is not known. Of equals the one that moves the least between hosts.
std::vector<Factoring> legalFactorings(const RunPlan& plan, const std::vector<Host>& hosts = {},
                                       const PredictionBasis* basis = nullptr);

/// The legal meshes, a row each, the best first; the mesh that the project has is bold. Where seconds are
/// predicted, rows tell how much longer a step takes than with the first.
class FactoringModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Mesh, Seconds, HostAxes, HostExchange, Attention, Exchange, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setFactorings(std::vector<Factoring> factorings);
    [[nodiscard]] const std::vector<Factoring>& factorings() const { return m_factorings; }
    /// Whether the column Seconds says anything.
    [[nodiscard]] bool hasSeconds() const;
    /// Whether the columns of hosts say anything.
    [[nodiscard]] bool hasHosts() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QString secondsText(const Factoring& factoring) const;

    std::vector<Factoring> m_factorings;
};

/// "context 8", "data 2 · context 4"; "one device" where no axis is larger than 1.
QString meshText(const MeshShape& shape);

/// The same of the whole mesh, and which part of it lies between hosts.
QString layoutText(const MeshLayout& layout);

/// "ulysses", "ulysses_ring 2 × 4" with the ulysses group first.
QString sharingText(const Factoring& factoring);

}  // namespace meshreel
