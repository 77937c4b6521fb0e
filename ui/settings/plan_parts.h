// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <vector>

#include "ui/widgets/edits.h"

namespace meshreel {

struct ProjectForecast;
class TargetChoice;

/// Chooses what the project is planned for: this machine, one of the profiles, or a profile's file.
class HardwareChooser : public FormComboBox {
    Q_OBJECT

  public:
    /// Several may follow the same choice.
    HardwareChooser(TargetChoice& choice, QWidget* parent);

  private:
    void refresh();
    void take(int index);

    TargetChoice& m_choice;
};

/// Returns a chooser with a button beside it that returns to this machine, visible while other hardware is
/// chosen.
QWidget* makeHardwareField(HardwareChooser& chooser, TargetChoice& choice);

/// Says of widgets that they show the last plan that a project had, which it has left since, and veils them.
class LastPlanMark : public QLabel {
    Q_OBJECT

  public:
    /// None of the widgets is a splitter, which would take its veil for another part.
    LastPlanMark(const std::vector<QWidget*>& marked, QWidget* parent);

    void setMarked(bool marked);
    [[nodiscard]] bool isMarked() const { return !isHidden(); }

  private:
    std::vector<QWidget*> m_veils;
};

/// Returns why nothing is drawn, in whole sentences with the first problem's words; for forecasts without a
/// plan.
QString whyNoPlan(const ProjectForecast& forecast);

}  // namespace meshreel
