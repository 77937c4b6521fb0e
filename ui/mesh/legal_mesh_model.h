// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/mesh/mesh_layout.h"
#include "engine/planning/mesh_search.h"

namespace meshreel {

/// The legal meshes, a row each, the best first; the project's own mesh is bold. If seconds are predicted,
/// rows show how much longer a step takes than with the first.
class LegalMeshModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Mesh, Seconds, HostAxes, HostExchange, Attention, Exchange, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setMeshes(std::vector<LegalMesh> meshes);
    [[nodiscard]] const std::vector<LegalMesh>& meshes() const { return m_meshes; }
    /// Returns whether the column Seconds says anything.
    [[nodiscard]] bool hasSeconds() const;
    /// Returns whether the columns of hosts say anything.
    [[nodiscard]] bool hasHosts() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QString secondsText(const LegalMesh& mesh) const;

    std::vector<LegalMesh> m_meshes;
};

/// Returns "context 8", "data 2 · context 4"; "one device" when no axis is larger than 1.
QString meshText(const MeshShape& shape);

/// Returns the text of the whole mesh, and which part of it lies between hosts.
QString layoutText(const MeshLayout& layout);

/// "ulysses", "ulysses_ring 2 × 4" with the ulysses group first.
QString sharingText(const LegalMesh& mesh);

}  // namespace meshreel
