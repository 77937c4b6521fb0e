// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds before a run: the machine is measured, what is predicted is told, and meshes are ranked by it.
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <atomic>

#include "engine/base/version.h"
#include "engine/measure/unfinished_rates.h"
#include "engine/planning/forecast.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "tests/support/charts/test_classes.h"
#include "ui/mesh/legal_mesh_model.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/project/consequences.h"
#include "ui/project/prediction_source.h"
#include "ui/project/project_document.h"
#include "ui/project/rate_refinement.h"
#include "ui/project/target_choice.h"
#include "ui/settings/consequences_bar.h"

using namespace meshreel;

namespace {

/// A machine on which everything takes a nanosecond, but for what devices exchange.
MachineRates plainRates() {
    constexpr double nanosecond = 1e-9;
    MachineRates rates{.machine = MachineIdentity::ofThis(),
                       .spread = 0.1,
                       .measured = "2026-01-02 03:04",
                       .commit = std::string(versionCommit())};
    rates.secondsPerUnit.fill(nanosecond);
    return rates;
}

std::shared_ptr<const PredictionBasis> plainBasis() {
    return std::make_shared<const PredictionBasis>(PredictionBasis{.rates = plainRates(), .past = {}});
}

Project projectOn(int devices) {
    Project project;
    project.prompt = "a red ball";
    project.devices = devices;
    project.attention = devices > 1 ? "ulysses" : "flash";
    return project;
}

/// The time in all, and its range.
bool tells(const ConsequencesBar& bar, const Prediction& prediction) {
    const bool found = bar.text().contains(predictedTotalText(prediction.total));
    if (!found)
        qWarning("%s", qPrintable(bar.text()));
    return found;
}

}  // namespace

class PredictionTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void durationsAreAsExactAsPredictions_data();
    void durationsAreAsExactAsPredictions();
    void rangesTellTheirUnitOnce();
    void measuringIsKeptAndPredictedFrom();
    void gpusOfThePlanAreMeasuredWhereTheyLackRates();
    void cancelledMeasuringKeepsNothing();
    void pausedMeasuringGoesOn();
    void aPauseTellsWhatWasMeasuredAlready();
    void failedMeasuringIsTold();
    void barOffersToMeasureThenTellsSeconds();
    void barTellsTheTimeOfARunLikeOneThatEnded();
    void barTellsThatTheTimeIsRefined();
    void severalMachinesAreNotPredicted();
    void meshesAreRankedBySeconds();
    void meshesTheirTimeAndAttentionAreReadWhole();
    void slowMeshesAreProblemsWithAFix();

  private:
    QTemporaryDir m_folder;
};

void PredictionTest::initTestCase() {
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
}

void PredictionTest::init() {
    static int number = 0;  // a cache of its own for every test
    qputenv("XDG_CACHE_HOME", m_folder.filePath(QStringLiteral("cache%1").arg(++number)).toLocal8Bit());
}

void PredictionTest::durationsAreAsExactAsPredictions_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("nothing") << 0.0 << QStringLiteral("0 s");
    QTest::newRow("millionths") << 42e-6 << QStringLiteral("42 µs");
    QTest::newRow("thousandths") << 0.0042 << QStringLiteral("4.2 ms");
    QTest::newRow("parts of thousandths") << 0.00042 << QStringLiteral("0.42 ms");
    QTest::newRow("below a tenth") << 0.0994 << QStringLiteral("99 ms");
    QTest::newRow("hundredths") << 0.254 << QStringLiteral("0.25 s");
    QTest::newRow("tenths") << 3.14 << QStringLiteral("3.1 s");
    QTest::newRow("seconds") << 119.0 << QStringLiteral("119 s");
    QTest::newRow("minutes") << 500.0 << QStringLiteral("8.3 min");
    QTest::newRow("hours") << 4.0 * 3600 << QStringLiteral("4.0 h");
}

void PredictionTest::durationsAreAsExactAsPredictions() {
    QFETCH(double, seconds);
    QTEST(roughDuration(seconds), "text");
}

void PredictionTest::rangesTellTheirUnitOnce() {
    const PredictedSeconds predicted{.seconds = 1200, .low = 900, .high = 1500};
    QCOMPARE(predictedText(predicted), QStringLiteral("20 min (15 to 25 min)"));
    QCOMPARE(predictedTotalText(predicted), QStringLiteral("20 min in all (15 to 25 min)"));
    const PredictedSeconds quick{.seconds = 0.004, .low = 0.0034, .high = 0.005};
    QCOMPARE(predictedText(quick), QStringLiteral("4.0 ms (3.4 to 5.0 ms)"));
}

