// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QHash>
#include <QPixmap>
#include <vector>

#include "engine/runs/run_history.h"

namespace meshreel {

/// The runs of the runs folder, newest first. Decoration is the preview picture, Display the prompt.
class RunHistoryModel : public QAbstractListModel {
    Q_OBJECT

  public:
    enum Role {
        FolderRole = Qt::UserRole,  ///< QString
        DetailRole,                 ///< when, how long
        StatusRole,                 ///< RunStatus as int
        StatusTextRole,             ///< its title
    };

    using QAbstractListModel::QAbstractListModel;

    void setRuns(std::vector<RunSummary> runs);
    [[nodiscard]] const RunSummary& run(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(const QString& folder) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

  private:
    QPixmap previewOf(const RunSummary& run) const;

    std::vector<RunSummary> m_runs;
    mutable QHash<QString, QPixmap> m_previews;  ///< by file; read when first shown
};

}  // namespace meshreel
