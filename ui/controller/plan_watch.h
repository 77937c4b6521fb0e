// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>

#include "ui/controller/latest_only.h"
#include "ui/controller/project_forecast.h"

namespace meshreel {

class ProjectDocument;

/// Keeps the forecast of a document up to date, on another thread, a little after the last edit. Errors are
/// looked at again every few seconds: a model may have come, another program may have given memory back.
class PlanWatch : public QObject {
    Q_OBJECT

  public:
    explicit PlanWatch(ProjectDocument& document, QObject* parent = nullptr);

    /// The latest one; empty at first.
    [[nodiscard]] const ProjectForecast& forecast() const { return m_forecast; }
    /// The document has changed since: another forecast is on its way.
    [[nodiscard]] bool isPending() const { return m_isPending; }
    /// What seconds are predicted from, from now on.
    void setBasis(std::shared_ptr<const PredictionBasis> basis);

  signals:
    void forecastChanged(const meshreel::ProjectForecast& forecast);

  private:
    void await();
    void ask();
    void askAgain();
    void take(ProjectForecast forecast);
    void forgetPlan();

    ProjectDocument& m_document;
    ProjectForecast m_forecast;
    std::shared_ptr<const PredictionBasis> m_basis;
    std::shared_ptr<OpenedFiles> m_files = noOpenedFiles();
    QTimer m_pause;
    QTimer m_again;
    bool m_isPending = true;
    bool m_hadPlan = false;
    LatestOnly m_planning;
};

}  // namespace meshreel
