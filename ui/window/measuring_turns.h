// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace meshreel {

class ConsequencesBar;
class EngineUse;
class MessageBanner;
class PlanWatch;
class PredictionSource;
class QueueTimes;
class RateRefinement;
class RunPresenter;
class RunQueue;
class StudioPanels;
struct ProjectForecast;

/// Lets this machine be measured in turns with what computes: a measurement waits for a run and goes on once
/// nothing computes, and what was measured reaches all that predicts. All of it outlives this.
class MeasuringTurns : public QObject {
    Q_OBJECT

  public:
    struct Places {
        PredictionSource& source;
        RateRefinement& refinement;
        PlanWatch& planWatch;
        QueueTimes& queueTimes;
        const EngineUse& engine;
        const RunQueue& queue;
        RunPresenter& runs;
        const StudioPanels& panels;
        ConsequencesBar& consequences;
        MessageBanner& banner;
    };

    /// Begins to read what predictions are made from.
    explicit MeasuringTurns(const Places& places);

  private:
    void connectControls();
    void connectTurns();
    void spreadBasis();
    /// Says which GPUs a measurement is for.
    void noteGpus(const ProjectForecast& forecast);
    void followRun(bool busy);
    void goOn();

    Places m_places;
};

}  // namespace meshreel
