// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "ui/project/project_document.h"

class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace meshreel {

class EmptyState;

/// Everything wrong with the project, errors first: what, how to mend it, a way to the setting, and buttons
/// that mend it at once. Behind it, what is good to know.
class ProblemPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ProblemPanel(QWidget* parent = nullptr);

    void showFindings(std::vector<Diagnosis> diagnoses, std::vector<Problem> notes = {});
    /// A run is in progress: another one cannot be begun.
    void setEngineBusy(bool busy);
    [[nodiscard]] const std::vector<Diagnosis>& diagnoses() const { return m_diagnoses; }
    /// Returns whether errors are listed, or warnings alone; nothing without either.
    [[nodiscard]] std::optional<Severity> worst() const;

  signals:
    void goToRequested(const QString& keyName);
    void fixRequested(const std::vector<meshreel::KeyText>& fix);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    QWidget* makeProblem(const Diagnosis& diagnosis);
    QWidget* makeNote(const Problem& note);
    QPushButton* makeGoTo(const std::string& key);
    QWidget* makeActions(const Diagnosis& diagnosis);

    std::vector<Diagnosis> m_diagnoses;
    std::vector<Problem> m_notes;
    EmptyState* m_allWell;
    QScrollArea* m_scroll;
};

}  // namespace meshreel
