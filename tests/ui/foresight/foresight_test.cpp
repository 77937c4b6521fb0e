// SPDX-License-Identifier: GPL-3.0-or-later
// The project on hardware that is not here: what is chosen, what is told, and what is taken into the project.
#include <fmt/format.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QFont>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <QTest>
#include <algorithm>

#include "engine/base/files.h"
#include "engine/planning/target_hardware.h"
#include "engine/project/project_file.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/locations.h"
#include "ui/attention/attention_panel.h"
#include "ui/charts/chart_view.h"
#include "ui/foresight/foresight_panel.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/project/target_choice.h"
#include "ui/settings/consequences_bar.h"
#include "ui/settings/plan_parts.h"
#include "ui/studies/tune_panel.h"

using namespace meshreel;

namespace {

constexpr int longestAnswer = 60000;  ///< milliseconds

/// Wan 2.2 T2V A14B at 720p, on U2 R2 unless settings say otherwise.
Project largeProject(const std::vector<std::string>& settings = {}) {
    return loadProject(testing::sourceFolder() / "configs/presets/wan2.2-t2v-a14b-720p-ring2d-cp4.yaml",
                       settings)
        .project;
}

std::shared_ptr<const TargetHardware> v7x() {
    static const auto target = std::make_shared<const TargetHardware>(readTargetHardware("tpu-v7x"));
    return target;
}

ProjectForecast forecastOn(const Project& project, std::shared_ptr<const TargetHardware> target) {
    const std::shared_ptr<OpenedFiles> files = noOpenedFiles();
    return makeForecast(project, {.target = std::move(target)}, *files);
}

const std::vector<std::string> longRing{"ulysses_shards=1", "ici_context_parallelism=8"};

}  // namespace

class ForesightTest : public QObject {
    Q_OBJECT

  private slots:
    void theChoiceIsFollowed();
    void aProfileThatCannotBeReadIsTold();
    void forecastsSpeakOfTheTarget();
    void theTargetHidesNothingOfThisMachine();
    void aLongRingIsAmongTheProblems();
    void theCostLineSpeaksOfTheTarget();
    void meshesArePresetsAndTilesOfTheTarget();
    void numbersOfDevicesAreRead();
    void thePanelRanksDrawsAndExports();
    void aMeshThatIsNotLegalLeavesTheOthers();
    void aForeseenMeshIsTakenAsOneStep();
    void runsStandBesideWhatIsForeseen();

  private:
    QTemporaryDir m_folder;
};

void ForesightTest::theChoiceIsFollowed() {
    TargetChoice choice;
    QWidget window;
    HardwareChooser one(choice, &window);
    HardwareChooser other(choice, &window);
    QCOMPARE(one.currentIndex(), 0);
    QVERIFY(one.findData(QStringLiteral("h100")) > 0);
    QSignalSpy changed(&choice, &TargetChoice::changed);
    one.setCurrentIndex(one.findData(QStringLiteral("tpu-v7x")));
    emit one.activated(one.currentIndex());
    QCOMPARE(choice.name(), QStringLiteral("tpu-v7x"));
    QCOMPARE(other.currentIndex(), one.currentIndex());
    QVERIFY(choice.target() == nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(choice.target() != nullptr, longestAnswer);
    QCOMPARE(choice.target()->hardware->id, "tpu-v7x");
    QCOMPARE(changed.count(), 2);
    choice.choose({});
    QVERIFY(choice.target() == nullptr);
    QCOMPARE(one.currentIndex(), 0);
    choice.choose(QStringLiteral("tpu-v7x"));
    const TargetChoice later;
    QVERIFY2(later.name().isEmpty(), "it belongs to a project");
}

void ForesightTest::aProfileThatCannotBeReadIsTold() {
    TargetChoice choice;
    QSignalSpy failed(&choice, &TargetChoice::failed);
    choice.choose(QStringLiteral("/no/such/profile.yaml"));
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, longestAnswer);
    QVERIFY(choice.name().isEmpty());
}

void ForesightTest::forecastsSpeakOfTheTarget() {
    const ProjectForecast here = forecastOn(largeProject(), nullptr);
    QVERIFY(here.outlook == nullptr);
    const ProjectForecast there = forecastOn(largeProject({"ici_data_parallelism=2"}), v7x());
    QVERIFY(there.plan != nullptr && there.outlook != nullptr);
    QVERIFY(there.prediction == nullptr);
    QCOMPARE(there.outlook->own.of.mesh.label(), "dp2-cp4-U2R2");
    QVERIFY2(std::ranges::none_of(there.outlook->problems, isShortOfMemory), "it fits into eight of them");
}

