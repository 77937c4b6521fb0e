// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/setting_differences.h"

#include <algorithm>

#include "engine/project/project_keys.h"
#include "engine/runs/run_record_reader.h"
#include "ui/models/key_texts.h"

namespace meshreel {

void SettingDifferences::setProjects(std::vector<NamedProject> projects) {
    beginResetModel();
    m_projects = std::move(projects);
    std::vector<Project> compared;
    std::ranges::transform(m_projects, std::back_inserter(compared), &NamedProject::project);
    m_keys = differingKeys(compared);
    endResetModel();
}

int SettingDifferences::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_keys.size());
}

int SettingDifferences::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_projects.size());
}

QVariant SettingDifferences::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    return QString::fromStdString(valueText(m_projects[static_cast<std::size_t>(index.column())].project,
                                            *m_keys[static_cast<std::size_t>(index.row())]));
}

QVariant SettingDifferences::headerData(int section, Qt::Orientation orientation, int role) const {
    const auto index = static_cast<std::size_t>(section);
    if (section < 0 || index >= (orientation == Qt::Horizontal ? m_projects.size() : m_keys.size()))
        return {};
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole)
        return m_projects[index].name;
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole)
        return m_projects[index].wholeName;
    if (orientation == Qt::Vertical && role == Qt::DisplayRole)
        return engineText(m_keys[index]->title);
    if (orientation == Qt::Vertical && role == Qt::ToolTipRole)
        return engineText(m_keys[index]->help);
    return {};
}

}  // namespace meshreel
