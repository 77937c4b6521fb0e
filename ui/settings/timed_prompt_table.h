// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstddef>
#include <functional>
#include <vector>

#include "engine/checks/prompt_lengths.h"
#include "engine/project/timed_prompt.h"

class QGridLayout;
class QLabel;
class QToolButton;

namespace meshreel {

class ProjectDocument;

/// The parts of a timed prompt, a line each: from when to when, its words, its tokens. The prompt's text and
/// the lines follow each other; of a prompt without times only the button that gives it some is seen.
class TimedPromptTable : public QWidget {
    Q_OBJECT

  public:
    explicit TimedPromptTable(ProjectDocument& document, QWidget* parent = nullptr);

    /// What the text encoder gets of the prompt; empty: not known, or without parts.
    void setParts(std::vector<PromptPart> parts);

    [[nodiscard]] int lines() const { return static_cast<int>(m_prompt.parts.size()); }

  protected:
    void changeEvent(QEvent* event) override;

  private:
    enum class Edit { Typed, Done };  ///< steps of undoing: with what is typed next, or of its own

    void refresh();
    void rebuild();
    void addHeadings();
    void addGlobalLine();
    void addLine(std::size_t index);
    void addBound(std::size_t index, bool isBegin);
    void addMover(std::size_t index, int places, int column);
    void showTokens();
    void addPart();
    void changeBound(std::size_t index, bool isBegin, const QString& typed);
    void changeLines(const std::function<void(std::vector<TimedPart>&)>& change);
    void tellDocument(Edit edit);

    ProjectDocument& m_document;
    TimedPrompt m_prompt;
    QString m_text;  ///< of the document, as it was read or written last
    std::vector<PromptPart> m_parts;
    QWidget* m_body;  ///< the lines
    QGridLayout* m_grid;
    std::vector<QLabel*> m_tokens;  ///< of the words that hold all the time, and of each line
    QToolButton* m_add;
};

}  // namespace meshreel
