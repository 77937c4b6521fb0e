// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "engine/catalogue/model_library.h"
#include "engine/planning/model_fit.h"
#include "ui/library/model_card.h"

namespace meshreel {

/// What is to be listed.
struct CatalogueContent {
    ModelCatalogue installed;
    std::vector<AbsentModel> absent = {};                 ///< released models that are not here
    std::vector<OfferedModel> offered = {};               ///< what can be downloaded
    std::map<std::filesystem::path, ModelFit> fits = {};  ///< of what is installed
    DiskRate rate = {};
};

/// Models in groups, each below a heading: what is on this machine, then what is not, by family, and the
/// parts that models share. A model is one row, however many variants of it can be downloaded.
class CatalogueModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, What, Fit, Size, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setContent(CatalogueContent content);

    [[nodiscard]] bool isHeading(int row) const { return at(row).isHeading; }
    /// Returns the first row that is no heading; -1 without one.
    [[nodiscard]] int firstRow() const;
    /// Empty of what is not on this machine.
    [[nodiscard]] const std::filesystem::path& pathOf(int row) const { return at(row).path; }
    /// Returns the folder in diffusers layout that is not on this machine; null of all others.
    [[nodiscard]] const AbsentModel* absentModel(int row) const;
    /// Returns what can be downloaded, that which fits best first; empty of what is here.
    [[nodiscard]] std::vector<const OfferedModel*> variants(int row) const;
    /// Returns the first of variants(); null without one.
    [[nodiscard]] const OfferedModel* offeredModel(int row) const;
    /// Returns the row of this path; -1 without one.
    [[nodiscard]] int rowOf(const std::filesystem::path& path) const;
    /// Returns what a row keeps when the catalogue is read again: its path, or the name that it has in its
    /// group.
    [[nodiscard]] QString keyOf(int row) const;
    /// Returns the row with this key; -1 without one.
    [[nodiscard]] int rowWithKey(const QString& key) const;
    /// Returns how a project spells it; empty of what no project can name, such as broken files.
    [[nodiscard]] const QString& projectSpelling(int row) const { return at(row).spelling; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    /// Headings are read, and cannot be chosen.
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

  private:
    struct Row {
        QString name;
        QString what;
        QString fit;
        QString fitTip;
        QString size;
        std::filesystem::path path = {};
        QString spelling = {};
        std::optional<AbsentModel> absent = {};
        std::vector<OfferedModel> variants = {};
        bool isHeading = false;
    };
    struct Group {
        QString title;
        std::vector<Row> rows;
    };

    [[nodiscard]] const Row& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    static Row rowFor(const ModelInfo& model, const CatalogueContent& content);
    static Row rowFor(const CatalogueFile& file, const CatalogueContent& content);
    /// Adds them to the groups of their families, what is one model to one row.
    static void addOffered(std::vector<OfferedModel> offered, std::vector<Group>& groups);
    static void addAbsent(std::vector<AbsentModel> absent, std::vector<Group>& groups);
    static Group& groupOf(const QString& title, std::vector<Group>& groups);
    /// Says of a row what its variants say.
    static void describe(Row& row);

    std::vector<Row> m_rows;
};

}  // namespace meshreel
