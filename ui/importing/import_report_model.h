// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/project/maxdiffusion_import.h"

namespace meshreel {

/// What became of every key of an imported config, a row each: refused ones first, then those that were
/// translated, taken and ignored.
class ImportReportModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Key, Fate, Meaning, Place, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setKeys(std::vector<ImportedKey> keys);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    std::vector<ImportedKey> m_keys;
};

/// "3 taken, 2 translated, 40 ignored, 1 refused"; what there is none of is left out.
QString importSummary(const MaxDiffusionImport& imported);

}  // namespace meshreel
