// SPDX-License-Identifier: GPL-3.0-or-later
// The page of benchmarks: rows come beside the machine's limits, are kept, compared, repeated and exported.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QFont>
#include <QItemSelectionModel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/files.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/project_document.h"
#include "ui/studies/bench_model.h"
#include "ui/studies/bench_panel.h"
#include "ui/studies/bench_runner.h"
#include "ui/values/engine_use.h"

using namespace meshreel;

namespace {

constexpr int benchPatience = 60000;  ///< milliseconds

/// A group whose rows take no time, but for the limits.
BenchmarkOptions quickOptions() {
    BenchmarkOptions options;
    options.tokens = {16};
    options.rounds = 2;
    options.peakSeconds = 0;
    options.bandwidthBytes = 1 << 20;
    return options;
}

int benchRow(const BenchModel& model, const char* name) {
    const auto found = std::ranges::find(model.rows(), name, &BenchmarkRow::name);
    return found == model.rows().end() ? -1 : static_cast<int>(found - model.rows().begin());
}

QString benchCell(const BenchModel& model, const char* row, BenchModel::Column column) {
    return model.index(benchRow(model, row), column).data().toString();
}

}  // namespace

class BenchPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void cleanup();
    void rowsComeAndAreKept();
    void aSecondMeasurementIsJudgedBesideTheFirst();
    void aRowIsRepeatedByAClick();
    void whatIsWithinTheNoiseIsRepeatedWithoutASelection();
    void rowsOfAnotherBuildAreNotRepeated();
    void whatTheProjectComputesIsBold();
    void cancellingKeepsWhatIsDone();
    void aFileIsComparedWith();
    void timesOfAnotherProcessorGiveNoVerdict();
    void rowsAreExported();
    void nothingIsMeasuredBesideOtherWork();
    void whatCannotBeMeasuredIsTold();
    void aDamagedHistoryIsTold();
    void whatWasNotMeasuredToItsEndComesSecond();

  private:
    QPushButton* button(const char* words) const {
        const QList<QPushButton*> buttons = m_panel->findChildren<QPushButton*>();
        const auto found = std::ranges::find(buttons, QLatin1String(words), &QPushButton::text);
        return found == buttons.end() ? nullptr : *found;
    }
    /// Another panel, as after a restart, with the group chosen.
    void open(const std::string& group);
    void measure();
    [[nodiscard]] BenchModel& model() const { return m_panel->model(); }
    [[nodiscard]] std::filesystem::path history(const char* group) const { return benchmarkHistory(group); }
    /// As if it had been measured then.
    void keep(const char* group, const char* date, const std::vector<BenchmarkRow>& rows,
              const char* commit = nullptr);

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<BenchPanel> m_panel;
};

void BenchPanelTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_DATA_HOME", m_folder->path().toLocal8Bit());
    m_document = std::make_unique<ProjectDocument>();
}

void BenchPanelTest::cleanup() {
    m_panel.reset();
    m_document.reset();
}

void BenchPanelTest::open(const std::string& group) {
    m_panel = std::make_unique<BenchPanel>(*m_document);
    m_panel->resize(1000, 500);
    m_panel->form().setGroup(group);
    m_panel->form().setOptions(quickOptions());
    QSignalSpy opened(m_panel.get(), &BenchPanel::opened);
    m_panel->show();
    QTRY_VERIFY_WITH_TIMEOUT(opened.count() > 0, benchPatience);
}

void BenchPanelTest::measure() {
    QSignalSpy ended(&m_panel->runner(), &BenchRunner::ended);
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QVERIFY(m_panel->runner().isBusy());
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, benchPatience);
}

void BenchPanelTest::keep(const char* group, const char* date, const std::vector<BenchmarkRow>& rows,
                          const char* commit) {
    nlohmann::ordered_json json = benchmarkJson(rows, 1);
    json["date"] = date;
    if (commit != nullptr)
        json["machine"]["commit"] = commit;
    std::filesystem::create_directories(history(group).parent_path());
    keepInHistory(history(group), json);
}