void PredictionTest::measuringIsKeptAndPredictedFrom() {
    PredictionSource source(nullptr, [](const StopToken&, const OnRateSample& onSample, const MachineRates*) {
        for (const char* name : {"one", "two"})
            onSample({.name = name});
        return plainRates();
    });
    QSignalSpy timed(&source, &PredictionSource::timed);
    QSignalSpy ready(&source, &PredictionSource::basisChanged);
    source.refresh();
    QTRY_COMPARE(ready.size(), 1);
    QVERIFY(!source.basis()->rates);
    source.measure();
    QVERIFY(source.isMeasuring());
    source.measure();  // one is enough
    QTRY_COMPARE(ready.size(), 2);
    QVERIFY(!source.isMeasuring());
    QCOMPARE(timed.size(), 2);
    QCOMPARE(timed.last().at(2).toString(), QStringLiteral("two"));
    QVERIFY(source.basis()->rates);
    QCOMPARE(source.basis()->rates->secondsPerUnit, plainRates().secondsPerUnit);
    const ProjectForecast forecast = makeForecast(projectOn(1), {.basis = source.basis()});
    QVERIFY(forecast.prediction != nullptr);
    QVERIFY(forecast.prediction->total.seconds > 0);
}

void PredictionTest::gpusOfThePlanAreMeasuredWhereTheyLackRates() {
    int cpu = 0;
    std::vector<std::string> gpus;
    PredictionSource source(
        nullptr,
        [&cpu](const StopToken&, const OnRateSample&, const MachineRates*) {
            ++cpu;
            return plainRates();
        },
        [&gpus](const ChosenGpu& gpu, const StopToken&, const OnRateSample&) {
            gpus.push_back(gpu.facts.name);
            MachineRates rates = plainRates();
            rates.machine = MachineIdentity::ofGpu(gpu.facts);
            return rates;
        });
    QSignalSpy ready(&source, &PredictionSource::basisChanged);
    const ChosenGpu card{.number = 1, .facts = {.id = "1", .name = "A card"}};
    const ChosenGpu other{.number = 2, .facts = {.id = "2", .name = "Another card"}};
    source.setGpus({card, card});
    source.measure();
    QTRY_COMPARE(ready.size(), 1);
    QCOMPARE(cpu, 1);
    QCOMPARE(gpus, std::vector<std::string>{"A card"});
    QCOMPARE(source.basis()->gpuRates.size(), std::size_t{1});
    source.setGpus({card, other});
    source.measure();
    QTRY_COMPARE(ready.size(), 2);
    QCOMPARE(cpu, 1);  // what is known is not measured again
    QCOMPARE(gpus.size(), std::size_t{2});
    QCOMPARE(gpus.back(), std::string("Another card"));
    source.measure();  // nothing is missing: everything anew
    QTRY_COMPARE(ready.size(), 3);
    QCOMPARE(cpu, 2);
    QCOMPARE(gpus.size(), std::size_t{4});
    source.setGpus({card, other}, {other});  // whose rates are an earlier build's
    source.measure();
    QTRY_COMPARE(ready.size(), 4);
    QCOMPARE(cpu, 2);
    QCOMPARE(gpus.size(), std::size_t{5});
    QCOMPARE(gpus.back(), std::string("Another card"));
}

void PredictionTest::pausedMeasuringGoesOn() {
    std::atomic<int> begun = 0;
    std::atomic<bool> mayEnd = false;
    PredictionSource source(nullptr, [&](const StopToken& stop, const OnRateSample&, const MachineRates*) {
        ++begun;
        while (!stop.stop_requested() && !mayEnd)
            QThread::msleep(1);
        throwIfStopped(stop);
        return plainRates();
    });
    QSignalSpy failed(&source, &PredictionSource::failed);
    QSignalSpy waiting(&source, &PredictionSource::waitingChanged);
    source.pauseMeasuring();  // nothing is measured, and nothing waits then
    QVERIFY(!source.isWaiting());
    source.measure();
    QTRY_COMPARE(begun.load(), 1);
    source.pauseMeasuring();
    QVERIFY(source.isWaiting());
    QTRY_VERIFY(!source.isMeasuring());
    QVERIFY(source.isWaiting());
    QCOMPARE(begun.load(), 1);
    mayEnd = true;
    source.goOnMeasuring();
    QVERIFY(source.isMeasuring() && !source.isWaiting());
    QTRY_VERIFY(source.basis() != nullptr && source.basis()->rates);
    QCOMPARE(begun.load(), 2);
    source.goOnMeasuring();  // nothing waits any more
    QVERIFY(!source.isMeasuring());
    QCOMPARE(failed.count(), 0);
    QCOMPARE(waiting.count(), 2);
}

