// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

struct ProjectKey;

/// A project with the name it is compared under.
struct NamedProject {
    QString name;       ///< short: a column's header
    QString wholeName;  ///< of the run's folder or the project's file
    Project project;
};

/// The settings in which projects differ: a row a key, a column a project, all as texts.
class SettingDifferences : public QAbstractTableModel {
    Q_OBJECT

  public:
    using QAbstractTableModel::QAbstractTableModel;

    void setProjects(std::vector<NamedProject> projects);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    std::vector<NamedProject> m_projects;
    std::vector<const ProjectKey*> m_keys;
};

}  // namespace meshreel
