// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

struct ProjectKey;

inline constexpr qsizetype mostGridRuns = 1000;  ///< a slip of a key must not fill the queue

/// A setting with the values that it takes in turn.
struct GridAxis {
    const ProjectKey* key = nullptr;
    QStringList values;
};

/// The values of a text, each once: one a line, empty lines left out. Commas separate values, too, where none
/// holds one (numbers, choices); for integers "3..6" stands for 3, 4, 5 and 6, "6..3" for the same from the
/// end; of prompts every variant. One more than mostGridRuns where there are too many.
QStringList gridValues(const ProjectKey& key, const QString& text);

/// A project for every combination, the last axis changing fastest, as far as they can run.
struct SettingGrid {
    std::vector<Project> projects;
    std::vector<std::string> varied;  ///< names of the keys
    int refused = 0;
    QString refusal;  ///< what is wrong with the first that was refused
    QString problem;  ///< why there is no grid, and what to do; empty when there is one
};

SettingGrid settingGrid(const Project& base, const std::vector<GridAxis>& axes);

}  // namespace meshreel