void ForesightTest::theTargetHidesNothingOfThisMachine() {
    const Project tooLarge = largeProject({"memory_budget=0.5"});
    const ProjectForecast here = forecastOn(tooLarge, nullptr);
    const ProjectForecast there = forecastOn(tooLarge, v7x());
    QVERIFY(hasErrors(here.problems));
    for (const Problem& problem : here.problems)
        QVERIFY2(std::ranges::any_of(there.problems,
                                     [&](const Problem& other) {
                                         return other.id == problem.id && other.key == problem.key &&
                                                other.severity == problem.severity;
                                     }),
                 problem.text().c_str());
    QVERIFY2(there.plan != nullptr && there.outlook != nullptr,
             "and it is planned for the target all the same");
    // More devices than this machine may be asked for.
    const Project many = largeProject({"ici_context_parallelism=512", "ulysses_shards=8"});
    const ProjectForecast crowded = forecastOn(many, v7x());
    QVERIFY(hasErrors(crowded.problems));
    QVERIFY(crowded.plan != nullptr && crowded.outlook != nullptr);
    QCOMPARE(crowded.outlook->own.of.mesh.devices(), 512);
}

void ForesightTest::aLongRingIsAmongTheProblems() {
    const ProjectForecast forecast = forecastOn(largeProject(longRing), v7x());
    const auto slow = std::ranges::find(forecast.problems, ProblemId("mesh-slow"), &Problem::id);
    QVERIFY(slow != forecast.problems.end());
    QCOMPARE(slow->message.parts().front().text(), std::string("8"));
    QVERIFY(!slow->fixes.front().changes.empty());
}

void ForesightTest::theCostLineSpeaksOfTheTarget() {
    ConsequencesBar bar;
    bar.resize(1200, 36);
    bar.show();
    bar.showForecast(forecastOn(largeProject(), v7x()));
    QVERIFY2(bar.text().contains(QStringLiteral("Predicting for 4 × TPU v7x")), qPrintable(bar.text()));
    QVERIFY2(bar.text().contains(QLatin1String("a device")), qPrintable(bar.text()));
    QVERIFY2(bar.text().contains(QLatin1String("Memory here")), qPrintable(bar.text()));
    QVERIFY(!bar.measureItem().isVisible());
}

void ForesightTest::meshesArePresetsAndTilesOfTheTarget() {
    ProjectDocument document;
    document.adopt(largeProject(), {});
    const ProjectForecast forecast = forecastOn(document.project(), v7x());
    TargetChoice choice;
    MeshPanel mesh(document, choice);
    mesh.showForecast(forecast);
    QTRY_VERIFY_WITH_TIMEOUT(mesh.legalMeshes().rowCount() > 0, longestAnswer);
    QVERIFY2(mesh.legalList().orderText().contains(QLatin1String("TPU v7x")),
             qPrintable(mesh.legalList().orderText()));
    QVERIFY(mesh.legalMeshes().hasSeconds());

    AttentionPanel attention(document);
    attention.showForecast(forecast);
    QVERIFY2(attention.lettersText().contains(QLatin1String("U = 2")), qPrintable(attention.lettersText()));
    const QList<QAction*> presets = attention.presets().actions();
    QAction* fastest = presets.constLast();
    QVERIFY(fastest->isVisible() && fastest->text().contains(QLatin1String("TPU v7x")));
    fastest->trigger();
    const ForeseenMesh& own = forecast.outlook->own;
    const auto best = std::ranges::min_element(own.blocks, {}, &ForeseenBlocks::stepSeconds);
    QCOMPARE(document.project().blockQ, best->blocks.q);
    attention.showForecast(forecastOn(document.project(), nullptr));
    QVERIFY(!fastest->isVisible());

    TunePanel tune(document);
    tune.showForecast(forecast);
    QVERIFY2(tune.results().words().contains(QLatin1String("TPU v7x")), qPrintable(tune.results().words()));
    QVERIFY(tune.results().sheet().numbers.rows.size() >= own.blocks.size());
    document.undoStack().undo();
    tune.useFastest();
    QCOMPARE(document.project().blockQ, best->blocks.q);
    tune.showForecast(forecastOn(document.project(), nullptr));
    QVERIFY(tune.results().sheet().draw == nullptr);
}

