// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the past: the table over their folders, searching, notes, and comparing them.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/media/video_writer.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/compare_panel.h"
#include "ui/models/run_history_model.h"
#include "ui/report/report_exporter.h"
#include "ui/widgets/history_panel.h"

using namespace meshreel;

namespace {

constexpr int madeRuns = 4;

/// A finished run without its tensors.
void makeRun(const std::filesystem::path& path, int number) {
    Project project;
    project.prompt = "ball number " + std::to_string(number);
    project.seed = number;
    project.numInferenceSteps = 3;
    const RunFolder folder = RunFolder::create(path);
    folder.write(run_file::project, resolvedYaml(project));
    folder.write(run_file::environment, "{}");
    std::vector<StepRecord> steps;
    for (int step = 0; step < 3; ++step)
        steps.push_back({.step = step, .seconds = 0.5 * (number + 1)});
    folder.writeSteps(steps);
    RunState state;
    state.status = RunStatus::Done;
    state.started = "2026-11-2" + std::to_string(number) + "T08:00:00+0000";
    folder.writeState(state);
}

/// Plain grey frames beside it.
void makeVideo(const std::filesystem::path& run, std::int64_t size, std::int64_t frames, std::uint8_t level) {
    const std::vector<std::uint8_t> values(static_cast<std::size_t>(frames * size * size * 3), level);
    VideoOptions options;
    options.format = VideoFormat::Png;
    writeVideo(run / "video", Tensor::from<std::uint8_t>({frames, size, size, 3}, values), options);
}

}  // namespace

class RunsTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void tableIsSoundAndSorted();
    void searchFindsPromptsAndTags();
    void notesAreWrittenIntoTheFolder();
    void emptyStateSaysWhatToDo();
    void runsAreCompared();
    void comparisonsBecomeReports();
    void missingRunsAreExplained();
    void pastedTimingsAreCompared();
    void videosArePlayedInStep();
    void videosOfTwoSizesAreNotMeasured();

  private:
    [[nodiscard]] std::filesystem::path runPath(int number) const {
        return m_folder->filePath(QStringLiteral("run%1").arg(number)).toStdString();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunHistoryModel> m_model;
    std::unique_ptr<HistoryPanel> m_panel;
};

void RunsTest::init() {
    m_panel.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    for (int number = 0; number < madeRuns; ++number)
        makeRun(runPath(number), number);
    m_model = std::make_unique<RunHistoryModel>();
    m_panel = std::make_unique<HistoryPanel>(*m_model);
    m_model->setRuns(listRuns(m_folder->path().toStdString()));
    m_panel->show();
}

