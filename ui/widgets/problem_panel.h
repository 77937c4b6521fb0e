// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/cures.h"

class QScrollArea;
class QVBoxLayout;

namespace meshreel {

class EmptyState;

/// Everything wrong with the project, errors first: what, how to mend it, a way to the setting, and buttons
/// that mend it at once.
class ProblemPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ProblemPanel(QWidget* parent = nullptr);

    void showDiagnoses(std::vector<Diagnosis> diagnoses);
    [[nodiscard]] const std::vector<Diagnosis>& diagnoses() const { return m_diagnoses; }

  signals:
    void goToRequested(const QString& keyName);
    void cureRequested(const meshreel::Cure& cure);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    QWidget* makeItem(const Diagnosis& diagnosis);
    QWidget* makeActions(const Diagnosis& diagnosis);

    std::vector<Diagnosis> m_diagnoses;
    EmptyState* m_allWell;
    QScrollArea* m_scroll;
};

}  // namespace meshreel
