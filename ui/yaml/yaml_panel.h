// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/project/project_problem.h"

class QLabel;
class QPushButton;

namespace meshreel {

class ProjectDocument;
class YamlEditor;
struct ProjectForecast;

/// The project as text beside the form, each following the other at every keystroke. What cannot be kept
/// stays as it was typed, marked, while the project keeps what was legal last.
class YamlPanel : public QWidget {
    Q_OBJECT

  public:
    explicit YamlPanel(ProjectDocument& document, QWidget* parent = nullptr);

    /// Marks what the project's model, mesh and machine have against it, too, at the lines of the keys to
    /// blame.
    void showForecast(const ProjectForecast& forecast);

    [[nodiscard]] YamlEditor& editor() const { return *m_editor; }
    [[nodiscard]] QString statusText() const;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void followDocument();
    void takeText();
    QWidget* makeStatus();
    void showStatus();
    void updateIcon();

    ProjectDocument& m_document;
    YamlEditor* m_editor;
    QLabel* m_icon;
    QLabel* m_status;
    QPushButton* m_goTo;
    std::vector<ProjectProblem> m_forecast;  ///< what only the plan tells of
    bool m_taking = false;                   ///< the document changes because of this text
    int m_firstLine = 0;                     ///< of the first problem
};

}  // namespace meshreel