void PredictionTest::aPauseTellsWhatWasMeasuredAlready() {
    MachineRates round;
    round.machine = MachineIdentity::ofThis();
    round.commit = std::string(versionCommit());
    MachineRates rounds = round;
    round.samples = {{.name = "one"}, {.name = "two"}};
    writeUnfinishedRates({.rounds = rounds, .round = round});  // as a program that ended has left it
    PredictionSource source(nullptr, [](const StopToken&, const OnRateSample& onSample, const MachineRates*) {
        onSample({.name = "three"});
        return plainRates();
    });
    QSignalSpy timed(&source, &PredictionSource::timed);
    source.measure();
    QTRY_COMPARE(timed.count(), 2);
    QCOMPARE(timed.at(0).at(0).toInt(), 2);
    QVERIFY(timed.at(0).at(2).toString().isEmpty());
    QCOMPARE(timed.at(1).at(0).toInt(), 3);
    QTRY_VERIFY(!source.isMeasuring());
    source.cancelMeasuring();  // nothing is to be gone on with
    QVERIFY(!readUnfinishedRates(MachineIdentity::ofThis()));
}

void PredictionTest::cancelledMeasuringKeepsNothing() {
    std::atomic<bool> begun = false;
    PredictionSource source(nullptr,
                            [&begun](const StopToken& stop, const OnRateSample&, const MachineRates*) {
                                begun = true;
                                while (!stop.stop_requested())
                                    QThread::msleep(1);
                                throwIfStopped(stop);
                                return plainRates();
                            });
    QSignalSpy failed(&source, &PredictionSource::failed);
    source.measure();
    QTRY_VERIFY(begun);
    source.cancelMeasuring();
    QTRY_VERIFY(!source.isMeasuring());
    QCOMPARE(failed.size(), 0);
    QVERIFY(!std::filesystem::exists(ratesFile(MachineIdentity::ofThis())));
}

void PredictionTest::failedMeasuringIsTold() {
    PredictionSource source(nullptr,
                            [](const StopToken&, const OnRateSample&, const MachineRates*) -> MachineRates {
                                throw Error(ErrorKind::Resources, "no memory");
                            });
    QSignalSpy failed(&source, &PredictionSource::failed);
    source.measure();
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(!source.isMeasuring());
}

void PredictionTest::barOffersToMeasureThenTellsSeconds() {
    ConsequencesBar bar;
    bar.show();
    auto* measure = bar.findChild<QPushButton*>(QStringLiteral("measure"));
    QVERIFY(!measure->isVisible());  // before anything is known
    bar.showForecast(makeForecast(projectOn(1), {.basis = std::make_shared<const PredictionBasis>()}));
    QVERIFY(measure->isVisible());
    QSignalSpy requested(&bar.measureItem(), &MeasureItem::measureRequested);
    QSignalSpy cancelled(&bar.measureItem(), &MeasureItem::cancelRequested);
    measure->click();
    QCOMPARE(requested.size(), 1);
    bar.setMeasuring(true);
    QVERIFY(!measure->isVisible());
    QVERIFY(bar.findChild<QProgressBar*>()->isVisible());
    bar.measureItem().showTimed(3, 150, QStringLiteral("packing"));
    QCOMPARE(bar.findChild<QProgressBar*>()->value(), 3);
    QCOMPARE(bar.findChild<QProgressBar*>()->maximum(), 150);
    const auto says = [&bar](const char* words) {
        const QList<QLabel*> labels = bar.measureItem().findChildren<QLabel*>();
        return std::ranges::any_of(
            labels, [words](const QLabel* label) { return label->text().contains(QLatin1String(words)); });
    };
    QVERIFY(says("3 of 150"));
    bar.measureItem().showTimed(75, 150, QStringLiteral("packing"));
    QVERIFY(says("75 of 150"));
    bar.findChild<QToolButton*>(QStringLiteral("cancelMeasuring"))->click();
    QCOMPARE(cancelled.size(), 1);
    bar.setMeasuring(false);
    const ProjectForecast measured = makeForecast(projectOn(1), {.basis = plainBasis()});
    bar.showForecast(measured);
    QVERIFY(!bar.measureItem().isVisible());
    QVERIFY(tells(bar, *measured.prediction));
    QVERIFY2(bar.text().contains(QLatin1String("from measured rates")), qPrintable(bar.text()));
    bar.measureItem().setObstacle(QStringLiteral("A sweep is being timed."));
    QVERIFY(!measure->isEnabled());
    QCOMPARE(measure->toolTip(), QStringLiteral("A sweep is being timed."));
    bar.measureItem().setObstacle({});
    QVERIFY(measure->isEnabled());

    PredictionBasis foreign = *plainBasis();
    foreign.rates->commit = "abcdef0";
    const QString usual = measure->text();
    const ProjectForecast older =
        makeForecast(projectOn(1), {.basis = std::make_shared<const PredictionBasis>(foreign)});
    bar.showForecast(older);
    QVERIFY2(tells(bar, *older.prediction), "it is predicted from");
    QVERIFY(measure->isVisible());
    QVERIFY(measure->text() != usual);
    QVERIFY2(measure->toolTip().contains(QLatin1String("abcdef0")), qPrintable(measure->toolTip()));
    bar.showForecast(makeForecast(projectOn(1), {.basis = plainBasis()}));
    QVERIFY(!bar.measureItem().isVisible());
}

