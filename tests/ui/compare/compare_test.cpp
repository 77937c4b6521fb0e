// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page beside its charts and videos: times in a table, copies of them, projects, names.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QDropEvent>
#include <QFont>
#include <QImage>
#include <QLegend>
#include <QLegendMarker>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <QUrl>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/timing/timing_summary.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "tests/support/studio/answered.h"
#include "ui/charts/chart_view.h"
#include "ui/compare/compare_panel.h"
#include "ui/compare/comparison.h"
#include "ui/compare/comparison_tables.h"
#include "ui/compare/run_choice.h"
#include "ui/runs/history_panel.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/main_window.h"

using namespace meshreel;
using meshreel::testing::answered;
using meshreel::testing::makeRun;

namespace {

const TimingSummary measured{.load = 1, .compile = 2, .inference = 30, .hasTrace = true, .denoiseTotal = 28};
constexpr int askedRepeats = 4;  ///< of two runs with too few times

}  // namespace

class CompareTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void timesStandInATable();
    void onlyRunsOfOneSizeAreRanked();
    void theBaselineIsChosenAndTheOthersAreJudged();
    void runsWithinTheNoiseAreRepeated();
    void asManyRunsJoinAsWereAskedFor();
    void noRunJoinsBehindTheQueue();
    void repeatsEndWithTheQueueOfTheStudio();
    void clearDifferencesAreTold();
    void pastedTimingsHaveNoSpeedBesideRuns();
    void whatIsSelectedIsCopied();
    void namesAreCutToWhereTheyDiffer();
    void projectFilesAreCompared();
    void runsAndProjectsAreDropped();
    void theOpenProjectIsComparedWithARun();
    void runsAreCopiedFromTheirTable();
    void chartsOfOneRunOfferAChoice();
    void blockSizesOfferWhatBelongsTogether();
    void longNamesLeaveRoomForFigures();

  private:
    [[nodiscard]] std::filesystem::path path(const char* name) const {
        return m_folder->filePath(QLatin1String(name)).toStdString();
    }
    QString projectFile(const char* name, int steps);
    void writeSteps(const char* run, const std::vector<double>& seconds);
    void compare(const std::vector<std::filesystem::path>& folders);
    QString cell(int row, const char* column) const;
    void repeatTwoRuns();
    void endRepeat(int number);
    /// Returns whether another run joins soon.
    [[nodiscard]] bool moreJoin() const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ComparePanel> m_panel;
};

void CompareTest::init() {
    m_panel = std::make_unique<ComparePanel>();
    m_folder = std::make_unique<QTemporaryDir>();
    makeRun(path("a"), 1);
    makeRun(path("b"), 0);
    makeRun(path("c"), 3);
}

QString CompareTest::projectFile(const char* name, int steps) {
    Project project;
    project.prompt = "a ball";
    project.numInferenceSteps = steps;
    writeFileAtomically(path(name), saveProjectText(project));
    return m_folder->filePath(QLatin1String(name));
}

void CompareTest::compare(const std::vector<std::filesystem::path>& folders) {
    QSignalSpy compared(m_panel.get(), &ComparePanel::compared);
    m_panel->compare(folders);
    QTRY_COMPARE(compared.count(), 1);
}

QString CompareTest::cell(int row, const char* column) const {
    const TimingComparison& timings = m_panel->tables().timings();
    return timings.index(row, timings.findColumn(column)).data().toString();
}