void RunsTest::tableIsSoundAndSorted() {
    const QAbstractItemModelTester tester(m_model.get(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModel& shown = *m_panel->table().model();
    QCOMPARE(shown.rowCount(), madeRuns);
    QCOMPARE(shown.index(0, RunHistoryModel::Run).data().toString(),
             QStringLiteral("ball number 3"));  // newest
    m_panel->table().sortByColumn(RunHistoryModel::Run, Qt::AscendingOrder);
    QCOMPARE(shown.index(0, RunHistoryModel::Run).data().toString(), QStringLiteral("ball number 0"));
    m_panel->select(QString::fromStdString(runPath(2).string()));
    QCOMPARE(m_panel->selectedFolder(), QString::fromStdString(runPath(2).string()));
    QCOMPARE(m_panel->selectedFolders().size(), 1);
    m_model->setRuns({});
    QCOMPARE(shown.rowCount(), 0);
}

void RunsTest::searchFindsPromptsAndTags() {
    const QAbstractItemModel& shown = *m_panel->table().model();
    QTest::keyClicks(&m_panel->search(), QStringLiteral("NUMBER 2"));
    QCOMPARE(shown.rowCount(), 1);
    m_panel->search().clear();
    const QModelIndex tags =
        m_model->indexOf(QString::fromStdString(runPath(1).string())).siblingAtColumn(RunHistoryModel::Tags);
    QVERIFY(m_model->setData(tags, QStringLiteral("best, for Ann")));
    m_panel->search().setText(QStringLiteral("ann"));
    QCOMPARE(shown.rowCount(), 1);
    m_panel->search().setText(QStringLiteral("nothing like this"));
    QCOMPARE(shown.rowCount(), 0);
    QVERIFY(!m_panel->table().isVisible());
}

void RunsTest::notesAreWrittenIntoTheFolder() {
    const QModelIndex row = m_model->indexOf(QString::fromStdString(runPath(0).string()));
    QVERIFY(!m_model->flags(row).testFlag(Qt::ItemIsEditable));
    QVERIFY(m_model->setData(row.siblingAtColumn(RunHistoryModel::Note), QStringLiteral("it bounces")));
    QVERIFY(m_model->setData(row.siblingAtColumn(RunHistoryModel::Tags), QStringLiteral(" a, b ,a")));
    QCOMPARE(readRunNotes(runPath(0)), (RunNotes{.tags = {"a", "b"}, .note = "it bounces"}));
    QCOMPARE(row.siblingAtColumn(RunHistoryModel::Tags).data().toString(), QStringLiteral("a, b"));
    std::filesystem::remove_all(runPath(0));
    QSignalSpy failed(m_model.get(), &RunHistoryModel::notesFailed);
    QVERIFY(!m_model->setData(row.siblingAtColumn(RunHistoryModel::Note), QStringLiteral("too late")));
    QCOMPARE(failed.count(), 1);
}

void RunsTest::emptyStateSaysWhatToDo() {
    m_model->setRuns({});
    QVERIFY(!m_panel->table().isVisible());
    const auto labels = m_panel->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QLatin1String("press Run"));
    }));
}

void RunsTest::runsAreCompared() {
    ComparePanel panel;
    QVERIFY(!panel.obstacle().isEmpty());
    auto* settings = panel.findChild<SettingDifferences*>();
    QVERIFY(settings != nullptr);
    const QAbstractItemModelTester tester(settings, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy compared(&panel, &ComparePanel::compared);
    panel.compare({runPath(0), runPath(1), runPath(2)});
    QTRY_COMPARE(compared.count(), 1);
    QCOMPARE(panel.runs().size(), 3U);
    QVERIFY2(panel.obstacle().isEmpty(), qPrintable(panel.obstacle()));
    // They differ in prompt and seed.
    const QAbstractItemModel& differences = panel.differences();
    QCOMPARE(differences.rowCount(), 2);
    QCOMPARE(differences.columnCount(), 3);
    QCOMPARE(differences.index(1, 2).data().toString(), QStringLiteral("2"));
    QCOMPARE(differences.headerData(1, Qt::Vertical).toString(), QStringLiteral("Seed"));
    const std::filesystem::path file = m_folder->filePath(QStringLiteral("runs.csv")).toStdString();
    panel.exportTo(file);
    QVERIFY(readFile(file).find("run2") != std::string::npos);
    panel.showKind(ChartKind::Lanes);  // of one run only
    QVERIFY(!panel.obstacle().isEmpty());
}

void RunsTest::comparisonsBecomeReports() {
    ComparePanel panel;
    QSignalSpy compared(&panel, &ComparePanel::compared);
    panel.compare({runPath(1), runPath(2)});
    QTRY_COMPARE(compared.count(), 1);
    QSignalSpy written(&panel.reports(), &ReportExporter::written);
    const QString file = m_folder->filePath(QStringLiteral("report.html"));
    panel.exportReport(file);
    constexpr int patience = 60000;
    QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, patience);
    const std::string page = readFile(file.toStdString());
    for (const char* part : {"run1", "run2", "<svg", "Seed"})
        QVERIFY2(page.find(part) != std::string::npos, part);
    panel.copyBestConfigs();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QLatin1String("| video")));
}

void RunsTest::missingRunsAreExplained() {
    ComparePanel panel;
    QSignalSpy troubled(&panel, &ComparePanel::troubled);
    panel.compare({runPath(99)});
    QTRY_COMPARE(troubled.count(), 1);
}

