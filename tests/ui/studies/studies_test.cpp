// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the studies: block sizes are found and written into the project, sweeps run and go on.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QFont>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QValueAxis>
#include <algorithm>

#include "engine/base/files.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/measure/tile_search.h"
#include "engine/project/project_keys.h"
#include "engine/timing/verdict.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/tile_chart.h"
#include "ui/project/plan_watch.h"
#include "ui/project/prediction_source.h"
#include "ui/project/project_document.h"
#include "ui/studies/sweep_panel.h"
#include "ui/studies/tune_panel.h"
#include "ui/values/engine_use.h"

using namespace meshreel;

namespace {

constexpr int patience = 60000;  ///< milliseconds

/// The embedded model at a small size.
void setSmall(ProjectDocument& document) {
    Project project;
    project.width = project.height = 32;
    project.numFrames = 5;
    document.adopt(project, QStringLiteral("small"));
}

TileTuningOptions fewSizes() {
    return {
        .mode = TileGridMode::Full, .step = 128, .mostChoices = 2, .timing = {.iterations = 2, .warmUp = 1}};
}

/// A cell runs, and one does not: U = 3 does not divide the devices.
constexpr const char* smallSweep =
    "version: 1\n"
    "name: small\n"
    "repeats: 2\n"
    "base: {width: 32, height: 32, num_frames: 5, devices: 2, workers: 1}\n"
    "strategies:\n"
    "  - {name: ring, attention: tokamax_ring}\n"
    "  - {name: hybrid, attention: ulysses_ring, ulysses_shards: 3}\n"
    "vary:\n"
    "  height: [32, 64]\n";

QPushButton* buttonSaying(const QWidget& in, const char* words) {
    const QList<QPushButton*> buttons = in.findChildren<QPushButton*>();
    const auto found = std::ranges::find(buttons, QLatin1String(words), &QPushButton::text);
    return found == buttons.end() ? nullptr : *found;
}

}  // namespace

class StudiesTest : public QObject {
    Q_OBJECT

  private slots:
    void tuningFindsSizesAndWritesThem();
    void tuningTellsWhatCannotBeTuned();
    void tuningIsCancelled();
    void mapOfTuningIsLookedInto();
    void aGpusCandidatesAreSearchedAndKept();
    void aGpusWinnersAreToldBesideWhatRunsTake();
    void nothingIsMeasuredBesideARun();
    void oneThingComputesAtATime();
    void whatIsWithinTheNoiseIsTimedAgain();
    void aSweepMarksAndRepeatsWhatIsWithinTheNoise();
    void mapMarksTheProjectsOwnSizes();
    void oneOutlierDoesNotTakeTheShades();
    void aSweepIsMadeOfTheProject();
    void sweepRunsAndGoesOn();
    void sweepIsCancelledAndGoesOnWhenAsked();
    void sweepsOfOtherFilesAreRefused();

  private:
    [[nodiscard]] std::filesystem::path writeSweep(const char* name, const std::string& text) const {
        const std::filesystem::path file = m_folder.filePath(QLatin1String(name)).toStdString();
        writeFileAtomically(file, text);
        return file;
    }

    QTemporaryDir m_folder;
};

