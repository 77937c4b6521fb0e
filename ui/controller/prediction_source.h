// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <memory>

#include "engine/base/stop_token.h"
#include "engine/runs/past_runs.h"
#include "engine/studies/rates/rate_measurement.h"
#include "ui/controller/background.h"

namespace meshreel {

/// What the Studio predicts from: the rates of this machine and its past runs, read and measured on other
/// threads.
class PredictionSource : public QObject {
    Q_OBJECT

  public:
    using Measure = std::function<MachineRates(const StopToken&, const OnRateSample&)>;

    explicit PredictionSource(QObject* parent = nullptr, Measure measure = measureRates);
    /// Stops a measurement and waits for it.
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

  signals:
    void basisChanged();
    void measuringChanged(bool measuring);
    /// So many things have been timed by now, this one last.
    void timed(int count, const QString& what);
    void failed(const meshreel::Trouble& trouble);

  private:
    void endMeasuring();

    Measure m_measure;
    std::shared_ptr<const PredictionBasis> m_basis;
    StopSource m_stop;
    bool m_measuring = false;
    Background m_background;
};

}  // namespace meshreel
