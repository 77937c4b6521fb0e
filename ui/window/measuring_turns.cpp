// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/measuring_turns.h"

#include <optional>
#include <vector>

#include "engine/gpu/chosen_gpu.h"
#include "engine/planning/forecast.h"
#include "engine/planning/project_forecast.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/project/plan_watch.h"
#include "ui/project/prediction_source.h"
#include "ui/project/rate_refinement.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/queue_times.h"
#include "ui/queue/run_queue.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/consequences_bar.h"
#include "ui/storyboard/film_watch.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/values/engine_use.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/studio_panels.h"

namespace meshreel {

MeasuringTurns::MeasuringTurns(const Places& places) : m_places(places) {
    const PredictionSource* source = &m_places.source;
    connect(source, &PredictionSource::basisChanged, this, &MeasuringTurns::spreadBasis);
    connect(source, &PredictionSource::failed, &m_places.banner, &MessageBanner::showProblem);
    connect(source, &PredictionSource::ratesSetAside, &m_places.banner, &MessageBanner::showFailure);
    connect(&m_places.planWatch, &PlanWatch::forecastChanged, this, &MeasuringTurns::noteGpus);
    connectControls();
    connectTurns();
    m_places.source.refresh();
}

void MeasuringTurns::connectControls() {
    PredictionSource* source = &m_places.source;
    ConsequencesBar* consequences = &m_places.consequences;
    MeasureItem* item = &consequences->measureItem();
    LegalMeshes* meshes = &m_places.panels.mesh().legalList();
    connect(source, &PredictionSource::measuringChanged, consequences, &ConsequencesBar::setMeasuring);
    connect(source, &PredictionSource::waitingChanged, consequences, &ConsequencesBar::setMeasurementWaiting);
    connect(source, &PredictionSource::timed, item, &MeasureItem::showTimed);
    connect(item, &MeasureItem::measureRequested, source, &PredictionSource::measure);
    connect(item, &MeasureItem::cancelRequested, source, &PredictionSource::cancelMeasuring);
    connect(meshes, &LegalMeshes::measureRequested, source, &PredictionSource::measure);
    connect(source, &PredictionSource::measuringChanged, meshes, &LegalMeshes::setMeasuring);
    connect(&m_places.refinement, &RateRefinement::statusChanged, consequences,
            &ConsequencesBar::showRefinement);
    connect(&consequences->refineItem(), &RefineItem::stopRequested, this,
            [this] { m_places.refinement.setWanted(false); });
}

void MeasuringTurns::connectTurns() {
    connect(&m_places.runs, &RunPresenter::busyChanged, this, &MeasuringTurns::followRun);
    // Queued: a queue begins its next run meanwhile.
    connect(&m_places.engine, &EngineUse::changed, this, &MeasuringTurns::goOn, Qt::QueuedConnection);
    connect(&m_places.queue, &RunQueue::changed, this, &MeasuringTurns::goOn, Qt::QueuedConnection);
    connect(&m_places.panels.queue(), &QueuePanel::goingChanged, this, &MeasuringTurns::goOn,
            Qt::QueuedConnection);
    connect(&m_places.source, &PredictionSource::measuringChanged, this, &MeasuringTurns::goOn,
            Qt::QueuedConnection);
}

void MeasuringTurns::spreadBasis() {
    m_places.planWatch.setBasis(m_places.source.basis());
    m_places.queueTimes.setBasis(m_places.source.basis());
    m_places.panels.storyboard().watch().setBasis(m_places.source.basis());
}

void MeasuringTurns::noteGpus(const ProjectForecast& forecast) {
    if (forecast.plan == nullptr)
        return;
    const auto missing = forecast.basis ? missingRates(*forecast.plan, *forecast.basis) : std::nullopt;
    m_places.source.setGpus(forecast.plan->placement.gpus,
                            missing ? missing->gpus : std::vector<ChosenGpu>());
}

void MeasuringTurns::followRun(bool busy) {
    if (busy && m_places.source.isMeasuring()) {
        m_places.source.pauseMeasuring();
        m_places.banner.showNote(
            tr("Measuring this machine waits for the end of the run, and goes on then with what it has."));
    }
    if (!busy)
        m_places.source.refresh();  // with the run that ended now
}

/// Once nothing computes, and nothing is about to.
void MeasuringTurns::goOn() {
    const bool queueGoes = m_places.panels.queue().isGoing() && m_places.queue.waiting() > 0;
    if (!m_places.engine.atHand() && !queueGoes)
        m_places.source.goOnMeasuring();
}

}  // namespace meshreel

#include "moc_measuring_turns.cpp"