void CompareTest::timesStandInATable() {
    QTableView& table = m_panel->tables().timingTable();
    const QAbstractItemModelTester tester(table.model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester below(const_cast<TimingComparison*>(&m_panel->tables().timings()),
                                         QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(m_panel->tables().isHidden());
    compare({path("a"), path("b"), path("c")});
    QVERIFY(!m_panel->tables().isHidden());
    // 1, 0.5 and 2 seconds a step.
    QCOMPARE(cell(0, "run"), QStringLiteral("a"));
    QCOMPARE(cell(2, "step_s"), QStringLiteral("2.000"));
    QCOMPARE(cell(1, "speed"), QStringLiteral("2.00×"));
    QCOMPARE(cell(1, "spread"), QStringLiteral("0.0 %"));
    QCOMPARE(cell(0, "verdict"), QStringLiteral("–"));
    QCOMPARE(cell(2, "verdict"), QStringLiteral("Too few times to tell: repeat 2 times"));  // two warm steps
    QCOMPARE(cell(0, "load_s"), QStringLiteral("–"));
    const TimingComparison& timings = m_panel->tables().timings();
    QVERIFY2(timings.index(0, 0).data(Qt::FontRole).value<QFont>().bold(), "the baseline");
    QVERIFY(timings.index(0, 0).data(Qt::AccessibleTextRole).toString().contains(QLatin1String("baseline")));
    QVERIFY(!timings.index(1, 0).data(Qt::FontRole).isValid());
    table.sortByColumn(timings.findColumn("step_s"), Qt::DescendingOrder);
    QCOMPARE(table.model()->index(0, 0).data().toString(), QStringLiteral("c"));
    m_panel->paste(QString::fromStdString(formatTimingSummary(measured)));
    QCOMPARE(timings.rowCount(), 4);
    QCOMPARE(cell(3, "step_s"), QStringLiteral("–"));
    QCOMPARE(cell(3, "denoise_s"), QStringLiteral("28.00"));
}

void CompareTest::onlyRunsOfOneSizeAreRanked() {
    Project taller;
    taller.prompt = "a ball";
    taller.height += 32;
    RunFolder::open(path("c")).write(run_file::project, resolvedYaml(taller));
    compare({path("a"), path("b"), path("c")});
    QCOMPARE(cell(2, "speed"), QStringLiteral("–"));
    QCOMPARE(cell(2, "verdict"), QStringLiteral("–"));
    QVERIFY(cell(1, "verdict") != QStringLiteral("–"));
}

void CompareTest::theBaselineIsChosenAndTheOthersAreJudged() {
    TimingSummary ulysses = measured;
    ulysses.inference = 125;
    ulysses.denoiseTotal = 122.4;
    TimingSummary ring = ulysses;
    ring.load = 90;  // what does not count
    ring.inference = 112;
    ring.denoiseTotal = 109.6;
    m_panel->paste(QString::fromStdString(formatTimingSummary(ulysses, "Ulysses CP4") +
                                          formatTimingSummary(ring, "2D ring CP4")));
    const auto tells = [this](const char* words) {
        const QString text = m_panel->verdictText();
        if (text.contains(QLatin1String(words)))
            return true;
        qWarning("%s", qPrintable(text));
        return false;
    };
    QVERIFY(tells("2D ring CP4 beside Ulysses CP4: Too few times to tell: repeat 2 times."));
    QVERIFY2(!m_panel->repeatButton().isEnabled(), "nobody can run what was pasted");
    m_panel->setInferenceOnly(true);
    QCOMPARE(cell(1, "speed"), QStringLiteral("1.12×"));
    m_panel->baselineChooser().setCurrentIndex(1);
    emit m_panel->baselineChooser().activated(1);
    QVERIFY(tells("Ulysses CP4 beside 2D ring CP4"));
    QCOMPARE(cell(0, "speed"), QStringLiteral("0.90×"));
    QCOMPARE(m_panel->tables().timings().baseline(), 1);
    // The chart leaves out what does not count, and its picture has a title.
    const std::filesystem::path file = path("stages.csv");
    m_panel->exportTo(file);
    QVERIFY(readFile(file).find("load") == std::string::npos);
    m_panel->exportTo(path("stages.svg"));
    QVERIFY(readFile(path("stages.svg")).find(">Stages<") != std::string::npos);
}

/// Steps of these seconds behind a cold one.
void CompareTest::writeSteps(const char* run, const std::vector<double>& seconds) {
    std::vector<StepRecord> steps{{.step = 0, .seconds = 9}};
    for (const double one : seconds)
        steps.push_back({.step = static_cast<int>(steps.size()), .seconds = one});
    RunFolder::open(path(run)).writeSteps(steps);
}

void CompareTest::clearDifferencesAreTold() {
    writeSteps("a", {2, 2.1, 2.2});
    writeSteps("b", {1, 1.05, 1.1});
    compare({path("a"), path("b")});
    QCOMPARE(cell(1, "verdict"), QStringLiteral("Faster: 45 to 55 % less time"));
    QCOMPARE(cell(1, "spread"), QStringLiteral("9.5 %"));
    QVERIFY2(m_panel->verdictText().contains(QLatin1String(
                 "b beside a: a step takes 1.05 s, spread 9.5 %. Faster: 45 to 55 % less time.")),
             qPrintable(m_panel->verdictText()));
    QVERIFY(!m_panel->repeatButton().isEnabled());
}

void CompareTest::runsWithinTheNoiseAreRepeated() {
    writeSteps("a", {10, 11, 12, 13});
    writeSteps("b", {9.5, 10.5, 11.5, 12.5});
    writeSteps("c", {1, 1, 1, 1});
    compare({path("a"), path("b"), path("c")});
    QVERIFY2(cell(1, "verdict").startsWith(QLatin1String("Within the noise: repeat ")),
             qPrintable(cell(1, "verdict")));
    const int repeats = m_panel->tables().timings().verdict(1)->repeats;
    QPushButton& repeat = m_panel->repeatButton();
    QVERIFY(repeat.isEnabled());
    m_panel->tables().timingTable().selectRow(2);
    QVERIFY2(!repeat.isEnabled(), "c is clearly faster");
    m_panel->tables().timingTable().selectRow(1);
    QVERIFY(repeat.isEnabled());
    QSignalSpy requested(m_panel.get(), &ComparePanel::repeatRequested);
    QVERIFY(2 * repeats > 10);
    const QString question = answered(QMessageBox::RejectRole, [&] { repeat.click(); });
    QVERIFY2(question.contains(QString::number(2 * repeats)), qPrintable(question));
    QCOMPARE(requested.count(), 0);
    (void)answered(QMessageBox::AcceptRole, [&] { repeat.click(); });
    QCOMPARE(requested.count(), 1);
    const QStringList folders = requested.first().first().toStringList();
    QCOMPARE(folders.size(), 2 * repeats);
    QCOMPARE(folders.count(QString::fromStdString(path("b").string())), repeats);
    QCOMPARE(folders.first(), QString::fromStdString(path("a").string()));
    QVERIFY2(folders[0] != folders[1], "they take turns");

    // Runs that repeat one of them join; others do not.
    std::filesystem::copy(path("b"), path("b-again"), std::filesystem::copy_options::recursive);
    Project other;
    other.prompt = "a ball";
    other.height += 32;
    RunFolder::open(path("c")).write(run_file::project, resolvedYaml(other));
    std::filesystem::copy(path("c"), path("elsewhere"), std::filesystem::copy_options::recursive);
    RunFolder::open(path("elsewhere")).write(run_file::project, resolvedYaml(other));
    m_panel->takeRepeat(QString::fromStdString(path("elsewhere").string()));
    m_panel->takeRepeat(QString::fromStdString(path("b-again").string()));
    QTRY_COMPARE(m_panel->runs().size(), 4U);
    QCOMPARE(m_panel->runs().back().name, std::string("b-again"));
}

/// Asks for the two runs again, twice each, without a question.
void CompareTest::repeatTwoRuns() {
    compare({path("a"), path("b")});
    QSignalSpy requested(m_panel.get(), &ComparePanel::repeatRequested);
    m_panel->repeatButton().click();
    QCOMPARE(requested.count(), 1);
    QCOMPARE(requested.first().first().toStringList().size(), askedRepeats);
}

/// One more run that repeats b ends.
void CompareTest::endRepeat(int number) {
    const std::filesystem::path again = path(qPrintable(QStringLiteral("b-%1").arg(number)));
    std::filesystem::copy(path("b"), again, std::filesystem::copy_options::recursive);
    m_panel->takeRepeat(QString::fromStdString(again.string()));
}

bool CompareTest::moreJoin() const {
    const std::size_t joined = m_panel->runs().size();
    return QTest::qWaitFor([&] { return m_panel->runs().size() != joined; }, 100);
}

void CompareTest::asManyRunsJoinAsWereAskedFor() {
    repeatTwoRuns();
    for (int number = 0; number < askedRepeats + 1; ++number)  // all are read at once
        endRepeat(number);
    QTRY_COMPARE(m_panel->runs().size(), 2U + askedRepeats);
    endRepeat(askedRepeats + 1);
    QVERIFY2(!moreJoin(), "nobody asked for it");
}

void CompareTest::noRunJoinsBehindTheQueue() {
    repeatTwoRuns();
    endRepeat(0);
    m_panel->endRepeats();  // the others failed
    QTRY_COMPARE(m_panel->runs().size(), 3U);
    endRepeat(1);
    QVERIFY(!moreJoin());
    repeatTwoRuns();
    m_panel->endRepeats();
    endRepeat(2);
    QVERIFY(!moreJoin());
}

void CompareTest::repeatsEndWithTheQueueOfTheStudio() {
    qputenv("XDG_DATA_HOME", m_folder->filePath(QStringLiteral("data")).toLocal8Bit());
    qputenv("MESHREEL_RUNS", m_folder->path().toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder->filePath(QStringLiteral("set")));
    MainWindow window;
    ComparePanel& compared = window.panels().compare();
    QSignalSpy shown(&compared, &ComparePanel::compared);
    compared.compare({path("a"), path("b")});
    QTRY_COMPARE(shown.count(), 1);
    for (const char* run : {"a", "b"})
        std::filesystem::remove_all(path(run));  // what is gone cannot be queued
    compared.repeatButton().click();
    QCOMPARE(window.queue().rowCount(), 0);
    QCoreApplication::processEvents();  // what the queue tells behind it
    makeRun(path("b-again"), 0);
    compared.takeRepeat(QString::fromStdString(path("b-again").string()));
    QVERIFY(!QTest::qWaitFor([&] { return compared.runs().size() != 2; }, 100));
}

void CompareTest::pastedTimingsHaveNoSpeedBesideRuns() {
    RunFolder::open(path("a")).write(run_file::timings, nlohmann::json(measured).dump());
    compare({path("a"), path("b")});
    m_panel->paste(QString::fromStdString(formatTimingSummary(measured)));
    QCOMPARE(cell(2, "speed"), QStringLiteral("–"));
    QCOMPARE(cell(2, "verdict"), QStringLiteral("–"));
}

void CompareTest::whatIsSelectedIsCopied() {
    for (const char* run : {"a", "b"})
        RunFolder::open(path(run)).write(run_file::timings, nlohmann::json(measured).dump());
    compare({path("a"), path("b"), path("c")});
    ComparisonTables& tables = m_panel->tables();
    QSignalSpy noted(&tables, &ComparisonTables::noted);
    const auto blocks = [] {
        return QGuiApplication::clipboard()->text().count(QLatin1String("TIMING SUMMARY"));
    };
    tables.copySummaries();
    QCOMPARE(blocks(), 2);
    tables.timingTable().selectRow(1);
    tables.copySummaries();
    QCOMPARE(blocks(), 1);
    QVERIFY(QGuiApplication::clipboard()->text().contains(QLatin1String("TIMING SUMMARY (b)\n")));
    tables.copyBest();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QLatin1String("| video")));
    QCOMPARE(QGuiApplication::clipboard()->text().count(QLatin1Char('\n')), 3);  // head, rule, one run
    tables.timingTable().selectRow(2);                                           // without timings
    const QString before = QGuiApplication::clipboard()->text();
    tables.copySummaries();
    QCOMPARE(QGuiApplication::clipboard()->text(), before);
    QCOMPARE(noted.count(), 4);
    QVERIFY(noted.last().first().toString().contains(QLatin1String("finished")));
    QCOMPARE(tables.timingTable().actions().size(), 5);  // both copies, the baseline, order and columns
}