void StudiesTest::tuningFindsSizesAndWritesThem() {
    ProjectDocument document;
    setSmall(document);
    TunePanel panel(document);
    panel.form().setOptions(fewSizes());
    QCOMPARE(panel.form().options().mostChoices, 2U);
    QSignalSpy planned(&panel.tuner(), &TileTuner::planned);
    QSignalSpy finished(&panel.tuner(), &TileTuner::finished);
    panel.start();
    QVERIFY(panel.tuner().isBusy());
    QVERIFY(finished.wait(patience));
    QCOMPARE(planned.size(), 1);
    const auto task = planned.first().first().value<TuneTask>();
    QCOMPARE(task.passes, (task.choices + 1) * 3);
    QVERIFY(panel.results().verdict().contains(QLatin1String("block_q")));
    const auto result = finished.first().first().value<TuneResult>();
    QVERIFY(result.fastest() != nullptr);

    panel.exportTo(m_folder.filePath(QStringLiteral("tiles.csv")).toStdString());
    QFile table(m_folder.filePath(QStringLiteral("tiles.csv")));
    QVERIFY(table.open(QIODevice::ReadOnly));
    const auto isOwn = [&result](const TileSample& trial) {
        return trial.blocks.blockQ == result.now.blocks.blockQ &&
               trial.blocks.blockKv == result.now.blocks.blockKv;
    };
    const qsizetype own = std::ranges::none_of(result.trials, isOwn) ? 1 : 0;
    QCOMPARE(table.readAll().count('\n'), static_cast<qsizetype>(task.choices) + 1 + own);

    panel.useFastest();
    QCOMPARE(document.project().blockQ, result.fastest()->blocks.blockQ);
    QCOMPARE(document.project().blockKvCompute, result.fastest()->blocks.blockKvCompute);
    document.undoStack().undo();
    QCOMPARE(document.project().blockQ, 0);
    QCOMPARE(document.project().blockKvCompute, 0);
}

void StudiesTest::tuningTellsWhatCannotBeTuned() {
    ProjectDocument document;
    setSmall(document);
    document.setText(*findProjectKey("attention"), QStringLiteral("dot_product"));
    TunePanel panel(document);
    QSignalSpy wentWrong(&panel, &TunePanel::wentWrong);
    panel.start();
    QVERIFY(wentWrong.wait(patience));
    QVERIFY(panel.results().words().contains(QLatin1String("dot_product")));
    QVERIFY(!panel.tuner().isBusy());
    panel.useFastest();
    QCOMPARE(document.project().blockQ, 0);
}

void StudiesTest::tuningIsCancelled() {
    ProjectDocument document;
    setSmall(document);
    TunePanel panel(document);
    TileTuningOptions options = fewSizes();
    options.timing.iterations = 10000;
    panel.form().setOptions(options);
    QSignalSpy planned(&panel.tuner(), &TileTuner::planned);
    QSignalSpy cancelled(&panel.tuner(), &TileTuner::cancelled);
    QPushButton* search = buttonSaying(panel, "Search");
    QPushButton* cancel = buttonSaying(panel, "Cancel");
    QPushButton* write = buttonSaying(panel, "Write to project");
    QVERIFY(!cancel->isEnabled());
    search->click();
    QVERIFY(!search->isEnabled() && cancel->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!panel.results().verdict().isEmpty(), patience);  // it tells how long it takes
    cancel->click();
    QVERIFY(cancelled.wait(patience));
    QVERIFY(!panel.tuner().isBusy());
    QVERIFY(search->isEnabled() && !cancel->isEnabled() && !write->isEnabled());
    QCOMPARE(panel.results().words(), QStringLiteral("Cancelled."));
    QCOMPARE(panel.results().verdict(), QString());
    panel.useFastest();
    QCOMPARE(document.project().blockQ, 0);

    planned.clear();
    search->click();
    cancel->click();  // before anything is known of it
    QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 2, patience);
    QCOMPARE(panel.results().words(), QStringLiteral("Cancelled."));
    panel.start();  // again, and the panel goes away in the middle
    QVERIFY(planned.wait(patience));
}

