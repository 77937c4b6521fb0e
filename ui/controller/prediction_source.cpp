// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/prediction_source.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/paths.h"
#include "engine/runs/run_history.h"

namespace meshreel {

PredictionSource::PredictionSource(QObject* parent, Measure measure)
    : QObject(parent), m_measure(std::move(measure)) {}

PredictionSource::~PredictionSource() {
    m_stop.request_stop();
    m_refiningStop.request_stop();
}

void PredictionSource::refresh() {
    m_background.run(
        [] { return std::make_shared<const PredictionBasis>(readPredictionBasis(runsFolder())); },
        [this](std::shared_ptr<const PredictionBasis> basis) {
            m_basis = std::move(basis);
            emit basisChanged();
        },
        [this](const Trouble& trouble) { emit failed(trouble); });
}

void PredictionSource::measure() {
    if (m_measuring)
        return;
    stopRefining();
    m_measuring = true;
    m_stop = StopSource();
    emit measuringChanged(true);
    const auto work = [this, stop = m_stop.get_token()] {
        const std::scoped_lock turn(m_turn);
        int count = 0;
        const auto tell = [this, &count](const RateSample& sample) {
            emit timed(++count,
                       QString::fromStdString(sample.name));  // queued: the receiver is on another thread
        };
        const MachineRates rates = m_measure(stop, tell, nullptr);
        writeRates(ratesFile(rates.machine), rates);
        return rates.machine;
    };
    m_background.run(
        work,
        [this](const MachineIdentity&) {
            endMeasuring();
            refresh();
        },
        [this, stop = m_stop.get_token()](const Trouble& trouble) {
            endMeasuring();
            if (!stop.stop_requested())
                emit failed(trouble);
        });
}

void PredictionSource::cancelMeasuring() {
    m_stop.request_stop();
}

void PredictionSource::endMeasuring() {
    m_measuring = false;
    emit measuringChanged(false);
}

void PredictionSource::refine() {
    if (m_measuring || m_refining)
        return;
    m_refining = true;
    m_refiningStop = StopSource();
    emit refiningChanged(true);
    m_background.run(
        [this, stop = m_refiningStop.get_token()] {
            addRound(stop);
            return true;
        },
        [this](bool) {
            endRefining();
            refresh();
        },
        [this, stop = m_refiningStop.get_token()](const Trouble& trouble) {
            endRefining();
            if (!stop.stop_requested())
                emit failed(trouble);
        });
}

void PredictionSource::stopRefining() {
    m_refiningStop.request_stop();
}

void PredictionSource::endRefining() {
    m_refining = false;
    emit refiningChanged(false);
}

void PredictionSource::addRound(const StopToken& stop) {
    const std::scoped_lock turn(m_turn);
    const MachineIdentity machine = MachineIdentity::ofThis();
    const std::filesystem::path file = ratesFile(machine);
    const std::optional<MachineRates> kept = readRates(file, machine);
    if (!kept || kept->rounds() >= RateMeasurement::thoroughRounds)
        return;
    const MachineRates rates = m_measure(stop, {}, &*kept);
    const std::optional<MachineRates> now = readRates(file, machine);
    if (now && ratesJson(*now) == ratesJson(*kept))  // or else the runner has measured meanwhile
        writeRates(file, rates);
}

}  // namespace meshreel
