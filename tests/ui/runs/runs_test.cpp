// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the past: the table over their folders, searching, notes, and comparing them.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>
#include <QSignalSpy>
#include <QStorageInfo>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QWheelEvent>
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/video_writer.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "tests/support/studio/answered.h"
#include "ui/charts/chart_view.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/compare_panel.h"
#include "ui/compare/comparison_tables.h"
#include "ui/report/report_export.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/run_history_model.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/main_window.h"

using namespace meshreel;
using meshreel::testing::answered;
using meshreel::testing::makeRun;

namespace {

constexpr int madeRuns = 4;

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
    void columnsTellWhatWasMade();
    void settingsWithoutAValueAreLeftOut();
    void columnsAreChosenAndKept();
    void keyboardSortsTheTable();
    void readingAgainKeepsSelectionAndEdits();
    void runsOfEarlierVersionsTellLess();
    void runsAreMovedToTheTrash();
    void runsStayWhereThereIsNoTrash();
    void emptyStateSaysWhatToDo();
    void runsAreCompared();
    void comparisonsBecomeReports();
    void missingRunsAreExplained();
    void everyPromptOfABatchIsFound();
    void damagedRunsAreShownWithWhatIsWrong_data();
    void damagedRunsAreShownWithWhatIsWrong();
    void pastedTimingsAreCompared();
    void videosArePlayedInStep();
    void besideEachOtherVideosZoomAboutThePointer();
    void videosOfTwoSizesAreNotMeasured();
    void videosOfTwoLengthsSayWhatIsCompared();
    void videosTakeTheRoomOfTheTables();

  private:
    [[nodiscard]] std::filesystem::path runPath(int number) const {
        return m_folder->filePath(QStringLiteral("run%1").arg(number)).toStdString();
    }

