// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ui/values/background.h"

namespace meshreel {

class RunQueue;
struct PredictionBasis;

/// How long the runs that wait in the queue will take, predicted on another thread from the rates of this
/// machine. Runs that differ only in prompt and seed are planned once.
class QueueTimes : public QObject {
    Q_OBJECT

  public:
    /// The queue outlives this.
    explicit QueueTimes(RunQueue& queue, QObject* parent = nullptr);

    /// Null: nothing is predicted.
    void setBasis(std::shared_ptr<const PredictionBasis> basis);

    /// Returns the seconds of all waiting runs; nothing while none waits, or one of them cannot be predicted.
    [[nodiscard]] std::optional<double> total() const { return m_total; }

  signals:
    void changed();

  private:
    /// Seconds of one run, keyed by its project without prompt and seed; nothing if it cannot be predicted.
    using Known = std::map<std::string, std::optional<double>>;

    void ask();

    RunQueue& m_queue;
    std::shared_ptr<const PredictionBasis> m_basis;
    Known m_known;
    std::optional<double> m_total;
    QTimer m_pause;
    LatestOnly m_predicting;
};

}  // namespace meshreel
