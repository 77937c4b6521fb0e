// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/mesh/attention_walk.h"

class QLabel;
class QSlider;
class QToolButton;

namespace meshreel {

/// Goes through the steps of an attention: by slider, button or clock, with the words of each.
class WalkTransport : public QWidget {
    Q_OBJECT

  public:
    explicit WalkTransport(QWidget* parent = nullptr);

    /// The step shown stays where there are as many.
    void setSteps(std::vector<WalkStep> steps);
    [[nodiscard]] int stepCount() const { return static_cast<int>(m_steps.size()); }
    void goToStep(int step);

  signals:
    void stepShown(const meshreel::WalkStep& step);

  private:
    QToolButton* makeButton(const char* icon, const QString& name);
    void showStep();
    void play(bool playing);

    std::vector<WalkStep> m_steps;
    QSlider* m_slider;
    QToolButton* m_play;
    QLabel* m_title;
    QLabel* m_sentence;
    QTimer m_clock;
};

}  // namespace meshreel