void CompareTest::namesAreCutToWhereTheyDiffer() {
    makeRun(path("20261122-150944-ring-2d"), 1);
    makeRun(path("20261122-150912-ring-2d"), 2);
    makeRun(path("20261122-150830-ulysses"), 3);
    compare(
        {path("20261122-150944-ring-2d"), path("20261122-150912-ring-2d"), path("20261122-150830-ulysses")});
    const QStringList names{QStringLiteral("ring-2d 15:09:44"), QStringLiteral("ring-2d 15:09:12"),
                            QStringLiteral("ulysses")};
    const QString whole = QStringLiteral("20261122-150830-ulysses");
    const QAbstractItemModel& differences = m_panel->tables().differences();
    QStringList headers;
    QStringList rows;
    for (int run = 0; run < 3; ++run) {
        headers += differences.headerData(run, Qt::Horizontal).toString();
        rows += cell(run, "run");
    }
    QCOMPARE(headers, names);
    QCOMPARE(rows, names);
    QCOMPARE(differences.headerData(2, Qt::Horizontal, Qt::ToolTipRole).toString(), whole);
    QCOMPARE(m_panel->tables().timings().index(2, 0).data(Qt::ToolTipRole).toString(), whole);
    m_panel->resize(900, 600);
    m_panel->show();
    m_panel->showKind(ChartKind::Steps);
    const QLegend& legend = *m_panel->findChild<QChartView*>()->chart()->legend();
    QStringList markers;
    for (const QLegendMarker* marker : legend.markers())
        if (marker->isVisible())
            markers += marker->label();
    QCOMPARE(markers, names);
    QVERIFY(legend.toolTip().contains(whole));
    const std::filesystem::path file = path("steps.csv");
    m_panel->exportTo(file);
    QVERIFY(readFile(file).find(whole.toStdString()) != std::string::npos);
}

