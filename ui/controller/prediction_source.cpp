// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/prediction_source.h"

#include <utility>

#include "engine/base/paths.h"
#include "engine/runs/run_history.h"

namespace meshreel {

PredictionSource::PredictionSource(QObject* parent, Measure measure)
    : QObject(parent), m_measure(std::move(measure)) {}

PredictionSource::~PredictionSource() {
    m_stop.request_stop();
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
    m_measuring = true;
    m_stop = StopSource();
    emit measuringChanged(true);
    const auto work = [this, stop = m_stop.get_token()] {
        int count = 0;
        const MachineRates rates = m_measure(stop, [this, &count](const RateSample& sample) {
            emit timed(++count,
                       QString::fromStdString(sample.name));  // queued: the receiver is on another thread
        });
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

}  // namespace meshreel
