// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/stop_token.h"
#include "engine/estimates/machine_rates.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/measure/rate_measurement.h"
#include "engine/measure/rate_samples.h"
#include "engine/planning/forecast.h"
#include "engine/runs/run_history.h"
#include "ui/values/background.h"

namespace meshreel {

/// What the Studio predicts from: the rates of this machine and its past runs, read and measured on other
/// threads.
class PredictionSource : public QObject {
    Q_OBJECT

  public:
    /// As measureRates().
    using Measure =
        std::function<MachineRates(const StopToken&, const OnRateSample&, const MachineRates* earlier)>;

    /// As measureGpuRates().
    using MeasureGpu = std::function<MachineRates(const ChosenGpu&, const StopToken&, const OnRateSample&)>;

    explicit PredictionSource(QObject* parent = nullptr, Measure measure = measureRates,
                              MeasureGpu measureGpu = measureGpuRates);
    /// Stops what is being measured and waits for it.
    ~PredictionSource() override;

    /// Null until it was read first.
    [[nodiscard]] const std::shared_ptr<const PredictionBasis>& basis() const { return m_basis; }
    /// Reads it anew.
    void refresh();

    /// The GPUs of the plan in sight, whose rates its prediction needs, and those whose rates lack some of
    /// what it needs (missingRates()).
    void setGpus(std::vector<ChosenGpu> gpus, std::vector<ChosenGpu> lacking = {}) {
        m_gpus = std::move(gpus);
        m_lackingGpus = std::move(lacking);
    }

    [[nodiscard]] bool isMeasuring() const { return m_measuring; }
    /// Measures the rates of this machine's CPU and of the plan's GPUs, those that are missing or, if none
    /// are, all of them, and saves them in the user's cache folder. Continues after what was timed before it
    /// was paused, or the program ended. Does nothing while it runs already.
    void measure();
    /// Saves nothing of the current measurement, or of the one that waits.
    void cancelMeasuring();
    /// Stops the current measurement, keeping what it has timed, until goOnMeasuring().
    void pauseMeasuring();
    /// Does nothing unless a measurement waits.
    void goOnMeasuring();
    [[nodiscard]] bool isWaiting() const { return m_waiting; }

    [[nodiscard]] bool isRefining() const { return m_refining; }
    /// Adds one more round to the rates that are kept, if they need it, and keeps them. Nothing happens while
    /// anything is measured.
    void refine();
    /// Discards the round in progress.
    void stopRefining();

  signals:
    void basisChanged();
    void measuringChanged(bool measuring);
    /// Whether a measurement was paused and is to continue.
    void waitingChanged(bool waiting);
    void refiningChanged(bool refining);
    /// `count` of `all` things have been timed by now, this one last; the ones that were timed before a pause
    /// are not named.
    void timed(int count, int all, const QString& what);
    void failed(const meshreel::Problem& problem);
    /// The rates that were kept could not be read.
    void ratesSetAside(const QString& sentence);

  private:
    void endMeasuring();
    void setWaiting(bool waiting);
    void forgetTimed() const;
    void endRefining();
    void addRound(const StopToken& stop);

    Measure m_measure;
    MeasureGpu m_measureGpu;
    std::vector<ChosenGpu> m_gpus;
    std::vector<ChosenGpu> m_lackingGpus;
    std::shared_ptr<const PredictionBasis> m_basis;
    StopSource m_stop;
    StopSource m_refiningStop;
    bool m_measuring = false;
    bool m_waiting = false;
    bool m_refining = false;
    std::mutex m_turn;  ///< held by the thread that measures
    Background m_background;
};

}  // namespace meshreel