void CompareTest::projectFilesAreCompared() {
    const QString one = projectFile("one.yaml", 4);
    const QString two = projectFile("two.yaml", 6);
    QSignalSpy compared(m_panel.get(), &ComparePanel::compared);
    m_panel->add({one});
    QTRY_COMPARE(compared.count(), 1);
    QVERIFY(m_panel->obstacle().contains(QLatin1String("another project")));
    m_panel->add({two});
    QTRY_COMPARE(compared.count(), 2);
    const QAbstractItemModel& differences = m_panel->tables().differences();
    QCOMPARE(differences.rowCount(), 1);
    QCOMPARE(differences.columnCount(), 2);
    QCOMPARE(differences.index(0, 1).data().toString(), QStringLiteral("6"));
    QCOMPARE(differences.headerData(0, Qt::Horizontal).toString(), QStringLiteral("one.yaml"));
    QCOMPARE(differences.headerData(0, Qt::Horizontal, Qt::ToolTipRole).toString(), one);
    QVERIFY(m_panel->obstacle().contains(QLatin1String("no timings")));
    QCOMPARE(m_panel->tables().currentWidget(), m_panel->tables().widget(1));
    projectFile("one.yaml", 6);
    m_panel->add({one});  // as it is now
    QTRY_COMPARE(compared.count(), 3);
    QCOMPARE(differences.columnCount(), 2);
    QCOMPARE(differences.rowCount(), 0);
    QVERIFY(m_panel->obstacle().contains(QLatin1String("same settings")));
    writeFileAtomically(path("bad.yaml"), "prompt: a ball\nwidth: wide\n");
    QSignalSpy wentWrong(m_panel.get(), &ComparePanel::wentWrong);
    m_panel->add({m_folder->filePath(QStringLiteral("bad.yaml"))});
    QTRY_COMPARE(wentWrong.count(), 1);
    compare({path("a")});
    QCOMPARE(differences.columnCount(), 3);
    QCOMPARE(m_panel->tables().currentWidget(), &m_panel->tables().timingTable());
    QVERIFY2(m_panel->obstacle().isEmpty(), qPrintable(m_panel->obstacle()));
}