void PredictionTest::barTellsTheTimeOfARunLikeOneThatEnded() {
    const ProjectForecast before =
        makeForecast(projectOn(1), {.basis = std::make_shared<const PredictionBasis>()});
    QVERIFY(before.plan != nullptr && before.prediction == nullptr);
    PastRun ended{.work = measureWork(*before.plan), .seconds = {}};
    ended.seconds.fill(2.0);
    PredictionBasis basis{.rates = {}, .past = {ended, ended, ended}};
    basis.taught = ratesOfRuns(MachineIdentity::ofThis(), basis.past);
    const auto taught = std::make_shared<const PredictionBasis>(basis);
    ConsequencesBar bar;
    bar.show();
    const ProjectForecast known = makeForecast(projectOn(1), {.basis = taught});
    bar.showForecast(known);
    QVERIFY(tells(bar, *known.prediction));
    QVERIFY2(bar.text().contains(QLatin1String("from 3 runs like this on this machine")),
             qPrintable(bar.text()));
    const auto* measure = bar.findChild<QPushButton*>(QStringLiteral("measure"));
    QVERIFY2(measure->isVisible(), "it makes the times of others known");
    Project larger = projectOn(1);
    larger.width *= 8;
    const ProjectForecast unknown = makeForecast(larger, {.basis = taught});
    bar.showForecast(unknown);
    QVERIFY(unknown.prediction == nullptr);
    QVERIFY2(!bar.text().contains(predictedTotalText(known.prediction->total)), qPrintable(bar.text()));
    QVERIFY(measure->isVisible());
}

void PredictionTest::barTellsThatTheTimeIsRefined() {
    ConsequencesBar bar;
    bar.show();
    const ProjectForecast measured = makeForecast(projectOn(1), {.basis = plainBasis()});
    bar.showForecast(measured);
    const auto* stop = bar.findChild<QToolButton*>(QStringLiteral("stopRefining"));
    QVERIFY(!stop->isVisible());
    const int height = bar.sizeHint().height();
    using State = RefinementStatus::State;
    bar.showRefinement({.state = State::GoingOn, .round = 5, .rounds = 12});
    QVERIFY2(bar.text().contains(QLatin1String("5 of 12")), qPrintable(bar.text()));
    QVERIFY2(tells(bar, *measured.prediction), "the time stays");
    QVERIFY(stop->isVisible());
    QCOMPARE(bar.sizeHint().height(), height);
    bar.showForecast(makeForecast(projectOn(2), {.basis = plainBasis()}));
    QVERIFY(stop->isVisible());
    bar.showRefinement({.state = State::Waiting, .round = 5, .rounds = 12});
    QVERIFY2(bar.text().contains(QLatin1String("busy")), qPrintable(bar.text()));
    QSignalSpy stopped(&bar.refineItem(), &RefineItem::stopRequested);
    bar.findChild<QToolButton*>(QStringLiteral("stopRefining"))->click();
    QCOMPARE(stopped.count(), 1);
    bar.showRefinement({});
    QVERIFY(!stop->isVisible());
    QVERIFY2(!bar.text().contains(QLatin1String("refining")), qPrintable(bar.text()));
    bar.showRefinement({.state = State::GoingOn, .round = 5, .rounds = 12});
    bar.showForecast(ProjectForecast());
    QVERIFY2(!stop->isVisible(), "there is no time to stand beside");
}

