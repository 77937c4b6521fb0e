// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QString>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/settings/prompt_examples.h"

class QToolButton;

namespace meshreel {

class ProjectDocument;
class TimedPromptTable;
struct ProjectForecast;

/// Below the model: whether it is on this machine, whether the run will fit into its memory, and how long it
/// will take.
class ModelState : public QLabel {
    Q_OBJECT

  public:
    explicit ModelState(QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);
};

/// Above the prompt, where it does not move with what is said below: examples to click and how much of the
/// text length the prompt takes. Makes the table of its parts by time, which stands below it.
class PromptTools : public QWidget {
    Q_OBJECT

  public:
    explicit PromptTools(ProjectDocument& document, QWidget* parent = nullptr);

    /// The tokens of the prompt, end mark included; none: not known.
    void setTokens(std::optional<std::int64_t> tokens);
    [[nodiscard]] TimedPromptTable& timedParts() const { return *m_timedParts; }

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void takeNext();
    void take(const PromptExample& example);
    void readExamples();
    void refresh();

    ProjectDocument& m_document;
    std::optional<QString> m_model;  ///< the one whose examples are shown
    std::vector<PromptExample> m_examples;
    std::optional<std::int64_t> m_tokens;
    QToolButton* m_example;
    QLabel* m_length;
    TimedPromptTable* m_timedParts;
};

}  // namespace meshreel