void CompareTest::runsAndProjectsAreDropped() {
    const auto tensorData = [](QMimeData& data, const QStringList& paths) {
        QList<QUrl> urls;
        for (const QString& dropped : paths)
            urls += QUrl::fromLocalFile(dropped);
        data.setUrls(urls);
    };
    const QStringList paths{m_folder->filePath(QStringLiteral("a")), projectFile("p.yaml", 4)};
    QMimeData data;
    tensorData(data, paths);
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_panel.get(), &enter);
    QVERIFY(enter.isAccepted());
    QSignalSpy compared(m_panel.get(), &ComparePanel::compared);
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_panel.get(), &drop);
    QTRY_COMPARE(compared.count(), 1);
    QCOMPARE(m_panel->runs().size(), 1U);
    QCOMPARE(m_panel->tables().differences().columnCount(), 2);

    // Pictures are for the window.
    const QString picture = m_folder->filePath(QStringLiteral("p.png"));
    QImage(8, 8, QImage::Format_RGB888).save(picture);
    QMimeData pictures;
    tensorData(pictures, {picture});
    QDragEnterEvent other(QPoint(10, 10), Qt::CopyAction, &pictures, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_panel.get(), &other);
    QVERIFY(!other.isAccepted());
}

void CompareTest::theOpenProjectIsComparedWithARun() {
    qputenv("MESHREEL_RUNS", m_folder->path().toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder->filePath(QStringLiteral("set")));
    MainWindow window;
    window.document().load(projectFile("mine.yaml", 4).toStdString());
    ComparePanel& compare = window.panels().compare();
    QSignalSpy compared(&compare, &ComparePanel::compared);
    emit window.panels().history().compareWithProjectRequested({m_folder->filePath(QStringLiteral("a"))});
    QTRY_COMPARE(compared.count(), 1);
    const QAbstractItemModel& differences = compare.tables().differences();
    QCOMPARE(differences.columnCount(), 2);
    QCOMPARE(differences.headerData(1, Qt::Horizontal).toString(), QStringLiteral("mine.yaml (open)"));
    const auto steps = [&] {
        for (int row = 0; row < differences.rowCount(); ++row)
            if (differences.headerData(row, Qt::Vertical).toString() == QLatin1String("Steps"))
                return differences.index(row, 1).data().toString();
        return QString();
    };
    QCOMPARE(steps(), QStringLiteral("4"));
    // Asked again, as it is then.
    window.document().load(projectFile("mine.yaml", 9).toStdString());
    emit compare.openProjectRequested();
    QCOMPARE(differences.columnCount(), 2);
    QCOMPARE(steps(), QStringLiteral("9"));
}

