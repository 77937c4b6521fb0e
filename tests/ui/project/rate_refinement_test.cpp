// SPDX-License-Identifier: GPL-3.0-or-later
// Measuring goes on in the background: who allows it, what stops it, and when it waits.
#include <QAction>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <filesystem>

#include "tests/support/charts/test_classes.h"
#include "ui/project/prediction_source.h"
#include "ui/project/rate_refinement.h"
#include "ui/settings/consequences_bar.h"
#include "ui/studies/sweep_panel.h"
#include "ui/values/engine_use.h"
#include "ui/window/main_window.h"

using namespace meshreel;

namespace {

using State = RefinementStatus::State;

constexpr std::chrono::milliseconds moment{2};

MachineRates ratesOf(int rounds) {
    constexpr double nanosecond = 1e-9;
    MachineRates rates{.machine = MachineIdentity::ofThis(),
                       .spread = 0.1,
                       .measured = "2026-01-02 03:04",
                       .commit = std::string(versionCommit())};
    rates.secondsPerUnit.fill(nanosecond);
    rates.firstSteps.assign(static_cast<std::size_t>(rounds), 1);
    return rates;
}

void keep(const MachineRates& rates) {
    writeRates(ratesFile(rates.machine), rates);
}

int keptRounds() {
    const MachineIdentity machine = MachineIdentity::ofThis();
    const std::optional<MachineRates> rates = readRates(ratesFile(machine), machine);
    return rates ? rates->rounds() : 0;
}

/// Adds a round at once.
MachineRates anotherRound(const StopToken& /*stop*/, const OnRateSample& /*onSample*/,
                          const MachineRates* earlier) {
    return ratesOf(earlier == nullptr ? RateMeasurement::rounds : earlier->rounds() + 1);
}

/// CPUs of which a share is busy.
class MadeUpCpus {
  public:
    std::atomic<double> share = 0;

    RateRefinement::ReadTicks reader() {
        return [this] {
            m_ticks.all += 1;
            m_ticks.busy += share;
            return m_ticks;
        };
    }

  private:
    CpuTicks m_ticks;
};

/// A round that goes on until it is stopped.
class LongRound {
  public:
    std::atomic<int> begun = 0;
    std::atomic<int> stopped = 0;

    PredictionSource::Measure measure() {
        return [this](const StopToken& stop, const OnRateSample&, const MachineRates* earlier) {
            ++begun;
            while (!stop.stop_requested())
                QThread::msleep(1);
            ++stopped;
            throwIfStopped(stop);
            return *earlier;
        };
    }
};

}  // namespace

class RateRefinementTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void nothingIsMeasuredBeforeSomebodyAsks();
    void goesOnUntilThereAreRoundsEnough();
    void theEngineStopsItAndItComesBack();
    void busyProcessorsAreWaitedFor();
    void aNoIsRemembered();
    void whatFailsIsToldOnce();
    void anotherMeasurementIsNotOverwritten();
    void theWindowAllowsAndForbidsIt();

  private:
    QTemporaryDir m_folder;
};

void RateRefinementTest::init() {
    static int number = 0;  // a cache of its own for every test
    qputenv("XDG_CACHE_HOME", m_folder.filePath(QStringLiteral("cache%1").arg(++number)).toLocal8Bit());
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder.filePath(QStringLiteral("settings%1").arg(number)));
}

void RateRefinementTest::nothingIsMeasuredBeforeSomebodyAsks() {
    keep(ratesOf(3));  // by the runner
    MadeUpCpus cpus;
    PredictionSource source(nullptr, anotherRound);
    EngineUse engine;
    engine.watch(EngineWork::Measurement, source, &PredictionSource::measuringChanged);
    RateRefinement refinement(source, engine, nullptr, cpus.reader(), moment);
    QSignalSpy ready(&source, &PredictionSource::basisChanged);
    QSignalSpy refining(&source, &PredictionSource::refiningChanged);
    source.refresh();
    QTRY_COMPARE(ready.count(), 1);
    QVERIFY(!QTest::qWaitFor([&refining] { return !refining.isEmpty(); }, 100));
    QCOMPARE(refinement.status().state, State::Off);
    QVERIFY(!refinement.isWanted());

    source.measure();
    QVERIFY(refinement.isWanted());
    QTRY_COMPARE(keptRounds(), RateMeasurement::thoroughRounds);
    EngineUse laterEngine;
    const RateRefinement later(source, laterEngine);
    QVERIFY2(later.isWanted(), "the next session needs not be asked");
}

void RateRefinementTest::goesOnUntilThereAreRoundsEnough() {
    keep(ratesOf(10));
    MadeUpCpus cpus;
    PredictionSource source(nullptr, anotherRound);
    EngineUse engine;
    RateRefinement refinement(source, engine, nullptr, cpus.reader(), moment);
    refinement.setWanted(true);
    QSignalSpy told(&refinement, &RateRefinement::statusChanged);
    source.refresh();
    QTRY_COMPARE(refinement.status().round, 11);
    QCOMPARE(refinement.status().state, State::GoingOn);
    QCOMPARE(refinement.status().rounds, 12);
    QTRY_COMPARE(refinement.status().state, State::Off);
    QCOMPARE(keptRounds(), 12);
    QCOMPARE(told.count(), 3);  // round 11, round 12, done
    QVERIFY(!QTest::qWaitFor([] { return keptRounds() != 12; }, 50));
}