void BenchPanelTest::rowsComeAndAreKept() {
    open("attention");
    const QAbstractItemModelTester tester(&model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(!m_panel->table().isVisible());  // a sentence says what to do
    QVERIFY(!m_panel->actions().repeat->isEnabled() && !m_panel->actions().save->isEnabled());
    QSignalSpy measured(&m_panel->runner(), &BenchRunner::measured);
    QSignalSpy ended(&m_panel->runner(), &BenchRunner::ended);
    auto* progress = m_panel->findChild<QProgressBar*>();
    QVERIFY(!progress->isVisible());
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QVERIFY(!button("Run")->isEnabled() && button("Cancel")->isEnabled());
    QVERIFY(!m_panel->form().groupBox().isEnabled());
    QVERIFY(progress->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(measured.count() > 0, benchPatience);
    QVERIFY(m_panel->table().isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, benchPatience);
    QVERIFY(!progress->isVisible());
    QVERIFY(button("Run")->isEnabled() && !button("Cancel")->isEnabled());
    QVERIFY(benchRow(model(), "attention.custom.16") > 0);
    QCOMPARE(measured.count(), model().rowCount());
    QVERIFY2(
        benchCell(model(), "attention.flash.16", BenchModel::Time).contains(QLatin1String("ms, spread ")),
        qPrintable(benchCell(model(), "attention.flash.16", BenchModel::Time)));
    QVERIFY2(benchCell(model(), "attention.flash.16", BenchModel::Share)
                 .endsWith(QLatin1String(" % of peak.matmul.bf16")),
             qPrintable(benchCell(model(), "attention.flash.16", BenchModel::Share)));
    QVERIFY(benchCell(model(), "attention.flash.16", BenchModel::Rate).endsWith(QLatin1String(" TFLOP/s")));
    QVERIFY2(benchCell(model(), "attention.flash.16", BenchModel::VerdictColumn).isEmpty(),
             "there is no other");
    QVERIFY2(m_panel->words().startsWith(QString::number(model().rowCount())), qPrintable(m_panel->words()));
    QCOMPARE(readBenchmarks(history("attention")).size(), 1U);

    const int rows = model().rowCount();
    open("attention");  // what was measured is there again
    QCOMPARE(model().rowCount(), rows);
    QVERIFY(m_panel->table().isVisible());
    QVERIFY(m_panel->shown()->isOfThisBuild());
    QSignalSpy opened(m_panel.get(), &BenchPanel::opened);
    m_panel->form().groupBox().setCurrentText(QStringLiteral("linear"));
    QTRY_COMPARE(opened.count(), 1);
    QCOMPARE(model().rowCount(), 0);  // another group has its own
}

void BenchPanelTest::aSecondMeasurementIsJudgedBesideTheFirst() {
    const BenchmarkRow before{.name = "attention.custom.16",
                              .value = 1,
                              .unit = "TFLOP/s",
                              .of = "peak.matmul.bf16",
                              .seconds = {100, 101, 102, 103}};
    keep("attention", "2026-01-02T03:04:05Z", {before});
    open("attention");
    QCOMPARE(m_panel->form().baselineBox().count(), 1);  // nothing beside what is shown
    QVERIFY(!m_panel->form().baselineBox().isEnabled());
    m_panel->findChildren<QSpinBox*>().front()->setValue(4);  // passes
    measure();
    QCOMPARE(m_panel->form().baselineBox().count(), 2);
    QCOMPARE(m_panel->form().baseline(), QStringLiteral("2026-01-02T03:04:05Z"));
    const QString verdict = benchCell(model(), "attention.custom.16", BenchModel::VerdictColumn);
    QVERIFY2(verdict.startsWith(QLatin1String("Faster: ")), qPrintable(verdict));
    QVERIFY(benchCell(model(), "attention.custom.16", BenchModel::Before).startsWith(QLatin1String("102 s")));
    QVERIFY(benchCell(model(), "attention.flash.16", BenchModel::VerdictColumn).isEmpty());
    m_panel->form().baselineBox().setCurrentIndex(0);
    QVERIFY2(benchCell(model(), "attention.custom.16", BenchModel::VerdictColumn).isEmpty(),
             "nothing is compared with");
    QCOMPARE(readBenchmarks(history("attention")).size(), 2U);
}

void BenchPanelTest::aRowIsRepeatedByAClick() {
    open("attention");
    measure();
    const int row = benchRow(model(), "attention.custom.16");
    const std::vector<BenchmarkRow> before = model().rows();
    m_panel->table().clearSelection();
    QVERIFY(!button("Repeat")->isEnabled());
    const QRect place = m_panel->table().visualRect(model().index(row, 0));
    QTest::mouseClick(m_panel->table().viewport(), Qt::LeftButton, {}, place.center());
    QVERIFY(button("Repeat")->isEnabled());
    QVERIFY(m_panel->table().actions().contains(m_panel->actions().repeat));  // also in its menu
    QSignalSpy ended(&m_panel->runner(), &BenchRunner::ended);
    QTest::mouseClick(button("Repeat"), Qt::LeftButton);
    QVERIFY(!button("Repeat")->isEnabled() && !button("Run")->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, benchPatience);
    QCOMPARE(model().rowCount(), static_cast<int>(before.size()));
    for (int each = 0; each < model().rowCount(); ++each)
        QCOMPARE(model().at(each).seconds.size(),
                 before[static_cast<std::size_t>(each)].seconds.size() + (each == row ? 2 : 0));
    QVERIFY2(m_panel->table().selectionModel()->isRowSelected(row), "it is repeated by one more click");
    const std::vector<KeptBenchmark> kept = readBenchmarks(history("attention"));
    QCOMPARE(kept.size(), 1U);  // in its place
    QCOMPARE(kept.front().rows[static_cast<std::size_t>(row)].seconds.size(),
             before[static_cast<std::size_t>(row)].seconds.size() + 2);
}

void BenchPanelTest::whatIsWithinTheNoiseIsRepeatedWithoutASelection() {
    open("attention");
    measure();
    BenchmarkRow same = model().at(benchRow(model(), "attention.custom.16"));
    same.seconds.resize(2);
    m_panel.reset();
    std::filesystem::remove(history("attention"));
    keep("attention", "2026-01-02T03:04:05Z", {same});
    keep("attention", "2026-01-03T03:04:05Z", {same});
    open("attention");
    QCOMPARE(benchCell(model(), "attention.custom.16", BenchModel::VerdictColumn),
             QStringLiteral("Too few times to tell: repeat 2 times"));
    QVERIFY(button("Repeat")->isEnabled());
    QSignalSpy ended(&m_panel->runner(), &BenchRunner::ended);
    QTest::mouseClick(button("Repeat"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, benchPatience);
    QCOMPARE(model().at(benchRow(model(), "attention.custom.16")).seconds.size(), 4U);
}

void BenchPanelTest::rowsOfAnotherBuildAreNotRepeated() {
    keep("attention", "2026-01-02T03:04:05Z",
         {{.name = "attention.custom.16", .value = 1, .unit = "s", .of = "a", .seconds = {1, 2}}}, "old");
    open("attention");
    m_panel->table().selectRow(0);
    QVERIFY(!button("Repeat")->isEnabled());
    QVERIFY2(button("Repeat")->toolTip().contains(QLatin1String("Another version")),
             qPrintable(button("Repeat")->toolTip()));
    m_panel->repeat();
    QVERIFY(!m_panel->runner().isBusy());
}

void BenchPanelTest::whatTheProjectComputesIsBold() {
    keep("attention", "2026-01-02T03:04:05Z",
         {{.name = "attention.custom.16", .value = 1, .unit = "s", .of = "a"},
          {.name = "attention.flash.16", .value = 1, .unit = "s", .of = "a"}});
    open("attention");
    const auto isBold = [this](int row) {
        return model().index(row, 0).data(Qt::FontRole).value<QFont>().bold();
    };
    QVERIFY(!isBold(0) && !isBold(1));
    Project project;
    project.width = project.height = 32;
    project.numFrames = 5;
    project.prompt = "a ball";
    project.attention = "ulysses_custom";
    m_panel->showForecast(makeForecast(project));
    QVERIFY(isBold(0) && !isBold(1));
    QVERIFY(
        model().index(0, 0).data(Qt::AccessibleTextRole).toString().contains(QLatin1String("open project")));
    m_panel->showForecast({});
    QVERIFY(!isBold(0));
}

void BenchPanelTest::cancellingKeepsWhatIsDone() {
    open("attention");
    BenchmarkOptions options = quickOptions();
    options.tokens = {16, 2048};
    options.rounds = 1000;
    m_panel->form().setOptions(options);
    QSignalSpy ended(&m_panel->runner(), &BenchRunner::ended);
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(benchRow(model(), "attention.custom.16") > 0, benchPatience);
    QTest::mouseClick(button("Cancel"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, benchPatience);
    QVERIFY(ended.front().front().value<BenchResult>().wasCancelled);
    QVERIFY2(m_panel->words().startsWith(QLatin1String("Cancelled.")), qPrintable(m_panel->words()));
    QVERIFY(button("Run")->isEnabled());
    const std::vector<KeptBenchmark> kept = readBenchmarks(history("attention"));
    QCOMPARE(kept.size(), 1U);
    QCOMPARE(static_cast<int>(kept.front().rows.size()), model().rowCount());
    QVERIFY(!kept.front().isComplete);
    QVERIFY2(m_panel->words().contains(QLatin1String("Not all")), qPrintable(m_panel->words()));
    // The panel goes away in the middle.
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(model().rowCount() > 0, benchPatience);
}

void BenchPanelTest::aFileIsComparedWith() {
    open("attention");
    measure();
    const std::filesystem::path file = m_folder->filePath(QStringLiteral("before.json")).toStdString();
    m_panel->exportTo(file);
    m_panel->compareWith(file);
    QTRY_COMPARE_WITH_TIMEOUT(m_panel->form().baseline(), QString(BenchForm::fileBaseline), benchPatience);
    QCOMPARE(m_panel->form().baselineBox().currentText(), QStringLiteral("before.json"));
    QVERIFY(!benchCell(model(), "attention.custom.16", BenchModel::VerdictColumn).isEmpty());
    QSignalSpy wentWrong(m_panel.get(), &BenchPanel::wentWrong);
    writeFileAtomically(file, "no measurement");
    m_panel->compareWith(file);
    QTRY_COMPARE_WITH_TIMEOUT(wentWrong.count(), 1, benchPatience);
    QCOMPARE(m_panel->form().baseline(), QString(BenchForm::fileBaseline));  // what was chosen stays
}

void BenchPanelTest::timesOfAnotherProcessorGiveNoVerdict() {
    open("attention");
    measure();
    nlohmann::json json = nlohmann::json::parse(m_panel->shown()->text);
    json["machine"]["gpu"] = {{"name", "A card"}};
    const std::filesystem::path file = m_folder->filePath(QStringLiteral("card.json")).toStdString();
    writeFileAtomically(file, json.dump());
    m_panel->compareWith(file);
    QTRY_COMPARE_WITH_TIMEOUT(m_panel->form().baseline(), QString(BenchForm::fileBaseline), benchPatience);
    QVERIFY(benchCell(model(), "attention.custom.16", BenchModel::VerdictColumn).isEmpty());
    QVERIFY2(m_panel->words().contains(QLatin1String("A card")), qPrintable(m_panel->words()));
}

void BenchPanelTest::rowsAreExported() {
    open("attention");
    measure();
    const QString table = m_folder->filePath(QStringLiteral("rows.csv"));
    m_panel->exportTo(table.toStdString());
    QFile csv(table);
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const QByteArray text = csv.readAll();
    QVERIFY(text.startsWith("row,value,unit,ratio,of,median_seconds"));
    QCOMPARE(text.count('\n'), model().rowCount() + 1);
    const std::filesystem::path file = m_folder->filePath(QStringLiteral("rows.json")).toStdString();
    m_panel->exportTo(file);
    QCOMPARE(readRounds(file).size(), roundsOf(*m_panel->shown()).size());
}

void BenchPanelTest::nothingIsMeasuredBesideOtherWork() {
    open("attention");
    EngineUse engine;
    engine.watch(EngineWork::Benchmark, m_panel->runner(), &BenchRunner::busyChanged);
    emit m_panel->runner().busyChanged(true);
    for (const EngineWork other : {EngineWork::Run, EngineWork::Sweep, EngineWork::BlockSizes})
        QVERIFY2(engine.obstacleTo(other).contains(QLatin1String("Bench")),
                 qPrintable(engine.obstacleTo(other)));
    QVERIFY(engine.obstacleTo(EngineWork::Benchmark).isEmpty());
    emit m_panel->runner().busyChanged(false);
    const QString reason = QStringLiteral("A run is in progress.");
    m_panel->setObstacle(reason);
    QVERIFY(!button("Run")->isEnabled());
    QCOMPARE(button("Run")->toolTip(), reason);
    m_panel->start();
    QVERIFY(!m_panel->runner().isBusy());
    m_panel->setObstacle({});
    QVERIFY(button("Run")->isEnabled());
}

void BenchPanelTest::whatCannotBeMeasuredIsTold() {
    qputenv("VK_DRIVER_FILES", "/nowhere.json");
    open("gpu");
    m_document->setText(*findProjectKey("gpus"), QStringLiteral("7"));
    QSignalSpy wentWrong(m_panel.get(), &BenchPanel::wentWrong);
    measure();
    qunsetenv("VK_DRIVER_FILES");
    QCOMPARE(wentWrong.count(), 1);
    QVERIFY(!m_panel->words().isEmpty());
    QVERIFY(!m_panel->table().isVisible());
    QVERIFY(!std::filesystem::exists(history("gpu")));
}

void BenchPanelTest::aDamagedHistoryIsTold() {
    std::filesystem::create_directories(history("attention").parent_path());
    writeFileAtomically(history("attention"), "damaged\n");
    m_panel = std::make_unique<BenchPanel>(*m_document);
    m_panel->form().setGroup("attention");
    QSignalSpy noted(m_panel.get(), &BenchPanel::noted);
    QVERIFY2(!m_panel->actions().start->isEnabled(), "nobody knows yet what is kept");
    m_panel->show();
    QTRY_VERIFY_WITH_TIMEOUT(noted.count() > 0, benchPatience);
    QCOMPARE(model().rowCount(), 0);
    QVERIFY(m_panel->actions().start->isEnabled());
}

void BenchPanelTest::whatWasNotMeasuredToItsEndComesSecond() {
    const BenchmarkRow row{
        .name = "attention.custom.16", .value = 1, .unit = "s", .of = "a", .seconds = {1, 2}};
    keep("attention", "2026-01-02T03:04:05Z", {row});
    keep("attention", "2026-01-03T03:04:05Z", {row});
    nlohmann::ordered_json json = incompleteBenchmark(benchmarkJson(std::vector{row}, 1));
    json["date"] = "2026-01-04T03:04:05Z";
    keepInHistory(history("attention"), json);
    open("attention");
    QCOMPARE(m_panel->shown()->date, std::string("2026-01-03T03:04:05Z"));
    QCOMPARE(m_panel->form().baseline(), QStringLiteral("2026-01-02T03:04:05Z"));
    QVERIFY(m_panel->form().baselineBox().itemText(1).endsWith(QLatin1String("not complete")));
}

MESHREEL_TEST_CLASS(BenchPanelTest)
#include "bench_panel_test.moc"
