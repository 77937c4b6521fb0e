// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "engine/planning/project_forecast.h"
#include "engine/project/project.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace meshreel {

struct ProjectKey;

inline constexpr qsizetype mostGridRuns = 1000;  ///< a slip of a key must not fill the queue

/// A setting with the values that it takes in turn.
struct GridAxis {
    const ProjectKey* key = nullptr;
    QStringList values;
};

/// Returns the values of a text, each once: one a line, empty lines left out. Commas separate values, too,
/// where none holds one (numbers, choices); for integers "3..6" stands for 3, 4, 5 and 6, "6..3" for the same
/// from the end; of prompts every variant. One more than mostGridRuns where there are too many.
QStringList gridValues(const ProjectKey& key, const QString& text);

/// A project for every combination that can run, the last axis changing fastest.
struct SettingGrid {
    std::vector<Project> projects;
    std::vector<std::string> varied;  ///< names of the keys
    int refused = 0;
    QString refusal;  ///< what is wrong with the first that was refused
    QString problem;  ///< why there is no grid, and what to do; empty when there is one
};

/// `examined`: of the base; the engine says by it which combinations can run (problemsOfVariant()).
SettingGrid settingGrid(const Project& base, const std::vector<GridAxis>& axes,
                        const ProjectForecast& examined = {});

/// Asks for up to three settings with several values each, and shows what their grid amounts to.
class GridDialog : public QDialog {
    Q_OBJECT

  public:
    explicit GridDialog(Project base, ProjectForecast examined = {}, QWidget* parent = nullptr);

    /// Chooses a setting and types its values, for row `row` counted from 0.
    void setAxis(int row, const ProjectKey& key, const QString& values);
    [[nodiscard]] const SettingGrid& grid() const { return m_grid; }
    [[nodiscard]] QString summary() const;

  private:
    struct Row {
        QComboBox* key;
        QPlainTextEdit* values;
    };

    QWidget* makeRows();
    void refresh();

    Project m_base;
    ProjectForecast m_examined;
    SettingGrid m_grid;
    std::vector<Row> m_rows;
    QLabel* m_summary;
    QPushButton* m_add = nullptr;
};

}  // namespace meshreel
