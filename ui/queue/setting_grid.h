// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

struct ProjectKey;

/// A setting with the values that it takes in turn.
struct GridAxis {
    const ProjectKey* key = nullptr;
    QStringList values;
};

/// The values of a text: one a line, empty lines left out. For integers "3..6" stands for 3, 4, 5 and 6, and
/// commas separate values too; of prompts every variant.
QStringList gridValues(const ProjectKey& key, const QString& text);

/// A project for every combination, the last axis changing fastest, as far as they can run.
struct SettingGrid {
    std::vector<Project> projects;
    int refused = 0;
    QString refusal;  ///< what is wrong with the first that was refused
};

SettingGrid settingGrid(const Project& base, const std::vector<GridAxis>& axes);

}  // namespace meshreel
