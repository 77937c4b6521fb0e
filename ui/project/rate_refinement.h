// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <deque>
#include <functional>

#include "engine/base/system.h"

namespace meshreel {

class EngineUse;
class PredictionSource;

/// How far the rates of this machine are refined.
struct RefinementStatus {
    enum class State {
        Off,      ///< nothing is left to refine, it is not wanted, or the engine is needed
        GoingOn,  ///< a round is being measured, or about to be
        Waiting   ///< for CPUs that other programs keep busy
    };

    State state = State::Off;
    int round = 0;  ///< that is measured, or will be next; counted from 1
    int rounds = 0;

    friend bool operator==(const RefinementStatus&, const RefinementStatus&) = default;
};

/// Once rates have been asked for, measures this machine further, round by round, while neither the engine
/// nor another program computes. Any work of the engine stops it at once; afterwards it continues.
class RateRefinement : public QObject {
    Q_OBJECT

  public:
    using ReadTicks = std::function<CpuTicks()>;

    /// Looks at the CPUs every `interval`, a few times before a round. The source and the engine's use
    /// outlive their last signals.
    RateRefinement(PredictionSource& source, const EngineUse& engine, QObject* parent = nullptr,
                   ReadTicks readTicks = readCpuTicks,
                   std::chrono::milliseconds interval = std::chrono::seconds(1));

    /// Returns whether it may measure: from the first measurement that is asked for on, unless that was
    /// refused. Remembered.
    [[nodiscard]] bool isWanted() const { return m_wanted; }
    void setWanted(bool wanted);

    [[nodiscard]] const RefinementStatus& status() const { return m_status; }

  signals:
    void wantedChanged(bool wanted);
    void statusChanged(const meshreel::RefinementStatus& status);

  private:
    void hearMeasuring(bool measuring);
    void review();
    void look();
    void tell();
    [[nodiscard]] int taken() const;
    [[nodiscard]] bool mayGoOn() const;

    PredictionSource& m_source;
    const EngineUse& m_engine;
    ReadTicks m_readTicks;
    QTimer m_timer;                 ///< runs between rounds
    std::deque<CpuTicks> m_window;  ///< the latest readings since it runs
    RefinementStatus m_status;
    bool m_wanted;
    bool m_isBusy = false;     ///< the CPUs were, by the window
    bool m_hasFailed = false;  ///< and is not tried again until the user asks
};

}  // namespace meshreel