void StudiesTest::mapOfTuningIsLookedInto() {
    ProjectDocument document;
    TunePanel panel(document);
    panel.resize(900, 400);
    panel.show();
    const auto progress = [](double seconds) {
        return TuneProgress{.passesDone = 4,
                            .tiles = {{.blockQ = 128, .blockKv = 128, .seconds = seconds},
                                      {.blockQ = 256, .blockKv = 128, .seconds = 2 * seconds}}};
    };
    emit panel.tuner().planned({.label = QStringLiteral("ring"), .sequence = {}, .choices = 2, .passes = 9});
    emit panel.tuner().progressed(progress(0.001));
    ChartView& view = panel.results().view();
    QVERIFY(view.isVisible());
    const auto shown = [&view] {
        const auto* axis = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Horizontal).constFirst());
        return axis->max() - axis->min();
    };
    QCOMPARE(shown(), 2.0);
    QTest::keyClick(&view, Qt::Key_Plus);
    const double part = shown();
    QVERIFY(part < 2);
    emit panel.tuner().progressed(progress(0.002));
    QVERIFY2(shown() == part, "news of the search leave the part that is looked at");
    QVERIFY(panel.results().sheet().draw != nullptr);
}

/// A candidate for linear layers that ran, or was refused.
GpuSample candidate(const char* form, const char* block, const std::vector<double>& seconds) {
    GpuSample trial{.form = form, .block = block, .timing = {.seconds = seconds}};
    if (seconds.empty())
        trial.timing.status = SampleStatus::Failed;
    return trial;
}

void StudiesTest::aGpusCandidatesAreSearchedAndKept() {
    const QByteArray driver("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json");
    if (!QFile::exists(QString::fromUtf8(driver)))
        QSKIP("no software GPU (package mesa-vulkan-drivers)");
    const QByteArray otherCache = qgetenv("XDG_CACHE_HOME");
    qputenv("VK_DRIVER_FILES", driver);
    qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8());
    ProjectDocument document;
    Project project;
    project.width = project.height = 32;
    project.numFrames = 5;
    project.gpus = {.numbers = {0}};
    project.weightsDtype = "int8";
    project.activationsDtype = "bfloat16";
    document.adopt(project, QStringLiteral("on a GPU"));
    const ProjectForecast forecast = makeForecast(document.project());
    QVERIFY(forecast.plan != nullptr);
    TunePanel panel(document);
    panel.showForecast(forecast);
    panel.form().setOptions({.timing = {.iterations = 2, .warmUp = 1}});
    const QPushButton* use = buttonSaying(panel, "Use in runs");
    QVERIFY(use != nullptr && !use->isEnabled());
    QSignalSpy progressed(&panel.tuner(), &TileTuner::kernelProgressed);
    QSignalSpy timed(&panel.tuner(), &TileTuner::kernelsTimed);
    panel.start();
    QVERIFY(timed.wait(patience));
    QVERIFY(progressed.size() >= 2);  // each kernel
    const auto kernels = timed.first().first().value<std::vector<TunedKernel>>();
    QCOMPARE(kernels.size(), std::size_t{2});
    QVERIFY(!std::filesystem::exists(usualTuningFile()));

    QComboBox& choice = panel.results().kernelChoice();
    QCOMPARE(choice.count(), 2);
    choice.setCurrentIndex(1);
    QVERIFY(panel.results().verdict().startsWith(QLatin1String("Fastest: ")));
    QVERIFY(panel.results().words().contains(QLatin1String("llvmpipe")));
    QCOMPARE(panel.results().sheet().numbers.columns, (std::vector<std::string>{"form", "block", "seconds"}));
    QCOMPARE(panel.results().sheet().numbers.rows.size(), kernels.at(1).trials.size());
    if (kernels.at(1).trials.size() > 1) {  // as drivers with dot products of bytes have
        QVERIFY(use->isEnabled());
        panel.useFastest();
        const GpuTuning kept(usualTuningFile(), kernels.at(1).gpu.facts.id);
        const auto found =
            std::ranges::find(kept.kernels(), enumName(GpuKernel::Int8Linear), &MeasuredKernel::kernel);
        QVERIFY(found != kept.kernels().end());
        QCOMPARE(found->fastest()->form, kernels.at(1).fastest()->form);
        QCOMPARE(choice.currentIndex(), 1);  // what is looked at stays
        QVERIFY(panel.results().verdict().contains(QLatin1String("Runs take it already.")));
    }
    QVERIFY(!use->isEnabled());
    QCOMPARE(document.project().blockQ, 0);  // a GPU's blocks are no keys
    qunsetenv("VK_DRIVER_FILES");
    qputenv("XDG_CACHE_HOME", otherCache);
}

