// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/prediction_source.h"

#include <QSettings>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/paths.h"
#include "engine/measure/gpu_rate_probes.h"
#include "engine/measure/rate_probes.h"
#include "engine/measure/unfinished_rates.h"
#include "engine/planning/target_hardware.h"
#include "engine/runs/run_history.h"

namespace meshreel {

PredictionSource::PredictionSource(QObject* parent, Measure measure, MeasureGpu measureGpu)
    : QObject(parent), m_measure(std::move(measure)), m_measureGpu(std::move(measureGpu)) {}

PredictionSource::~PredictionSource() {
    m_stop.request_stop();
    m_refiningStop.request_stop();
}

void PredictionSource::refresh() {
    m_background.run(
        [this] {
            if (const auto aside = setDamagedRatesAside(ratesFile(MachineIdentity::ofThis())))
                emit ratesSetAside(  // queued: the receiver is on another thread
                    tr("The rates that were kept cannot be read; their file is now %1.")
                        .arg(QString::fromStdString(withTilde(*aside))));
            return std::make_shared<const PredictionBasis>(readPredictionBasis(runsFolder()));
        },
        [this](std::shared_ptr<const PredictionBasis> basis) {
            m_basis = std::move(basis);
            emit basisChanged();
        },
        [this](const Problem& problem) { emit failed(problem); });
}

namespace {

struct MissingMeasurements {
    bool cpu = false;
    std::vector<ChosenGpu> gpus;
};

/// Things that measurements which were stopped have timed already.
int timedBefore(const MissingMeasurements& missing) {
    std::size_t count = 0;
    const auto add = [&count](const MachineIdentity& machine) {
        if (const std::optional<UnfinishedRates> unfinished = readUnfinishedRates(machine))
            count += unfinished->timed();
    };
    if (missing.cpu)
        add(MachineIdentity::ofThis());
    for (const ChosenGpu& gpu : missing.gpus)
        add(MachineIdentity::ofGpu(gpu.facts));
    return static_cast<int>(count);
}

/// Returns what a plan on these GPUs lacks, if only some rates of the `lacking` ones; everything if it lacks
/// nothing.
MissingMeasurements missingOf(const std::vector<ChosenGpu>& gpus, const std::vector<ChosenGpu>& lacking,
                              const PredictionBasis* basis) {
    MissingMeasurements all{.cpu = true, .gpus = {}};
    MissingMeasurements missing{.cpu = basis == nullptr || !basis->rates, .gpus = {}};
    for (const ChosenGpu& gpu : gpus) {
        if (std::ranges::find(all.gpus, gpu.number, &ChosenGpu::number) != all.gpus.end())
            continue;
        all.gpus.push_back(gpu);
        const auto isOf = [&](const MachineRates& rates) { return rates.machine.gpu == gpu.facts.id; };
        const bool isLacking = std::ranges::find(lacking, gpu.number, &ChosenGpu::number) != lacking.end();
        if (basis == nullptr || isLacking || std::ranges::none_of(basis->gpuRates, isOf))
            missing.gpus.push_back(gpu);
    }
    return missing.cpu || !missing.gpus.empty() ? missing : all;
}

}  // namespace

void PredictionSource::measure() {
    if (m_measuring)
        return;
    setWaiting(false);
    stopRefining();
    m_measuring = true;
    m_stop = StopSource();
    emit measuringChanged(true);
    const auto work = [this, stop = m_stop.get_token(),
                       missing = missingOf(m_gpus, m_lackingGpus, m_basis.get())] {
        const std::scoped_lock turn(m_turn);
        const int all =
            RateMeasurement::rounds * ((missing.cpu ? samplesOfRound() : 0) +
                                       static_cast<int>(missing.gpus.size()) * mostSamplesOfGpuRound());
        int count = timedBefore(missing);
        if (count > 0)
            emit timed(count, std::max(all, count), {});
        const auto tell = [this, all, &count](const RateSample& sample) {
            ++count;
            // queued: the receiver is on another thread
            emit timed(count, std::max(all, count), QString::fromStdString(sample.name));
        };
        if (missing.cpu) {
            const MachineRates rates = m_measure(stop, tell, nullptr);
            writeRates(ratesFile(rates.machine), rates);
        }
        for (const ChosenGpu& gpu : missing.gpus) {
            const MachineRates rates = m_measureGpu(gpu, stop, tell);
            writeRates(ratesFile(rates.machine), rates);
        }
        return true;
    };
    m_background.run(
        work,
        [this](bool) {
            setWaiting(false);  // the last thing was timed before it could stop
            endMeasuring();
            refresh();
        },
        [this, stop = m_stop.get_token()](const Problem& problem) {
            endMeasuring();
            if (!stop.stop_requested())
                emit failed(problem);
            else if (m_waiting)
                refresh();  // with what was measured wholly
            else
                forgetTimed();
        });
}

void PredictionSource::cancelMeasuring() {
    m_stop.request_stop();
    setWaiting(false);
    if (!m_measuring)
        forgetTimed();
}

void PredictionSource::pauseMeasuring() {
    if (!m_measuring)
        return;
    setWaiting(true);
    m_stop.request_stop();
}

void PredictionSource::goOnMeasuring() {
    if (m_waiting && !m_measuring)
        measure();
}

void PredictionSource::setWaiting(bool waiting) {
    if (std::exchange(m_waiting, waiting) != waiting)
        emit waitingChanged(waiting);
}

void PredictionSource::forgetTimed() const {
    forgetUnfinishedRates(MachineIdentity::ofThis());
    for (const ChosenGpu& gpu : m_gpus)
        forgetUnfinishedRates(MachineIdentity::ofGpu(gpu.facts));
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
        [this, stop = m_refiningStop.get_token()](const Problem& problem) {
            endRefining();
            if (!stop.stop_requested())
                emit failed(problem);
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

#include "moc_prediction_source.cpp"
