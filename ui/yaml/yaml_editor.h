// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "engine/project/project_problem.h"
#include "ui/widgets/text_edit.h"

namespace meshreel {

class YamlHighlighter;

/// A text editor for project files: line numbers, colours, marks where something is wrong. Undoing is left to
/// the project.
class YamlEditor : public TextEdit {
    Q_OBJECT

  public:
    explicit YamlEditor(QWidget* parent = nullptr);
    ~YamlEditor() override;

    /// As replaceText(), with room for the numbers of its lines.
    void showText(const QString& text);
    void setProblems(const std::vector<ProjectProblem>& problems);
    [[nodiscard]] const std::vector<ProjectProblem>& problems() const { return m_problems; }
    /// Of a line counted from 1; empty when all is well there.
    [[nodiscard]] QString problemOfLine(int line) const;
    void goToLine(int line);

    void paintMargin(QPaintEvent* event);
    [[nodiscard]] int marginWidth() const;

  protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void placeMargin();
    void updateMarks();

    YamlHighlighter* m_highlighter;
    QWidget* m_margin;
    std::vector<ProjectProblem> m_problems;
};

}  // namespace meshreel