void StudiesTest::aGpusWinnersAreToldBesideWhatRunsTake() {
    TunedKernel kernel{.gpu = {.facts = {.name = "A card"}},
                       .kernel = std::string(enumName(GpuKernel::Linear)),
                       .size = "80 tokens",
                       .trials = {candidate("scalar", "", {0.004, 0.004}), candidate("khr_f16", "a", {}),
                                  candidate("khr_bf16", "b", {0.001, 0.003})},
                       .taken = 0};
    const QString verdict = verdictText(kernel);
    QVERIFY2(verdict.startsWith(QStringLiteral("Fastest: khr_bf16 b: 2.00 ms, spread 100 %.")),
             qPrintable(verdict));
    QVERIFY2(verdict.contains(QStringLiteral("Runs take now: scalar: 4.00 ms, spread 0.0 %. Too few times to "
                                             "tell: repeat 2 times.")),
             qPrintable(verdict));
    TunedKernel clear = kernel;
    clear.trials = {candidate("scalar", "", {0.004, 0.005, 0.0045, 0.004}),
                    candidate("khr_bf16", "b", {0.001, 0.0011, 0.0012, 0.0012})};
    QVERIFY2(verdictText(clear).contains(QLatin1String("Faster: 70 to 80 % less time.")),
             qPrintable(verdictText(clear)));
    QVERIFY2(verdict.contains(QLatin1String("did not run")), qPrintable(verdict));
    ProjectDocument document;
    TunePanel panel(document);
    emit panel.tuner().kernelsTimed({kernel, kernel});
    QVERIFY(buttonSaying(panel, "Use in runs")->isEnabled());
    panel.resize(900, 400);
    panel.show();
    auto* map = qobject_cast<TileChart*>(panel.results().view().chart());
    QVERIFY(map != nullptr);
    QStringList told;
    const QList<QPointF> places = map->valuePlaces();
    QCOMPARE(places.size(), 2);  // of what ran
    for (const QPointF& place : places)
        told += map->valueNear(place)->words;
    const QStringList own = told.filter(QStringLiteral("taken now"));
    QCOMPARE(own.size(), 1);
    QVERIFY2(own.first().startsWith(QStringLiteral("form scalar · block –: 4.00 ms")),
             qPrintable(own.first()));
    kernel.trials = {candidate("scalar", "", {0.004})};
    QVERIFY(verdictText(kernel).contains(QLatin1String("This GPU offers nothing else.")));
    emit panel.tuner().kernelsTimed({kernel});
    QVERIFY(!buttonSaying(panel, "Use in runs")->isEnabled());
}

