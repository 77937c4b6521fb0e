// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/rate_refinement.h"

#include <QSettings>
#include <algorithm>
#include <utility>

#include "engine/measure/rate_measurement.h"
#include "ui/project/prediction_source.h"
#include "ui/values/engine_use.h"

namespace meshreel {

namespace {

constexpr QLatin1String wantedKey("predictions/refine");
constexpr std::size_t intervals = 5;  ///< over which the CPUs are looked at before a round
constexpr double mostBusy = 0.1;      ///< of the CPUs: an idle desktop needs less

}  // namespace

RateRefinement::RateRefinement(PredictionSource& source, const EngineUse& engine, QObject* parent,
                               ReadTicks readTicks, std::chrono::milliseconds interval)
    : QObject(parent),
      m_source(source),
      m_engine(engine),
      m_readTicks(std::move(readTicks)),
      m_wanted(QSettings().value(wantedKey).toBool()) {
    m_timer.setInterval(interval);
    connect(&m_timer, &QTimer::timeout, this, &RateRefinement::look);
    connect(&engine, &EngineUse::changed, this, &RateRefinement::review);
    connect(&source, &PredictionSource::basisChanged, this, &RateRefinement::review);
    connect(&source, &PredictionSource::refiningChanged, this, &RateRefinement::review);
    connect(&source, &PredictionSource::measuringChanged, this, &RateRefinement::hearMeasuring);
    connect(&source, &PredictionSource::failed, this, [this] {
        m_hasFailed = true;
        review();
    });
}

void RateRefinement::setWanted(bool wanted) {
    QSettings().setValue(wantedKey, wanted);
    if (wanted == m_wanted)
        return;
    m_wanted = wanted;
    m_hasFailed = false;
    emit wantedChanged(wanted);
    review();
}

void RateRefinement::hearMeasuring(bool measuring) {
    if (measuring) {
        m_hasFailed = false;
        if (!QSettings().contains(wantedKey))
            setWanted(true);
    }
    review();
}

int RateRefinement::taken() const {
    const auto& basis = m_source.basis();
    return basis && basis->rates ? basis->rates->rounds() : 0;
}

bool RateRefinement::mayGoOn() const {
    return m_wanted && !m_hasFailed && !m_engine.atHand() && !m_source.isMeasuring() &&
           !m_source.isWaiting() && taken() > 0 && taken() < RateMeasurement::thoroughRounds;
}

void RateRefinement::review() {
    if (!mayGoOn()) {
        m_timer.stop();
        m_source.stopRefining();
    } else if (!m_timer.isActive() && !m_source.isRefining()) {
        m_window.clear();
        m_isBusy = false;
        m_timer.start();
    }
    tell();
}

void RateRefinement::look() {
    m_window.push_back(m_readTicks());
    if (m_window.size() <= intervals)
        return;
    const double busy = m_window.back().busy - m_window.front().busy;
    const double all = m_window.back().all - m_window.front().all;
    m_window.pop_front();
    m_isBusy = busy > mostBusy * all;
    if (!m_isBusy) {
        m_timer.stop();
        m_source.refine();
    }
    tell();
}

void RateRefinement::tell() {
    using State = RefinementStatus::State;
    RefinementStatus status;
    if (mayGoOn())
        status = {.state = m_isBusy ? State::Waiting : State::GoingOn,
                  .round = taken() + 1,
                  .rounds = RateMeasurement::thoroughRounds};
    if (status == m_status)
        return;
    m_status = status;
    emit statusChanged(status);
}

}  // namespace meshreel

#include "moc_rate_refinement.cpp"
