// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace meshreel {

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

}  // namespace meshreel
