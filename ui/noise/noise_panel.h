// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/controller/plan_watch.h"
#include "ui/noise/noise_levels.h"

class QLabel;

namespace meshreel {

class NoiseView;
class ProjectDocument;

/// How the noise goes down from step to step, with the settings that shape it.
class NoisePanel : public QWidget {
    Q_OBJECT

  public:
    explicit NoisePanel(ProjectDocument& document, QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);
    [[nodiscard]] NoiseView& view() const { return *m_view; }
    [[nodiscard]] QString detailText() const;

  private:
    QWidget* makeFields(ProjectDocument& document);
    void showDetail();

    NoiseLevels m_levels;
    NoiseView* m_view;
    QLabel* m_detail;
};

}  // namespace meshreel
