// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <QHash>
#include <QPixmap>
#include <set>
#include <string>
#include <vector>

#include "engine/runs/run_history.h"

namespace meshreel {

/// Date and time with seconds, short, as the locale writes them.
QString momentText(const QDateTime& moment);

/// The runs of the runs folder, a row each. In the first column Decoration is the preview
/// picture and Display the prompt; tags and notes can be edited.
class RunHistoryModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        Run,
        Status,
        Started,
        Duration,
        Steps,
        StepSeconds,
        Size,
        Model,
        Attention,
        Devices,
        Mesh,
        Tags,
        Note,
        // Later than the others: kept layouts of columns count them.
        Seed,
        Differs,
        ColumnCount
    };

    enum Role {
        FolderRole = Qt::UserRole,  ///< QString
        DetailRole,                 ///< its name, model and size, or what is wrong with it
        StatusRole,                 ///< RunStatus as int
        StatusTextRole,             ///< its title
        SortRole,                   ///< what the column is sorted by
        SearchRole,                 ///< all words of the run
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// Updates row by row, so that selection and editing in a view stay: vanished runs go, new ones come,
    /// others change only if they differ.
    void setRuns(std::vector<RunSummary> runs);
    [[nodiscard]] const RunSummary& run(const QModelIndex& index) const;
    /// Returns the index of the run in the first column.
    [[nodiscard]] QModelIndex indexOf(const QString& folder) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    /// Writes the notes into the run's folder; false when that fails, and notesFailed() says why.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  signals:
    void notesFailed(const QString& sentence);

  private:
    void removeMissing(const std::vector<RunSummary>& runs);
    void replaceRow(int row, RunSummary run);
    void findWhatDiffers();
    [[nodiscard]] QString textAt(const RunSummary& run, int column) const;
    [[nodiscard]] QVariant ofRun(const RunSummary& run, int role) const;
    [[nodiscard]] QPixmap makePreview(const RunSummary& run) const;

    std::vector<RunSummary> m_runs;
    std::set<std::string> m_varied;              ///< keys whose values differ from run to run
    mutable QHash<QString, QPixmap> m_previews;  ///< by file; read when first shown
};

}  // namespace meshreel