void StudiesTest::whatIsWithinTheNoiseIsTimedAgain() {
    ProjectDocument document;
    setSmall(document);
    TunePanel panel(document);
    panel.form().setOptions(fewSizes());
    QPushButton& repeat = panel.repeatButton();
    QVERIFY(!repeat.isEnabled());
    QSignalSpy finished(&panel.tuner(), &TileTuner::finished);
    panel.start();
    QVERIFY(!repeat.isEnabled());
    QVERIFY(finished.wait(patience));
    const auto first = finished.takeFirst().first().value<TuneResult>();
    QCOMPARE(first.verdict()->difference, Difference::TooFew);  // two passes each
    QVERIFY2(panel.results().verdict().contains(QLatin1String("Too few times to tell")),
             qPrintable(panel.results().verdict()));
    QVERIFY(repeat.isEnabled());
    const std::size_t place = static_cast<std::size_t>(first.fastest() - first.trials.data());
    const auto more = static_cast<std::size_t>(first.verdict()->repeats);
    document.setText(*findProjectKey("height"), QStringLiteral("64"));  // the search was of another
    repeat.click();
    QVERIFY(panel.tuner().isBusy() && !repeat.isEnabled());
    QVERIFY(finished.wait(patience));
    const auto second = finished.takeFirst().first().value<TuneResult>();
    QCOMPARE(second.trials.size(), first.trials.size());
    QCOMPARE(second.trials[place].seconds.size(), 2 + more);
    QCOMPARE(second.now.seconds.size(), 2 + more);
    for (std::size_t other = 0; other < second.trials.size(); ++other)
        if (other != place)
            QCOMPARE(second.trials[other].seconds, first.trials[other].seconds);
    // Another choice may be the fastest by now.
    const Verdict repeated = judgeFastest(second.trials[place], second.now, second.trials.size());
    QVERIFY(repeated.difference != Difference::TooFew);
    // What is cancelled leaves what was there.
    TuneResult noise = second;
    for (TileSample& other : noise.trials)
        other.seconds = {100, 100, 100, 100};
    noise.trials[place].seconds = {0.5, 1.5, 2.5, 3.5};
    noise.now.seconds = {1, 2, 3, 4};
    QCOMPARE(noise.verdict()->difference, Difference::Noise);
    QVERIFY(noise.verdict()->repeats > 0);
    emit panel.tuner().finished(noise);
    const QString words = panel.results().verdict();
    QVERIFY2(words.contains(QLatin1String("Within the noise: repeat")), qPrintable(words));
    QVERIFY(repeat.isEnabled());
    QSignalSpy cancelled(&panel.tuner(), &TileTuner::cancelled);
    repeat.click();
    panel.tuner().cancel();
    QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, patience);
    QCOMPARE(panel.results().verdict(), words);
}

void StudiesTest::aSweepMarksAndRepeatsWhatIsWithinTheNoise() {
    ProjectDocument document;
    setSmall(document);
    document.setTexts(QStringLiteral("mesh"), {{findProjectKey("devices"), QStringLiteral("2")},
                                               {findProjectKey("attention"), QStringLiteral("ulysses")}});
    SweepPanel panel(document);
    QSignalSpy opened(&panel, &SweepPanel::opened);
    panel.open(writeSweep("noise.yaml",
                          "version: 1\nname: noise\nrepeats: 2\n"
                          "base: {width: 32, height: 32, num_frames: 5, devices: 2, workers: 1}\n"
                          "strategies:\n"
                          "  - {name: ring, attention: tokamax_ring}\n"
                          "  - {name: ulysses, attention: ulysses}\n"));
    QVERIFY(opened.wait(patience));
    SweepModel& model = panel.model();
    const auto isBold = [&model](int row) {
        return model.index(row, 0).data(Qt::FontRole).value<QFont>().bold();
    };
    QVERIFY(!model.isOwn(0) && model.isOwn(1));
    QVERIFY(!isBold(0) && isBold(1));
    QVERIFY(
        model.index(1, 0).data(Qt::AccessibleTextRole).toString().contains(QLatin1String("open project")));
    document.setText(*findProjectKey("attention"), QStringLiteral("tokamax_ring"));
    QVERIFY(isBold(0) && !isBold(1));

    QAction* repeat = panel.actions().repeat;
    QVERIFY(!repeat->isEnabled());
    QSignalSpy finished(&panel.runner(), &SweepRunner::finished);
    panel.start();
    QVERIFY(finished.wait(patience));
    const int verdict = model.columnCount() - 2;
    const auto said = [&](int row) { return model.index(row, verdict).data().toString(); };
    QVERIFY2(said(0).isEmpty(), "it is what the other is compared with");
    QCOMPARE(said(1), QStringLiteral("Too few times to tell: repeat 2 times"));
    QVERIFY(repeat->isEnabled());
    panel.table().selectRow(0);
    QVERIFY2(!repeat->isEnabled(), "nothing is to be told of the selected row");
    panel.table().selectRow(1);
    QVERIFY(repeat->isEnabled());
    repeat->trigger();
    QCOMPARE(model.stateOf(0), SweepModel::CellState::Begun);
    QVERIFY(finished.wait(patience));
    QCOMPARE(model.passes().size(), 2U * 4U);
    QCOMPARE(model.stateOf(0), SweepModel::CellState::Done);
    QVERIFY(model.verdict(1)->difference != Difference::TooFew);
    QVERIFY(!said(1).isEmpty());
}

