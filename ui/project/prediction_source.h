// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/stop_token.h"
#include "engine/base/system.h"
#include "engine/measure/rate_measurement.h"
#include "engine/runs/run_history.h"
#include "ui/values/background.h"

namespace meshreel {

class EngineUse;
struct TargetHardware;

/// The hardware that the open project is planned for beside this machine: a profile of other hardware, or
/// none. It is part of no project and kept nowhere: another project, and the next start, begin without.
class TargetChoice : public QObject {
    Q_OBJECT

  public:
    explicit TargetChoice(QObject* parent = nullptr);

    /// Name or file of the profile; empty: this machine alone.
    [[nodiscard]] const QString& name() const { return m_name; }
    /// That runs the model there; empty: the profile's default.
    [[nodiscard]] const QString& program() const { return m_program; }
    /// Reads the profile and fits its efficiencies on another thread; changed() tells when they are there.
    void choose(const QString& name, const QString& program = {});

    /// Null for this machine, and until the profile was read.
    [[nodiscard]] const std::shared_ptr<const TargetHardware>& target() const { return m_target; }

  signals:
    /// The choice, or what is known of it.
    void changed();
    /// The profile cannot be read: the choice is this machine again.
    void failed(const meshreel::Problem& problem);

  private:
    QString m_name;
    QString m_program;
    std::shared_ptr<const TargetHardware> m_target;
    LatestOnly m_reading;
};

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
    /// Measures the rates of this machine's CPU and of the plan's GPUs, those that are missing or, where none
    /// are, all of them, and keeps them in the user's cache folder. Goes on behind what was timed before it
    /// was paused, or the program ended. Nothing happens while it does already.
    void measure();
    /// Keeps nothing of the measurement at hand, or of the one that waits.
    void cancelMeasuring();
    /// Stops the measurement at hand, keeping what it has timed, until goOnMeasuring().
    void pauseMeasuring();
    /// Nothing happens unless one waits.
    void goOnMeasuring();
    [[nodiscard]] bool isWaiting() const { return m_waiting; }

    [[nodiscard]] bool isRefining() const { return m_refining; }
    /// Adds one more round to the rates that are kept, if they need it, and keeps them. Nothing happens while
    /// anything is measured.
    void refine();
    /// Nothing of the round at hand counts.
    void stopRefining();

  signals:
    void basisChanged();
    void measuringChanged(bool measuring);
    /// Whether a measurement was paused and is to go on.
    void waitingChanged(bool waiting);
    void refiningChanged(bool refining);
    /// So many of `all` things have been timed by now, this one last; none is named of those that were timed
    /// before a pause.
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
    std::mutex m_turn;  ///< of the threads that measure
    Background m_background;
};

/// How far the rates of this machine are refined.
struct RefinementStatus {
    enum class State {
        Off,      ///< nothing is left to refine, nobody wants it, or the engine is needed
        GoingOn,  ///< a round is being measured, or about to be
        Waiting   ///< for CPUs that other programs keep busy
    };

    State state = State::Off;
    int round = 0;  ///< that is measured, or will be next; counted from 1
    int rounds = 0;

    friend bool operator==(const RefinementStatus&, const RefinementStatus&) = default;
};

/// Measures this machine further, round by round, while neither the engine nor another program computes, once
/// somebody has asked for rates. Whatever begins in the engine stops it at once, and it goes on behind that.
class RateRefinement : public QObject {
    Q_OBJECT

  public:
    using ReadTicks = std::function<CpuTicks()>;

    /// Looks at the CPUs every `interval`, a few times before a round. The source and the engine's use
    /// outlive their last signals.
    RateRefinement(PredictionSource& source, const EngineUse& engine, QObject* parent = nullptr,
                   ReadTicks readTicks = readCpuTicks,
                   std::chrono::milliseconds interval = std::chrono::seconds(1));

    /// Whether it may measure: from the first measurement that is asked for on, unless that was refused.
    /// Remembered.
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
    bool m_hasFailed = false;  ///< and is not tried again until somebody asks
};

}  // namespace meshreel