void CompareTest::runsAreCopiedFromTheirTable() {
    qputenv("MESHREEL_RUNS", m_folder->path().toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder->filePath(QStringLiteral("set")));
    RunFolder::open(path("b")).write(run_file::timings, nlohmann::json(measured).dump());
    MainWindow window;
    HistoryPanel& history = window.panels().history();
    QTRY_COMPARE(history.table().model()->rowCount(), 3);
    history.table().selectAll();
    const auto trigger = [&](const QString& text) {
        for (QAction* action : history.table().actions())
            if (action->text() == text)
                action->trigger();
    };
    QGuiApplication::clipboard()->clear();
    trigger(QStringLiteral("Copy timing summaries"));
    QTRY_VERIFY(QGuiApplication::clipboard()->text().contains(QLatin1String("TIMING SUMMARY (b)\n")));
    QTRY_VERIFY(window.banner().text().contains(QLatin1String("Copied 1")));
    trigger(QStringLiteral("Copy best configurations"));
    QTRY_VERIFY(QGuiApplication::clipboard()->text().startsWith(QLatin1String("| video")));
}

void CompareTest::chartsOfOneRunOfferAChoice() {
    compare({path("a"), path("b"), path("c")});
    m_panel->showKind(ChartKind::Steps);
    QVERIFY(m_panel->chartView().logarithmic()->isEnabled());
    QVERIFY(m_panel->choice().isHidden());
    m_panel->showKind(ChartKind::Lanes);
    QVERIFY2(m_panel->obstacle().contains(QLatin1String("devices")), qPrintable(m_panel->obstacle()));
    QVERIFY2(!m_panel->obstacle().contains(QLatin1String("folder")), qPrintable(m_panel->obstacle()));
    QVERIFY2(!m_panel->chartView().logarithmic()->isEnabled(), "there is no chart");

    for (const char* run : {"b", "c"})
        RunFolder::open(path(run)).writeDeviceTimes(
            {{.step = 0, .devices = std::vector<DeviceTime>(run[0] == 'b' ? 2 : 3, {.computing = 1})}});
    compare({path("a"), path("b"), path("c")});
    const auto lanes = [&] {
        return m_panel->chartView().chart()->axes(Qt::Vertical).constFirst()->property("max").toDouble();
    };
    QVERIFY2(m_panel->obstacle().isEmpty(), qPrintable(m_panel->obstacle()));
    RunChoice& choice = m_panel->choice();
    QVERIFY(!choice.isHidden());
    QCOMPARE(choice.count(), 2);
    QCOMPARE(choice.currentText(), QStringLiteral("b"));
    QCOMPARE(lanes(), 2.0);
    choice.setFocus();
    QTest::keyClick(&choice, Qt::Key_Down);
    QCOMPARE(lanes(), 3.0);
    m_panel->tables().timingTable().selectRow(1);
    QCOMPARE(choice.currentText(), QStringLiteral("b"));
    QCOMPARE(lanes(), 2.0);
    m_panel->tables().timingTable().selectRow(0);  // which recorded nothing
    QCOMPARE(lanes(), 2.0);
    m_panel->tables().timingTable().selectRow(2);
    m_panel->showKind(ChartKind::Steps);
    QVERIFY(choice.isHidden());
    m_panel->showKind(ChartKind::Lanes);
    QCOMPARE(lanes(), 3.0);
}