    /// An entry of a menu in the menu of the table, which the keyboard opens.
    void choose(const QString& menu, const QString& entry);

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
    const QAbstractItemModelTester shownTester(m_panel->table().model(),
                                               QAbstractItemModelTester::FailureReportingMode::QtTest);
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

void RunsTest::columnsTellWhatWasMade() {
    const QModelIndex row = m_model->indexOf(QString::fromStdString(runPath(2).string()));
    const auto text = [&](int column) { return row.siblingAtColumn(column).data().toString(); };
    QCOMPARE(text(RunHistoryModel::Status), QStringLiteral("Done"));
    QCOMPARE(text(RunHistoryModel::StepSeconds), QStringLiteral("1.500"));
    QCOMPARE(text(RunHistoryModel::Size), QStringLiteral("48×16×5"));
    QCOMPARE(text(RunHistoryModel::Model), QStringLiteral("wan-small"));
    QCOMPARE(text(RunHistoryModel::Attention), QStringLiteral("ulysses"));
    QCOMPARE(text(RunHistoryModel::Devices), QStringLiteral("3"));
    QCOMPARE(text(RunHistoryModel::Mesh), QStringLiteral("context 3"));
    QCOMPARE(text(RunHistoryModel::Seed), QStringLiteral("2"));
    QCOMPARE(text(RunHistoryModel::Differs), QString());  // steps and seeds have columns of their own
    RunState state = RunFolder::open(runPath(2)).state();
    state.settings = {"seed=2", "guidance_scale=3.0", "attention=ulysses"};
    RunFolder::open(runPath(2)).writeState(state);
    m_model->setRuns(listRuns(m_folder->path().toStdString()));
    QVERIFY2(text(RunHistoryModel::Differs).contains(QStringLiteral("3.0")),
             qPrintable(text(RunHistoryModel::Differs)));
    QVERIFY(text(RunHistoryModel::Differs).endsWith(QStringLiteral("ulysses")));
    QVERIFY(text(RunHistoryModel::Started).contains(QStringLiteral(":00:00")));
    QLocale::setDefault(QLocale(QLocale::German));
    QCOMPARE(momentText(QDateTime(QDate(2026, 11, 27), QTime(8, 5, 9))), QStringLiteral("27.11.26 08:05:09"));
    QLocale::setDefault(QLocale::c());
    QCOMPARE(momentText(QDateTime(QDate(2026, 11, 27), QTime(8, 5, 9))),
             QStringLiteral("27 Nov 2026 08:05:09"));
    const QAbstractItemModel& shown = *m_panel->table().model();
    for (const int column : {RunHistoryModel::StepSeconds, RunHistoryModel::Size, RunHistoryModel::Devices,
                             RunHistoryModel::Mesh, RunHistoryModel::Seed}) {
        m_panel->table().sortByColumn(column, Qt::DescendingOrder);
        QCOMPARE(shown.index(0, RunHistoryModel::Run).data().toString(), QStringLiteral("ball number 3"));
        m_panel->table().sortByColumn(column, Qt::AscendingOrder);
        QCOMPARE(shown.index(0, RunHistoryModel::Run).data().toString(), QStringLiteral("ball number 0"));
    }
}

void RunsTest::choose(const QString& menu, const QString& entry) {
    const auto click = [](const QList<QAction*>& actions, const QString& title) {
        const auto found =
            std::ranges::find_if(actions, [&](const QAction* action) { return action->text() == title; });
        QVERIFY2(found != actions.end(), qPrintable(title));
        if ((*found)->menu() != nullptr)
            emit(*found)->menu()->aboutToShow();
        else
            (*found)->trigger();
    };
    QCOMPARE(m_panel->table().contextMenuPolicy(), Qt::ActionsContextMenu);
    const QList<QAction*> actions = m_panel->table().actions();
    click(actions, menu);
    for (const QAction* action : actions)
        if (action->text() == menu)
            click(action->menu()->actions(), entry);
}

void RunsTest::keyboardSortsTheTable() {
    const QHeaderView& header = *m_panel->table().header();
    choose(QStringLiteral("Sort by"), QStringLiteral("Duration"));
    QCOMPARE(header.sortIndicatorSection(), static_cast<int>(RunHistoryModel::Duration));
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        choose(QStringLiteral("Sort by"),
               order == Qt::AscendingOrder ? QStringLiteral("Ascending") : QStringLiteral("Descending"));
        QCOMPARE(header.sortIndicatorOrder(), order);
        const QAbstractItemModel& rows = *m_panel->table().model();
        const auto key = [&rows](int row) {
            return rows.index(row, RunHistoryModel::Duration).data(RunHistoryModel::SortRole).toDouble();
        };
        for (int row = 1; row < rows.rowCount(); ++row)
            QVERIFY(order == Qt::AscendingOrder ? key(row - 1) <= key(row) : key(row - 1) >= key(row));
    }
}

void RunsTest::settingsWithoutAValueAreLeftOut() {
    RunState state = RunFolder::open(runPath(2)).state();
    state.settings = {"seed=2", "attention", "guidance_scale=3.0"};
    RunFolder::open(runPath(2)).writeState(state);
    m_model->setRuns(listRuns(m_folder->path().toStdString()));
    const QString told = m_model->indexOf(QString::fromStdString(runPath(2).string()))
                             .siblingAtColumn(RunHistoryModel::Differs)
                             .data()
                             .toString();
    QVERIFY2(told.endsWith(QLatin1String("3.0")) && !told.contains(QLatin1Char(',')), qPrintable(told));
}

void RunsTest::columnsAreChosenAndKept() {
    QHeaderView& header = *m_panel->table().header();
    QVERIFY(header.isSectionHidden(RunHistoryModel::Attention));
    const auto click = [this](const QString& title) { choose(QStringLiteral("Columns"), title); };
    click(QStringLiteral("Attention"));
    click(QStringLiteral("Note"));
    QVERIFY(!header.isSectionHidden(RunHistoryModel::Attention));
    QVERIFY(header.isSectionHidden(RunHistoryModel::Note));
    m_panel->table().sortByColumn(RunHistoryModel::Attention, Qt::AscendingOrder);

    HistoryPanel later(*m_model);
    later.setColumns(m_panel->columns());
    QVERIFY(!later.table().isColumnHidden(RunHistoryModel::Attention));
    QVERIFY(later.table().isColumnHidden(RunHistoryModel::Note));
    QCOMPARE(later.table().header()->sortIndicatorSection(), static_cast<int>(RunHistoryModel::Attention));
    click(QStringLiteral("Reset columns"));
    QVERIFY(header.isSectionHidden(RunHistoryModel::Attention));
    QVERIFY(!header.isSectionHidden(RunHistoryModel::Note));
}