void StudiesTest::mapMarksTheProjectsOwnSizes() {
    const TileMap map(
        {{.blockQ = 128, .blockKv = 128, .seconds = 2}, {.blockQ = 256, .blockKv = 128, .seconds = 1}},
        {.own = TileNotes::Pair(128, 128), .deviations = {{{128, 128}, 0.25}}});
    QVERIFY(map.at(0, 0)->isOwn && !map.at(0, 0)->isFastest);
    QCOMPARE(map.at(0, 0)->deviation, 0.25);
    QVERIFY(!map.at(1, 0)->isOwn && map.at(1, 0)->isFastest);
    QCOMPARE(map.at(1, 0)->deviation, 0.0);
    // A result shows the own sizes also where they are no choice.
    ProjectDocument document;
    TunePanel panel(document);
    TuneResult result;
    for (const std::int64_t size : {128, 256})
        result.trials.push_back({.blocks = {.blockQ = size, .blockKv = 128}, .seconds = {1.0, 1.2}});
    result.now = {.blocks = {.blockQ = 512, .blockKv = 128}, .seconds = {2.0, 2.0}};
    panel.results().showResult(result);
    QCOMPARE(panel.results().sheet().numbers.rows.size(), 3U);
    QVERIFY(!panel.results().sheet().title.isEmpty());
}

void StudiesTest::oneOutlierDoesNotTakeTheShades() {
    std::vector<TileTime> tiles;
    for (int index = 0; index < 8; ++index)
        tiles.push_back({.blockQ = 128 * (index + 1), .blockKv = 128, .seconds = 1 + 0.01 * index});
    tiles.push_back({.blockQ = 2048, .blockKv = 128, .seconds = 100});
    const TileMap map(tiles);
    std::vector<QRgb> shades;
    for (const TileMap::Cell& cell : map.cells())
        if (std::ranges::count(shades, cell.shade.rgb()) == 0)
            shades.push_back(cell.shade.rgb());
    QVERIFY2(shades.size() > 3, "without it all but the outlier would have one shade");
    QVERIFY2(map.shades().back().words.contains(QLatin1String("100")), "the last shade ends at the slowest");
}

void StudiesTest::aSweepIsMadeOfTheProject() {
    ProjectDocument document;
    setSmall(document);
    document.setTexts(QStringLiteral("mesh"),
                      {{findProjectKey("devices"), QStringLiteral("4")},
                       {findProjectKey("attention"), QStringLiteral("ulysses")},
                       {findProjectKey("prompt"), QStringLiteral("a \"red\" ball: 1")}});
    SweepPanel panel(document);
    QSignalSpy opened(&panel, &SweepPanel::opened);
    QSignalSpy wentWrong(&panel, &SweepPanel::wentWrong);
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("mine.yaml")).toStdString();
    panel.createFor(file);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, patience);
    QCOMPARE(wentWrong.count(), 0);
    const SweepFile sweep = loadSweep(file);
    QCOMPARE(sweep.base.width, 32);
    QCOMPARE(sweep.base.prompt, document.project().prompt);
    QCOMPARE(sweep.strategies.front().name, "ulysses");
    QVERIFY(sweep.strategies.size() > 2);
    QCOMPARE(panel.model().rowCount(), static_cast<int>(sweep.strategies.size()));
    QVERIFY(panel.actions().start->isEnabled());
}

