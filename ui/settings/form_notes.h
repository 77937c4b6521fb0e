// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <optional>

class QHBoxLayout;
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

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void ink();

    bool m_alarming = false;
};

/// Prompts that a model does well, from its card: the indented lines below "## What to ask for"; for a model
/// without such a card, some that suit any large one.
QStringList examplePrompts(const QString& card);

/// Below the prompt: how much of the text length it takes, examples to click, and its parts by time.
class PromptTools : public QWidget {
    Q_OBJECT

  public:
    explicit PromptTools(ProjectDocument& document, QWidget* parent = nullptr);

    /// The tokens of the prompt, end mark included; none: not known.
    void setTokens(std::optional<std::int64_t> tokens);
    [[nodiscard]] TimedPromptTable& timedParts() const { return *m_timedParts; }

  signals:
    /// An example became the prompt.
    void exampleTaken();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void takeNext();
    void refresh();

    ProjectDocument& m_document;
    QString m_model;  ///< the model whose examples are shown
    QStringList m_examples;
    std::optional<std::int64_t> m_tokens;
    QToolButton* m_example;
    QLabel* m_length;
    TimedPromptTable* m_timedParts;
};

}  // namespace meshreel
