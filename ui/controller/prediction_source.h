// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <mutex>

#include "engine/base/stop_token.h"
#include "engine/measure/rate_measurement.h"
#include "engine/runs/run_forecast.h"
#include "ui/controller/background.h"

namespace meshreel {

/// What the Studio predicts from: the rates of this machine and its past runs, read and measured on other
/// threads.
class PredictionSource : public QObject {
    Q_OBJECT

  public:
    /// As measureRates().
    using Measure =
        std::function<MachineRates(const StopToken&, const OnRateSample&, const MachineRates* earlier)>;

    explicit PredictionSource(QObject* parent = nullptr, Measure measure = measureRates);
    /// Stops what is being measured and waits for it.
    ~PredictionSource() override;

    /// Null until it was read first.
    [[nodiscard]] const std::shared_ptr<const PredictionBasis>& basis() const { return m_basis; }
    /// Reads it anew.
    void refresh();

    [[nodiscard]] bool isMeasuring() const { return m_measuring; }
    /// Measures the rates of this machine and keeps them in the user's cache folder. Nothing happens while it
    /// does already.
    void measure();
    /// Keeps nothing of the measurement at hand.
    void cancelMeasuring();

    [[nodiscard]] bool isRefining() const { return m_refining; }
    /// Adds one more round to the rates that are kept, if they need it, and keeps them. Nothing happens while
    /// anything is measured.
    void refine();
    /// Nothing of the round at hand counts.
    void stopRefining();

  signals:
    void basisChanged();
    void measuringChanged(bool measuring);
    void refiningChanged(bool refining);
    /// So many things have been timed by now, this one last.
    void timed(int count, const QString& what);
    void failed(const meshreel::Trouble& trouble);

  private:
    void endMeasuring();
    void endRefining();
    void addRound(const StopToken& stop);

    Measure m_measure;
    std::shared_ptr<const PredictionBasis> m_basis;
    StopSource m_stop;
    StopSource m_refiningStop;
    bool m_measuring = false;
    bool m_refining = false;
    std::mutex m_turn;  ///< of the threads that measure
    Background m_background;
};

}  // namespace meshreel