void StudiesTest::nothingIsMeasuredBesideARun() {
    ProjectDocument swept;
    SweepPanel sweeps(swept);
    QSignalSpy opened(&sweeps, &SweepPanel::opened);
    sweeps.open(writeSweep("busy.yaml", smallSweep));
    QVERIFY(opened.wait(patience));
    QVERIFY(sweeps.actions().start->isEnabled());
    ProjectDocument document;
    setSmall(document);
    TunePanel tune(document);
    const QPushButton* search = buttonSaying(tune, "Search");
    const QString reason = QStringLiteral("A run is going on.");
    sweeps.setObstacle(reason);
    tune.setObstacle(reason);
    QVERIFY(!sweeps.actions().start->isEnabled() && !search->isEnabled());
    QCOMPARE(sweeps.actions().start->toolTip(), reason);
    QCOMPARE(search->toolTip(), reason);
    sweeps.start();
    tune.start();
    QVERIFY(!sweeps.runner().isBusy() && !tune.tuner().isBusy());
    sweeps.setObstacle({});
    tune.setObstacle({});
    QVERIFY(sweeps.actions().start->isEnabled() && search->isEnabled());
}

void StudiesTest::oneThingComputesAtATime() {
    SweepRunner sweep;
    PredictionSource source;
    TileTuner tuner;
    EngineUse engine;
    engine.watch(EngineWork::Sweep, sweep, &SweepRunner::busyChanged);
    engine.watch(EngineWork::Measurement, source, &PredictionSource::measuringChanged);
    engine.watch(EngineWork::BlockSizes, tuner, &TileTuner::busyChanged);
    QVERIFY(!engine.atHand());
    QVERIFY(engine.obstacleTo(EngineWork::Run).isEmpty());
    QSignalSpy changed(&engine, &EngineUse::changed);
    emit sweep.busyChanged(true);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(engine.atHand(), EngineWork::Sweep);
    QVERIFY(engine.obstacleTo(EngineWork::Sweep).isEmpty());  // which it knows itself
    for (const EngineWork other : {EngineWork::Run, EngineWork::BlockSizes, EngineWork::Measurement})
        QVERIFY2(engine.obstacleTo(other).contains(QLatin1String("sweep")),
                 qPrintable(engine.obstacleTo(other)));
    emit sweep.busyChanged(false);
    QVERIFY(!engine.atHand());

    emit source.measuringChanged(true);
    QVERIFY(engine.obstacleTo(EngineWork::Run).isEmpty());  // which ends it
    QVERIFY(!engine.obstacleTo(EngineWork::BlockSizes).isEmpty());
    emit tuner.busyChanged(true);
    QCOMPARE(engine.atHand(), EngineWork::BlockSizes);  // the measurement is about to end
    emit source.measuringChanged(false);
    QCOMPARE(engine.atHand(), EngineWork::BlockSizes);
    QVERIFY2(engine.obstacleTo(EngineWork::Run).contains(QLatin1String("Tune")),
             qPrintable(engine.obstacleTo(EngineWork::Run)));
}