void RunsTest::readingAgainKeepsSelectionAndEdits() {
    const QAbstractItemModelTester tester(m_model.get(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTreeView& table = m_panel->table();
    const auto shownRow = [&](int number) {
        const QModelIndexList found =
            table.model()->match(table.model()->index(0, 0), RunHistoryModel::FolderRole,
                                 QString::fromStdString(runPath(number).string()), 1, Qt::MatchExactly);
        return found.isEmpty() ? QModelIndex() : found.first();
    };
    table.setCurrentIndex(shownRow(2).siblingAtColumn(RunHistoryModel::Note));
    table.selectionModel()->select(shownRow(1), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    table.edit(table.currentIndex());
    auto* editor = table.viewport()->findChild<QLineEdit*>();
    QVERIFY(editor != nullptr);
    QTest::keyClicks(editor, QStringLiteral("half a sen"));
    const QStringList selected = m_panel->selectedFolders();
    QCOMPARE(selected.size(), 2);

    // Another run ends, one comes, one goes; the run being written about gets on.
    makeRun(runPath(5), 5);
    std::filesystem::remove_all(runPath(0));
    RunFolder::open(runPath(2)).writeSteps({{.step = 0, .seconds = 7}});
    QSignalSpy resets(m_model.get(), &QAbstractItemModel::modelReset);
    QSignalSpy changes(m_model.get(), &QAbstractItemModel::dataChanged);
    m_model->setRuns(listRuns(m_folder->path().toStdString()));
    m_panel->offer(QString::fromStdString(runPath(5).string()));
    QCOMPARE(resets.count(), 0);
    QCOMPARE(changes.count(), 1);
    QCOMPARE(table.model()->rowCount(), madeRuns);
    QVERIFY(!shownRow(0).isValid());
    QVERIFY(shownRow(5).isValid());
    QCOMPARE(shownRow(2).siblingAtColumn(RunHistoryModel::StepSeconds).data().toString(),
             QStringLiteral("7.000"));
    QCOMPARE(m_panel->selectedFolders(), selected);
    QCOMPARE(table.viewport()->findChild<QLineEdit*>(), editor);
    QCOMPARE(editor->text(), QStringLiteral("half a sen"));
    QTest::keyClicks(editor, QStringLiteral("tence"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(readRunNotes(runPath(2)).note, std::string("half a sentence"));

    // Nobody is at work any more.
    m_panel->select(selected.first());
    m_panel->offer(QString::fromStdString(runPath(5).string()));
    QCOMPARE(m_panel->selectedFolder(), QString::fromStdString(runPath(5).string()));
    changes.clear();
    m_model->setRuns(listRuns(m_folder->path().toStdString()));
    QCOMPARE(changes.count(), 0);
}

void RunsTest::runsOfEarlierVersionsTellLess() {
    const RunFolder run = RunFolder::open(runPath(1));
    RunState state = run.state();
    state.outline.reset();
    run.writeState(state);
    m_model->setRuns(listRuns(m_folder->path().toStdString()));
    const QModelIndex row = m_model->indexOf(QString::fromStdString(runPath(1).string()));
    QVERIFY(row.siblingAtColumn(RunHistoryModel::Model).data().toString().isEmpty());
    QVERIFY(row.siblingAtColumn(RunHistoryModel::Mesh).data().toString().isEmpty());
    QCOMPARE(row.siblingAtColumn(RunHistoryModel::StepSeconds).data().toString(), QStringLiteral("1.000"));
}

void RunsTest::runsAreMovedToTheTrash() {
    const QTemporaryDir home;
    const std::filesystem::path data = home.path().toStdString();
    qputenv("XDG_DATA_HOME", home.path().toLocal8Bit());
    qputenv("MESHREEL_RUNS", home.filePath(QStringLiteral("runs")).toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, home.filePath(QStringLiteral("set")));
    for (int number = 0; number < madeRuns; ++number)
        makeRun(data / "runs" / ("run" + std::to_string(number)), number);
    MainWindow window;
    window.show();
    const HistoryPanel& panel = window.panels().history();
    QTreeView& table = panel.table();
    QTRY_COMPARE(table.model()->rowCount(), madeRuns);
    const QList<QAction*> actions = table.actions();
    const auto trash = std::ranges::find_if(
        actions, [](const QAction* action) { return action->shortcut() == QKeySequence(Qt::Key_Delete); });
    QVERIFY(trash != actions.end());
    QVERIFY(!(*trash)->isEnabled());
    for (const int row : {0, 2})  // the runs 3 and 1
        table.selectionModel()->select(table.model()->index(row, 0),
                                       QItemSelectionModel::Select | QItemSelectionModel::Rows);
    QVERIFY((*trash)->isEnabled());
    QCOMPARE(answered(QMessageBox::RejectRole, [&] { (*trash)->trigger(); }),
             QStringLiteral("Move 2 runs to the trash?"));
    QVERIFY(std::filesystem::exists(data / "runs/run1"));
    (void)answered(QMessageBox::AcceptRole, [&] { (*trash)->trigger(); });
    QTRY_COMPARE(table.model()->rowCount(), madeRuns - 2);
    for (const char* run : {"run1", "run3"}) {
        QVERIFY(!std::filesystem::exists(data / "runs" / run));
        QVERIFY(std::filesystem::exists(data / "Trash/files" / run / run_file::status));
        // Where file managers restore it to.
        const std::string from = readFile(data / "Trash/info" / (std::string(run) + ".trashinfo"));
        QVERIFY2(from.find("Path=" + (data / "runs" / run).string() + "\n") != std::string::npos,
                 from.c_str());
    }
    QVERIFY(std::filesystem::exists(data / "runs/run0"));
    QVERIFY2(window.banner().text().contains(QLatin1Char('2')), qPrintable(window.banner().text()));

    // One that a program took up since the question was asked stays.
    RunFolder atWork = RunFolder::open(data / "runs/run0");
    atWork.lock();
    (void)answered(QMessageBox::AcceptRole, [&] {
        emit window.panels().history().trashRequested({QString::fromStdString(atWork.path().string())});
    });
    QVERIFY2(window.banner().text().contains(QLatin1String("run0")), qPrintable(window.banner().text()));
    QVERIFY(std::filesystem::exists(atWork.path()));
}

void RunsTest::runsStayWhereThereIsNoTrash() {
    const QTemporaryDir home;
    if (QStorageInfo(home.path()) != QStorageInfo(QDir::homePath()))
        QSKIP("Here temporary files have a trash on their own volume");
    const std::filesystem::path data = home.path().toStdString();
    qputenv("XDG_DATA_HOME", home.path().toLocal8Bit());
    qputenv("MESHREEL_RUNS", home.filePath(QStringLiteral("runs")).toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, home.filePath(QStringLiteral("set")));
    writeFileAtomically(data / "Trash", "a file where the folder would have to be");
    for (int number = 0; number < 2; ++number)
        makeRun(data / "runs" / ("run" + std::to_string(number)), number);
    MainWindow window;
    window.show();
    const HistoryPanel& panel = window.panels().history();
    QTRY_COMPARE(panel.table().model()->rowCount(), 2);
    const QString run = QString::fromStdString((data / "runs/run1").string());
    (void)answered(QMessageBox::AcceptRole, [&] { emit window.panels().history().trashRequested({run}); });
    QVERIFY(window.banner().isVisible());
    const QString told = window.banner().text();
    QVERIFY2(told.contains(QLatin1String("run1")) && !told.contains(QLatin1String("run0")), qPrintable(told));
    QVERIFY2(told.contains(QLatin1String("Show folder")), "the fix");
    QVERIFY(std::filesystem::exists(data / "runs/run1" / run_file::status));
    QVERIFY2(!QFileInfo::exists(QStringLiteral("files")) && !QFileInfo::exists(QStringLiteral("info")),
             "nothing is left in the working directory");
    QVERIFY2(!QTest::qWaitFor([&panel] { return panel.table().model()->rowCount() != 2; }, 100),
             "it is read anew");
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
    const QAbstractItemModel& differences = panel.tables().differences();
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
    panel.tables().copyBest();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QLatin1String("| video")));
}

void RunsTest::missingRunsAreExplained() {
    ComparePanel panel;
    QSignalSpy wentWrong(&panel, &ComparePanel::wentWrong);
    panel.compare({runPath(99)});
    QTRY_COMPARE(wentWrong.count(), 1);
}

void RunsTest::everyPromptOfABatchIsFound() {
    const RunFolder run = RunFolder::open(runPath(1));
    RunState state = run.state();
    state.batchPrompts = {"a green star", "a blue fox"};
    run.writeState(state);
    QCOMPARE(run.state().batchPrompts, state.batchPrompts);
    m_model->setRuns(listRuns(m_folder->path().toStdString()));
    const QAbstractItemModel& shown = *m_panel->table().model();
    for (const char* word : {"green star", "blue fox"}) {
        m_panel->search().setText(QLatin1String(word));
        QCOMPARE(shown.rowCount(), 1);
        QVERIFY(shown.index(0, RunHistoryModel::Run).data().toString().contains(QLatin1String(word)));
    }
}

void RunsTest::damagedRunsAreShownWithWhatIsWrong_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("damage");
    for (const char* file : {"status.json", "project.yaml", "environment.json", "steps.csv", "devices.csv",
                             "timings.json", "trace.json", "notes.json", "preview.png", "summary.txt"})
        for (const char* damage : {"gone", "empty", "cut", "zeroed"})
            QTest::addRow("%s %s", file, damage) << QString::fromLatin1(file) << QString::fromLatin1(damage);
}

void RunsTest::damagedRunsAreShownWithWhatIsWrong() {
    QFETCH(QString, file);
    QFETCH(QString, damage);
    const RunFolder run = RunFolder::open(runPath(1));
    run.write(run_file::timings, nlohmann::json(TimingSummary{.load = 1, .inference = 2}).dump());
    writeRunNotes(runPath(1), {.tags = {"best"}, .note = "it bounces"});
    const std::filesystem::path damaged = runPath(1) / file.toStdString();
    std::string bytes = std::filesystem::exists(damaged) ? readFile(damaged) : std::string(64, 'x');
    if (damage == QLatin1String("empty"))
        bytes.clear();
    else if (damage == QLatin1String("cut"))
        bytes.resize(bytes.size() / 2);
    else
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end(), '\0');
    if (damage == QLatin1String("gone"))
        std::filesystem::remove(damaged);
    else
        writeFileAtomically(damaged, bytes);

    m_model->setRuns(listRuns(m_folder->path().toStdString()));
    QCOMPARE(m_panel->table().model()->rowCount(), madeRuns);
    const QModelIndex row = m_model->indexOf(QString::fromStdString(runPath(1).string()));
    QVERIFY(row.isValid());
    for (int column = 0; column < RunHistoryModel::ColumnCount; ++column)
        row.siblingAtColumn(column).data();
    const RunSummary& summary = m_model->run(row);
    if (file == QLatin1String("status.json") ||
        (file == QLatin1String("project.yaml") && damage == QLatin1String("gone")))
        QVERIFY(!summary.problem.empty());
    const std::string said = summary.problem.text();
    QVERIFY2(said.find("download") == std::string::npos, said.c_str());
    m_panel->select(QString::fromStdString(runPath(1).string()));
    ComparePanel compare;
    QSignalSpy compared(&compare, &ComparePanel::compared);
    compare.compare({runPath(0), runPath(1), runPath(2)});
    QTRY_COMPARE(compared.count(), 1);  // of those that can be read
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

void RunsTest::besideEachOtherVideosZoomAboutThePointer() {
    QImage ramp(256, 256, QImage::Format_RGB32);
    for (int x = 0; x < ramp.width(); ++x)
        for (int y = 0; y < ramp.height(); ++y)
            ramp.setPixelColor(x, y, QColor(x, y, 0));
    for (const int at : {40, 200, 450, 560}) {
        ClipPairView view;
        view.resize(604, 300);
        view.show();
        view.setPictures(ramp, ramp, {});
        const QPoint pointer(at, 60);
        const auto shown = [&] { return view.grab().toImage().pixelColor(pointer); };
        const QColor before = shown();
        for (int notch = 0; notch < 4; ++notch) {
            QWheelEvent wheel(pointer, view.mapToGlobal(pointer), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&view, &wheel);
        }
        const QColor after = shown();
        QVERIFY2(std::abs(after.red() - before.red()) <= 2 && std::abs(after.green() - before.green()) <= 2,
                 qPrintable(QStringLiteral("%1: %2, %3").arg(at).arg(before.name(), after.name())));
    }
}

void RunsTest::videosOfTwoSizesAreNotMeasured() {
    makeVideo(runPath(0), 16, 3, 100);
    makeVideo(runPath(1), 32, 2, 100);
    ClipComparer comparer;
    comparer.show();
    QSignalSpy shown(&comparer, &ClipComparer::shown);
    comparer.setRuns({{QStringLiteral("a"), runPath(0)}, {QStringLiteral("b"), runPath(1)}});
    QTRY_COMPARE(shown.count(), 1);
    const QString sizes = comparer.likeness();
    QVERIFY2(!sizes.isEmpty() && !sizes.contains(QLatin1String("PSNR")), qPrintable(sizes));
    comparer.setRuns({{QStringLiteral("a"), runPath(0)}, {QStringLiteral("no video"), runPath(3)}});
    QTRY_COMPARE(shown.count(), 2);
    QVERIFY2(comparer.likeness().contains(QLatin1String("no video")), qPrintable(comparer.likeness()));
}

void RunsTest::videosOfTwoLengthsSayWhatIsCompared() {
    makeVideo(runPath(0), 16, 3, 100);
    makeVideo(runPath(1), 16, 5, 110);
    const RunFolder faster = RunFolder::open(runPath(1));
    Project project = faster.project();
    project.fps = 2 * Project().fps;
    faster.write(run_file::project, resolvedYaml(project));
    ClipComparer comparer;
    comparer.show();
    QSignalSpy shown(&comparer, &ClipComparer::shown);
    comparer.setRuns({{QStringLiteral("a"), runPath(0)}, {QStringLiteral("b"), runPath(1)}});
    QTRY_COMPARE(shown.count(), 1);
    const QString words = comparer.likeness();
    QVERIFY2(words.contains(QLatin1String("PSNR")), qPrintable(words));
    QVERIFY2(!words.contains(QLatin1String("whole")), qPrintable(words));
    QVERIFY2(words.contains(QLatin1String("3 and 5 frames")), qPrintable(words));
    QVERIFY2(words.contains(QLatin1String("16")) && words.contains(QLatin1String("32")), qPrintable(words));
    QCOMPARE(comparer.playback().length(), 3);
}

void RunsTest::videosTakeTheRoomOfTheTables() {
    for (const int run : {0, 1})
        makeVideo(runPath(run), 16, 3, 100);
    ComparePanel panel;
    panel.resize(780, 380);  // of the window's first size
    panel.show();
    QSignalSpy compared(&panel, &ComparePanel::compared);
    panel.compare({runPath(0), runPath(1)});
    QTRY_COMPARE(compared.count(), 1);
    const QToolButton* logarithmic = nullptr;
    for (const QToolButton* button : panel.findChildren<QToolButton*>())
        if (button->defaultAction() == panel.chartView().logarithmic())
            logarithmic = button;
    QVERIFY(logarithmic != nullptr && logarithmic->isVisible());
    const int tables = panel.tables().height();
    panel.showVideos();
    QVERIFY(!logarithmic->isVisible());
    QTRY_VERIFY(panel.tables().height() < tables);
    constexpr int worthLookingAt = 180;
    QVERIFY2(panel.videos().view().height() >= worthLookingAt,
             qPrintable(QString::number(panel.videos().view().height())));
    panel.showKind(ChartKind::Steps);
    QVERIFY(logarithmic->isVisible());
    QTRY_COMPARE(panel.tables().height(), tables);
}

MESHREEL_TEST_CLASS(RunsTest)
#include "runs_test.moc"