void CompareTest::blockSizesOfferWhatBelongsTogether() {
    compare({path("a"), path("b"), path("c")});
    m_panel->showKind(ChartKind::Tiles);
    QVERIFY2(m_panel->obstacle().isEmpty(), qPrintable(m_panel->obstacle()));
    QVERIFY(m_panel->choice().isHidden());
    Project taller;
    taller.prompt = "a ball";
    taller.height += 32;
    RunFolder::open(path("c")).write(run_file::project, resolvedYaml(taller));
    compare({path("a"), path("b"), path("c")});
    QVERIFY2(m_panel->obstacle().isEmpty(), qPrintable(m_panel->obstacle()));
    QCOMPARE(m_panel->choice().count(), 2);
    QCOMPARE(m_panel->choice().itemText(0), QStringLiteral("a and 1 more"));
    QCOMPARE(m_panel->choice().itemText(1), QStringLiteral("c"));
    QCOMPARE(m_panel->choice().shown().size(), 2U);
    m_panel->tables().timingTable().selectRow(2);
    QCOMPARE(m_panel->choice().shown().front().name, std::string("c"));
}

void CompareTest::longNamesLeaveRoomForFigures() {
    const std::string name(120, 'n');
    makeRun(path(name.c_str()), 1);
    compare({path(name.c_str()), path("b")});
    const QTableView& table = m_panel->tables().timingTable();
    const int run = m_panel->tables().timings().findColumn("run");
    QVERIFY(table.columnWidth(run) < table.fontMetrics().averageCharWidth() * 40);
    QVERIFY(table.columnWidth(run) > table.fontMetrics().averageCharWidth() * 20);
    QCOMPARE(table.textElideMode(), Qt::ElideMiddle);
}

MESHREEL_TEST_CLASS(CompareTest)
#include "compare_test.moc"