void PredictionTest::severalMachinesAreNotPredicted() {
    Project project = projectOn(1);
    project.hosts = "hosts.txt";
    ConsequencesBar bar;
    bar.show();
    const ProjectForecast forecast = makeForecast(project, {.basis = plainBasis()});
    QVERIFY(forecast.plan != nullptr);
    QVERIFY(forecast.prediction == nullptr);
    bar.showForecast(forecast);
    QVERIFY2(bar.text().contains(QLatin1String("several machines")), qPrintable(bar.text()));
    QVERIFY(!bar.measureItem().isVisible());
}

void PredictionTest::meshesAreRankedBySeconds() {
    const ProjectForecast forecast = makeForecast(projectOn(4), {.basis = plainBasis()});
    QVERIFY(forecast.plan != nullptr);
    std::vector<LegalMesh> meshes = rankedMeshes(*forecast.plan, {}, forecast.basis.get());
    QVERIFY(meshes.size() > 2);
    const auto seconds = [](const LegalMesh& mesh) { return mesh.step.value().seconds; };
    QVERIFY(std::ranges::is_sorted(meshes, {}, seconds));
    QVERIFY(seconds(meshes.front()) < seconds(meshes.back()));
    // What the project has is predicted as the plan itself is.
    const auto current = std::ranges::find_if(meshes, &LegalMesh::isCurrent);
    QVERIFY(current != meshes.end());
    QCOMPARE(seconds(*current), forecast.prediction->step.seconds);
    LegalMeshModel model;
    QVERIFY(!model.hasSeconds());
    model.setMeshes(std::move(meshes));
    QVERIFY(model.hasSeconds());
    QVERIFY(!model.index(0, LegalMeshModel::Seconds).data().toString().isEmpty());
}

void PredictionTest::meshesTheirTimeAndAttentionAreReadWhole() {
    ProjectDocument document;
    document.adopt(projectOn(8), {});
    TargetChoice target;
    MeshPanel panel(document, target);
    panel.resize(808, 355);  // as in a window of 1280 x 800
    panel.show();
    panel.showForecast(makeForecast(document.project(), {.basis = plainBasis()}));
    QTRY_VERIFY(panel.legalMeshes().hasSeconds());
    const QTableView& table = *panel.findChild<QTableView*>();
    const QAbstractItemView& items = table;
    const QHeaderView& header = *table.horizontalHeader();
    int end = 0;
    for (const int column : {LegalMeshModel::Mesh, LegalMeshModel::Seconds, LegalMeshModel::Attention}) {
        QTRY_COMPARE(header.sectionViewportPosition(column), end);  // one behind the other
        QTRY_VERIFY(items.sizeHintForColumn(column) <= header.sectionSize(column));
        end += header.sectionSize(column);
    }
    QTRY_VERIFY2(end <= table.viewport()->width(), qPrintable(QString::number(end)));
}

void PredictionTest::slowMeshesAreProblemsWithAFix() {
    const auto isSlowMesh = [](const Problem& problem) { return problem.id == ProblemId("mesh-slow"); };
    const ProjectForecast fast = makeForecast(projectOn(2), {.basis = plainBasis()});
    QVERIFY(std::ranges::none_of(fast.problems, isSlowMesh));

    constexpr double dear = 1e5;
    PredictionBasis basis = *plainBasis();
    basis.rates->secondsPerUnit[static_cast<std::size_t>(WorkClass::Exchange)] *= dear;
    const ProjectForecast slow =
        makeForecast(projectOn(2), {.basis = std::make_shared<const PredictionBasis>(std::move(basis))});
    QCOMPARE(std::ranges::count_if(slow.problems, isSlowMesh), 1);
    ProjectDocument document;
    document.adopt(projectOn(2), QStringLiteral("two devices"));
    const std::vector<Diagnosis> diagnoses = diagnose(document, slow.problems, slow.model.get());
    const auto told = std::ranges::find_if(diagnoses, isSlowMesh, &Diagnosis::problem);
    QVERIFY(told != diagnoses.end());
    QCOMPARE(told->fixes.size(), 1U);
    QCOMPARE(told->fixes.front().size(), 1U);
    QCOMPARE(told->fixes.front().front().key->name, std::string_view("devices"));
    QCOMPARE(told->fixes.front().front().text, QStringLiteral("1"));
}

MESHREEL_TEST_CLASS(PredictionTest)
#include "prediction_test.moc"