void RateRefinementTest::theEngineStopsItAndItComesBack() {
    keep(ratesOf(4));
    MadeUpCpus cpus;
    LongRound round;
    PredictionSource source(nullptr, round.measure());
    SweepRunner sweep;
    EngineUse engine;
    engine.watch(EngineWork::Sweep, sweep, &SweepRunner::busyChanged);
    RateRefinement refinement(source, engine, nullptr, cpus.reader(), moment);
    QSignalSpy failed(&source, &PredictionSource::failed);
    refinement.setWanted(true);
    source.refresh();
    QTRY_COMPARE(round.begun.load(), 1);
    for (const EngineWork other : {EngineWork::Run, EngineWork::Sweep, EngineWork::BlockSizes})
        QVERIFY2(engine.obstacleTo(other).isEmpty(), "nothing waits for it");
    emit sweep.busyChanged(true);
    QCOMPARE(refinement.status().state, State::Off);
    QTRY_COMPARE(round.stopped.load(), 1);
    QTRY_VERIFY(!source.isRefining());
    QVERIFY(!QTest::qWaitFor([&round] { return round.begun.load() != 1; }, 50));
    QCOMPARE(keptRounds(), 4);
    QCOMPARE(failed.count(), 0);
    emit sweep.busyChanged(false);
    QTRY_COMPARE(round.begun.load(), 2);
    QCOMPARE(refinement.status().round, 5);
}

void RateRefinementTest::busyProcessorsAreWaitedFor() {
    keep(ratesOf(11));
    MadeUpCpus cpus;
    cpus.share = 0.5;
    PredictionSource source(nullptr, anotherRound);
    EngineUse engine;
    RateRefinement refinement(source, engine, nullptr, cpus.reader(), moment);
    refinement.setWanted(true);
    source.refresh();
    QTRY_COMPARE(refinement.status().state, State::Waiting);
    QVERIFY(!QTest::qWaitFor([&source] { return source.isRefining(); }, 50));
    QCOMPARE(keptRounds(), 11);
    cpus.share = 0.02;
    QTRY_COMPARE(keptRounds(), 12);
}

void RateRefinementTest::aNoIsRemembered() {
    keep(ratesOf(4));
    MadeUpCpus cpus;
    LongRound round;
    PredictionSource source(nullptr, round.measure());
    EngineUse engine;
    {
        RateRefinement refinement(source, engine, nullptr, cpus.reader(), moment);
        QSignalSpy wanted(&refinement, &RateRefinement::wantedChanged);
        refinement.setWanted(true);
        source.refresh();
        QTRY_COMPARE(round.begun.load(), 1);
        refinement.setWanted(false);
        QCOMPARE(wanted.count(), 2);
        QCOMPARE(refinement.status().state, State::Off);
        QTRY_COMPARE(round.stopped.load(), 1);
    }
    const RateRefinement later(source, engine, nullptr, cpus.reader(), moment);
    QVERIFY(!later.isWanted());
    source.measure();  // which was asked for, unlike refining it
    QVERIFY(!later.isWanted());
}

void RateRefinementTest::whatFailsIsToldOnce() {
    keep(ratesOf(4));
    MadeUpCpus cpus;
    std::atomic<int> tries = 0;
    PredictionSource source(
        nullptr, [&tries](const StopToken&, const OnRateSample&, const MachineRates*) -> MachineRates {
            ++tries;
            throw Error(ErrorKind::Resources, "no memory");
        });
    EngineUse engine;
    RateRefinement refinement(source, engine, nullptr, cpus.reader(), moment);
    QSignalSpy failed(&source, &PredictionSource::failed);
    refinement.setWanted(true);
    source.refresh();
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(!QTest::qWaitFor([&tries] { return tries.load() != 1; }, 50));
    QCOMPARE(refinement.status().state, State::Off);
}

void RateRefinementTest::anotherMeasurementIsNotOverwritten() {
    keep(ratesOf(4));
    PredictionSource source(nullptr, [](const StopToken&, const OnRateSample&, const MachineRates* earlier) {
        MachineRates anew = ratesOf(3);
        anew.measured = "2026-01-03 03:04";
        keep(anew);  // as another program does meanwhile
        return ratesOf(earlier->rounds() + 1);
    });
    QSignalSpy ready(&source, &PredictionSource::basisChanged);
    source.refine();
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(keptRounds(), 3);
}

void RateRefinementTest::theWindowAllowsAndForbidsIt() {
    MainWindow window;
    const QList<QAction*> actions = window.findChildren<QAction*>();
    const auto entry =
        std::ranges::find(actions, QStringLiteral("Keep measuring when &idle"), &QAction::text);
    QVERIFY(entry != actions.end());
    QVERIFY((*entry)->isCheckable() && !(*entry)->isChecked());
    (*entry)->trigger();
    const auto isRemembered = [] { return QSettings().value(QStringLiteral("predictions/refine")).toBool(); };
    QVERIFY(isRemembered());
    emit window.consequences().refineItem().stopRequested();
    QVERIFY(!(*entry)->isChecked());
    QVERIFY(!isRemembered());
}

MESHREEL_TEST_CLASS(RateRefinementTest)
#include "rate_refinement_test.moc"