void StudiesTest::sweepRunsAndGoesOn() {
    const std::filesystem::path file = writeSweep("small.yaml", smallSweep);
    {
        ProjectDocument document;
        SweepPanel panel(document);
        const QAbstractItemModelTester tester(&panel.model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy opened(&panel, &SweepPanel::opened);
        QSignalSpy cancelled(&panel.runner(), &SweepRunner::cancelled);
        QSignalSpy finished(&panel.runner(), &SweepRunner::finished);
        panel.open(file);
        QVERIFY(opened.wait(patience));
        QCOMPARE(panel.model().rowCount(), 4);
        QVERIFY(!std::filesystem::exists(sweepFolder(file)));  // looking leaves nothing behind
        connect(&panel.runner(), &SweepRunner::rowAdded, &panel.runner(), [&panel](const SweepRow& row) {
            if (row.refusal.empty())
                panel.runner().cancel();
        });
        panel.start();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.runner().isBusy(), patience);
        QCOMPARE(cancelled.size() + finished.size(), 1);
        QVERIFY(!panel.model().passes().empty());
    }
    ProjectDocument document;
    SweepPanel panel(document);
    QSignalSpy opened(&panel, &SweepPanel::opened);
    QSignalSpy finished(&panel.runner(), &SweepRunner::finished);
    panel.open(file);
    QVERIFY(opened.wait(patience));
    QVERIFY(!panel.model().passes().empty());
    auto* table = panel.findChild<QTableView*>();
    constexpr int narrow = 20;
    for (int column = 0; column < panel.model().columnCount(); ++column)
        table->setColumnWidth(column, narrow);
    panel.start();
    QVERIFY(finished.wait(patience));
    using State = SweepModel::CellState;
    QCOMPARE(panel.model().cellsThatAre(State::Done), 2);
    QCOMPARE(panel.model().cellsThatAre(State::Refused), 2);
    const QList<QLabel*> labels = panel.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text().contains(QLatin1String("2 of 4 cells")) &&
               label->text().contains(QLatin1String("2 cells cannot run"));
    }));
    for (int column = 0; column < panel.model().columnCount(); ++column)  // as results come
        QVERIFY(table->columnWidth(column) >=
                static_cast<QAbstractItemView*>(table)->sizeHintForColumn(column));
    QCOMPARE(panel.model().passes().size(), 2U * 2U + 2U);
    QVERIFY(!panel.actions().start->isEnabled());
    panel.exportTo(m_folder.filePath(QStringLiteral("all.csv")).toStdString());
    QCOMPARE(readFile(m_folder.filePath(QStringLiteral("all.csv")).toStdString()),
             readFile(sweepFolder(file) / "sweep.csv"));
}

void StudiesTest::sweepIsCancelledAndGoesOnWhenAsked() {
    const std::filesystem::path file = writeSweep(
        "long.yaml",
        "version: 1\nname: long\nrepeats: 500\nbase: {width: 32, height: 32, num_frames: 5, workers: 1}\n"
        "strategies:\n  - {name: flash, attention: flash}\n");
    ProjectDocument document;
    auto panel = std::make_unique<SweepPanel>(document);
    const SweepPanel::Actions actions = panel->actions();
    QSignalSpy opened(panel.get(), &SweepPanel::opened);
    QSignalSpy wentWrong(panel.get(), &SweepPanel::wentWrong);
    panel->open(file);
    QVERIFY(opened.wait(patience));
    QCOMPARE(actions.start->text(), QStringLiteral("Run"));
    QVERIFY(!actions.cancel->isEnabled());
    actions.start->trigger();
    QVERIFY(!actions.start->isEnabled() && !actions.open->isEnabled() && actions.cancel->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(panel->model().passes().size() >= 2, patience);
    actions.cancel->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!panel->runner().isBusy(), patience);
    QCOMPARE(wentWrong.count(), 0);
    const std::size_t passes = panel->model().passes().size();
    QVERIFY(passes < 500U);
    QCOMPARE(actions.start->text(), QStringLiteral("Go on"));
    QVERIFY(actions.start->isEnabled() && actions.open->isEnabled() && !actions.cancel->isEnabled());
    QVERIFY(actions.save->isEnabled());

    actions.start->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(panel->model().passes().size() > passes, patience);
    panel.reset();  // in the middle
    panel = std::make_unique<SweepPanel>(document);
    panel->open(file);
    QTRY_VERIFY_WITH_TIMEOUT(panel->model().passes().size() > passes, patience);
}

void StudiesTest::sweepsOfOtherFilesAreRefused() {
    const std::filesystem::path file = writeSweep("other.yaml", "version: 1\nstrategies: 3\n");
    ProjectDocument document;
    SweepPanel panel(document);
    QSignalSpy wentWrong(&panel, &SweepPanel::wentWrong);
    panel.open(file);
    QVERIFY(wentWrong.wait(patience));
    QCOMPARE(panel.model().rowCount(), 0);
    QCOMPARE(panel.model().columnCount(), 0);
}

MESHREEL_TEST_CLASS(StudiesTest)
#include "studies_test.moc"