void RunsTest::pastedTimingsAreCompared() {
    ComparePanel panel;
    const TimingSummary elsewhere{
        .load = 1, .compile = 2, .inference = 30, .hasTrace = true, .denoiseTotal = 28};
    panel.paste(QString::fromStdString(formatTimingSummary(elsewhere) + formatTimingSummary(elsewhere)));
    QCOMPARE(panel.runs().size(), 2U);
    QVERIFY(panel.runs()[0].name != panel.runs()[1].name);
    QVERIFY2(panel.obstacle().isEmpty(), qPrintable(panel.obstacle()));
    QSignalSpy compared(&panel, &ComparePanel::compared);
    panel.compare({runPath(0)});
    QTRY_COMPARE(compared.count(), 1);
    QCOMPARE(panel.runs().size(), 3U);
    QVERIFY_THROWS_EXCEPTION(Error, panel.paste(QStringLiteral("nothing timed")));
}

void RunsTest::videosArePlayedInStep() {
    makeVideo(runPath(0), 16, 3, 100);
    makeVideo(runPath(1), 16, 3, 110);
    makeVideo(runPath(2), 16, 3, 100);
    ClipComparer comparer;
    comparer.resize(600, 400);
    comparer.show();
    QSignalSpy shown(&comparer, &ClipComparer::shown);
    comparer.setRuns({{QStringLiteral("a"), runPath(0)}, {QStringLiteral("b"), runPath(1)}});
    QTRY_COMPARE(shown.count(), 1);
    QVERIFY2(comparer.likeness().contains(QLatin1String("PSNR 28.1 dB")), qPrintable(comparer.likeness()));
    QCOMPARE(comparer.playback().length(), 3);
    for (const auto mode :
         {ClipPairView::Mode::SideBySide, ClipPairView::Mode::Wipe, ClipPairView::Mode::Difference}) {
        comparer.setMode(mode);
        QVERIFY(!comparer.grab().isNull());
    }
    // Ten grey levels, amplified.
    const QImage difference = comparer.view().grab().toImage();
    QCOMPARE(difference.pixelColor(difference.rect().center()).red(), 10 * differenceGain);
    comparer.setMode(ClipPairView::Mode::Wipe);
    QTest::keyClick(&comparer.view(), Qt::Key_Comma);
    QVERIFY(comparer.view().wipe() < 0.5);
    comparer.view().setWipe(0.45);
    const QImage wiped = comparer.view().grab().toImage();
    QCOMPARE(wiped.pixelColor(wiped.width() * 2 / 5, wiped.height() / 2).red(), 100);
    QCOMPARE(wiped.pixelColor(wiped.width() / 2, wiped.height() / 2).red(), 110);
    comparer.setRuns({{QStringLiteral("a"), runPath(0)}, {QStringLiteral("c"), runPath(2)}});
    QTRY_COMPARE(shown.count(), 2);
    QVERIFY2(comparer.likeness().contains(QLatin1String("equal")), qPrintable(comparer.likeness()));
}

void RunsTest::videosOfTwoSizesAreNotMeasured() {
    makeVideo(runPath(0), 16, 3, 100);
    makeVideo(runPath(1), 32, 2, 100);
    ClipComparer comparer;
    comparer.show();
    QSignalSpy shown(&comparer, &ClipComparer::shown);
    comparer.setRuns({{QStringLiteral("a"), runPath(0)}, {QStringLiteral("b"), runPath(1)}});
    QTRY_COMPARE(shown.count(), 1);
    QVERIFY2(comparer.likeness().contains(QLatin1String("two sizes")), qPrintable(comparer.likeness()));
    comparer.setRuns({{QStringLiteral("a"), runPath(0)}, {QStringLiteral("no video"), runPath(3)}});
    QTRY_COMPARE(shown.count(), 2);
    QVERIFY2(comparer.likeness().contains(QLatin1String("no video")), qPrintable(comparer.likeness()));
}

QTEST_MAIN(RunsTest)
#include "runs_test.moc"
