// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <filesystem>
#include <vector>

#include "engine/catalogue/model_library.h"

namespace meshreel {

/// What is installed on this machine: models in folders, then files of weights.
class CatalogueModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, What, Size, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setCatalogue(const ModelCatalogue& catalogue);
    [[nodiscard]] const std::filesystem::path& pathOf(int row) const;
    /// How a project spells it; empty of what no project can name, such as broken files.
    [[nodiscard]] QString spellingOf(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    struct Entry {
        QString name;
        QString what;
        qint64 bytes;
        std::filesystem::path path;
        QString spelling;
    };

    std::vector<Entry> m_entries;
};

}  // namespace meshreel
