// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>
#include <QString>
#include <QSyntaxHighlighter>
#include <QWidget>
#include <memory>
#include <vector>

#include "engine/base/problem.h"
#include "ui/widgets/edits.h"

class QLabel;
class QPushButton;

namespace meshreel {

class ProjectDocument;
struct ProjectForecast;

/// A stretch of one line of a project file.
struct YamlToken {
    enum class Kind { Key, UnknownKey, Number, Boolean, Text, Comment };

    Kind kind;
    qsizetype begin = 0;
    qsizetype length = 0;

    friend bool operator==(const YamlToken&, const YamlToken&) = default;
};

/// Returns the parts of a line that are worth a colour, for files as the Studio writes them: a key and a
/// value a line, comments, one level of nested maps.
std::vector<YamlToken> yamlTokens(const QString& line);

/// Colours the keys, values and comments of a project file; marks names that are not keys.
class YamlHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

  public:
    YamlHighlighter(QTextDocument* document, QPalette palette);
    void setPalette(const QPalette& palette);

  protected:
    void highlightBlock(const QString& text) override;

  private:
    QPalette m_palette;
};

/// A text editor for project files: line numbers, colours, marks where something is wrong. Undoing is left to
/// the project.
class YamlEditor : public TextEdit {
    Q_OBJECT

  public:
    explicit YamlEditor(QWidget* parent = nullptr);
    ~YamlEditor() override;

    /// As replaceText(), with room for the numbers of its lines.
    void showText(const QString& text);
    void setProblems(const std::vector<Problem>& problems);
    [[nodiscard]] const std::vector<Problem>& problems() const { return m_problems; }
    /// Returns the problem of a line, counted from 1; empty without one.
    [[nodiscard]] QString problemOfLine(int line) const;
    void goToLine(int line);

    void paintMargin(QPaintEvent* event);
    [[nodiscard]] int marginWidth() const;

  protected:
    bool event(QEvent* event) override;
    /// Asks about the files and hosts that a pasted or dropped project names, as it may be someone else's.
    void insertFromMimeData(const QMimeData* source) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void placeMargin();
    void updateMarks();

    YamlHighlighter* m_highlighter;
    QWidget* m_margin;
    std::vector<Problem> m_problems;
};

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
    std::vector<Problem> m_forecast;  ///< known only from the plan
    bool m_taking = false;            ///< the document changes because of this text
    int m_firstLine = 0;              ///< line of the first problem
};

}  // namespace meshreel