void ForesightTest::numbersOfDevicesAreRead() {
    QCOMPARE(readDeviceNumbers(QStringLiteral("8, 16")), std::optional(std::vector{8, 16}));
    QVERIFY(!readDeviceNumbers(QStringLiteral("8, many")));
    QVERIFY(!readDeviceNumbers(QStringLiteral("0")));
    QVERIFY(!readDeviceNumbers(QStringLiteral("4097")));
    QVERIFY(!readDeviceNumbers(QString()));
}

void ForesightTest::thePanelRanksDrawsAndExports() {
    ProjectDocument document;
    document.adopt(largeProject(), {});
    TargetChoice choice;
    ForesightPanel panel(document, choice);
    panel.resize(1000, 700);
    panel.show();
    const QAbstractItemModelTester tester(&panel.meshes(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    panel.showForecast(forecastOn(document.project(), nullptr));
    QVERIFY2(panel.obstacle().contains(QLatin1String("Choose the hardware")), qPrintable(panel.obstacle()));
    QSignalSpy answered(&panel, &ForesightPanel::answered);
    choice.choose(QStringLiteral("tpu-v7x"));
    QTRY_VERIFY_WITH_TIMEOUT(answered.count() > 0, longestAnswer);
    QVERIFY2(panel.obstacle().isEmpty(), qPrintable(panel.obstacle()));
    QVERIFY(panel.meshes().rowCount() > 10);
    for (int row = 1; row < panel.meshes().rowCount(); ++row) {
        const ForeseenMesh& before = panel.meshes().mesh(row - 1);
        const ForeseenMesh& mesh = panel.meshes().mesh(row);
        if (before.of.mesh.devices() == mesh.of.mesh.devices() && before.fits() == mesh.fits())
            QVERIFY(before.step.seconds <= mesh.step.seconds);
    }
    // The project's own mesh has four devices, and stands before those of eight and sixteen.
    const ForeseenMeshModel& meshes = panel.meshes();
    QCOMPARE(meshes.ownRow(), 0);
    QCOMPARE(meshes.mesh(0).of.mesh.label(), "dp1-cp4-U2R2");
    QCOMPARE(meshes.firstRow(), 1);
    const auto at = [&meshes](int row, int column, int role = Qt::DisplayRole) {
        return meshes.index(row, column).data(role);
    };
    QVERIFY(at(0, ForeseenMeshModel::Mesh, Qt::FontRole).value<QFont>().bold());
    QVERIFY(at(0, ForeseenMeshModel::Mesh, Qt::AccessibleTextRole).toString().contains(QLatin1String("own")));
    QVERIFY(!at(1, ForeseenMeshModel::Mesh, Qt::FontRole).isValid());
    for (int row = 1; row < meshes.rowCount(); ++row) {
        const ForeseenTime& step = meshes.mesh(row).step;
        const ForeseenTime& own = meshes.mesh(0).step;
        const QString verdict = at(row, ForeseenMeshModel::Beside).toString();
        if (step.high < own.low)
            QVERIFY2(verdict.startsWith(QLatin1String("Faster: ")), qPrintable(verdict));
        else if (step.low <= own.high)
            QCOMPARE(verdict, QStringLiteral("No verdict: the ranges overlap"));
    }
    panel.setDevices(QStringLiteral("4"));
    QTRY_VERIFY_WITH_TIMEOUT(
        meshes.rowCount() > 0 && meshes.mesh(meshes.rowCount() - 1).of.mesh.devices() == 4, longestAnswer);
    QVERIFY(at(meshes.ownRow(), ForeseenMeshModel::Beside).toString().contains(QLatin1String("own")));
    panel.setDevices(QStringLiteral("8, 16"));
    QTRY_VERIFY_WITH_TIMEOUT(meshes.mesh(meshes.rowCount() - 1).of.mesh.devices() == 16, longestAnswer);
    using Chart = ForesightPanel::Chart;
    for (const Chart chart : {Chart::BestByContext, Chart::Splits, Chart::Blocks, Chart::Scaling}) {
        panel.showChart(chart);
        QVERIFY2(panel.obstacle().isEmpty(), qPrintable(panel.obstacle()));
        const std::filesystem::path file = m_folder.filePath(QStringLiteral("chart.svg")).toStdString();
        panel.exportTo(file);
        QVERIFY2(readFile(file).find("TPU v7x") != std::string::npos, "its title names the hardware");
        panel.exportTo(m_folder.filePath(QStringLiteral("chart.csv")).toStdString());
    }
    panel.showChart(Chart::BestByContext);
    const std::filesystem::path csv = m_folder.filePath(QStringLiteral("best.csv")).toStdString();
    panel.exportTo(csv);
    QVERIFY(readFile(csv).find("dp1-cp16-U8R2") != std::string::npos);
    QVERIFY2(readFile(csv).find("dp1-cp4-U2R2") != std::string::npos, "the project's own, of four devices");
    panel.showChart(Chart::Measured);
    QVERIFY2(panel.obstacle().contains(QLatin1String("Compare")), qPrintable(panel.obstacle()));
    panel.setDevices(QStringLiteral("many"));
    QVERIFY2(panel.obstacle().contains(QLatin1String("4,096")), qPrintable(panel.obstacle()));
    QCOMPARE(panel.meshes().rowCount(), 0);
    panel.close();  // its fields lose the focus while it is still there to be told
}

void ForesightTest::aMeshThatIsNotLegalLeavesTheOthers() {
    const ProjectForecast forecast = forecastOn(largeProject(), v7x());
    Project illegal = forecast.plan->project;
    QVERIFY(foreseeOwnMesh(illegal, *v7x()));
    illegal.ulyssesShards = 3;  // of four devices
    QVERIFY(!foreseeOwnMesh(illegal, *v7x()));
    ForesightAnswer answer = foreseeOn(*forecast.plan, v7x(), {8});
    const auto bars = [](const ChartSheet& sheet) { return sheet.numbers.rows.size(); };
    QCOMPARE(bars(splitSheet(answer.devices, &*answer.own)), bars(splitSheet(answer.devices)) + 1);
    const ForeseenMesh& fastest = *answer.devices.front().meshes.best();
    QCOMPARE(bars(splitSheet(answer.devices, &fastest)), bars(splitSheet(answer.devices)));
    ForeseenMeshModel model;
    model.setAnswer(answer);
    QCOMPARE(model.ownRow(), 0);
    const int rows = model.rowCount();
    answer.own.reset();
    model.setAnswer(answer);
    QCOMPARE(model.ownRow(), -1);
    QCOMPARE(model.rowCount(), rows - 1);
}

void ForesightTest::aForeseenMeshIsTakenAsOneStep() {
    ProjectDocument document;
    document.adopt(largeProject(), {});
    document.undoStack().clear();
    const ProjectForecast forecast = forecastOn(document.project(), v7x());
    const ForesightAnswer answer = foreseeOn(*forecast.plan, v7x(), {16});
    const ForeseenMesh& best = *answer.devices.front().meshes.best();
    document.setTexts(QStringLiteral("mesh"), toMeshChanges(best));
    QCOMPARE(document.undoStack().count(), 1);
    const ProjectForecast after = forecastOn(document.project(), v7x());
    QVERIFY(after.outlook != nullptr);
    QCOMPARE(after.outlook->own.of.mesh, best.of.mesh);
    QVERIFY(std::abs(after.outlook->own.step.seconds / best.step.seconds - 1) < 1e-6);
}

void ForesightTest::runsStandBesideWhatIsForeseen() {
    const ProjectForecast forecast = forecastOn(largeProject(), v7x());
    const ForesightAnswer answer = foreseeOn(*forecast.plan, v7x(), {8});
    TimingSummary timings{.load = 60, .inference = 120, .hasTrace = true};
    timings.conditioning = 3;
    timings.denoiseTotal = 110;
    timings.vaeDecode = 4;
    const std::vector<RunRecord> runs = pastedRuns(formatTimingSummary(timings, "2D ring"), "pasted");
    const std::vector<MeasuredCase> cases =
        besideMeasured(answer, runs, answer.devices.front().meshes.best());
    QCOMPARE(cases.size(), 1U);
    const ForeseenMesh& slower = answer.devices.front().meshes.meshes.at(1);
    const MeasuredCase onAnother = besideMeasured(answer, runs, &slower).front();
    QCOMPARE(onAnother.mesh, fmt::format("8 × {}", slower.of.mesh.label()));
    QVERIFY(onAnother.foreseen.denoise != cases.front().foreseen.denoise);
    QVERIFY(besideMeasured(answer, runs, nullptr).empty());
    QCOMPARE(cases.front().name, "2D ring");
    QVERIFY(cases.front().foreseen.denoise > 0);
    const ChartSheet sheet = foreseenBesideMeasuredSheet(cases);
    QCOMPARE(std::get<double>(sheet.numbers.rows.front()[2]), 117.0);
    QVERIFY(sheet.draw() != nullptr);
    RunRecord unfinished;
    unfinished.name = "x";
    QVERIFY(besideMeasured(answer, {unfinished}, nullptr).empty());
}

MESHREEL_TEST_CLASS(ForesightTest)
#include "foresight_test.moc"
