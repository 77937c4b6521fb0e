// SPDX-License-Identifier: GPL-3.0-or-later
// Quality beside seconds: what votes and measures say of the settings of compared runs.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/files.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/run_votes.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/judged_run.h"
#include "ui/charts/chart_view.h"
#include "ui/compare/compare_panel.h"
#include "ui/compare/comparison_tables.h"
#include "ui/compare/quality_page.h"

using namespace meshreel;
using meshreel::testing::makeJudgedRun;

class QualityTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void settingsStandByTheirRanking();
    void withoutVotesThereIsAButton();
    void theChartIsExportedWithItsNumbers();
    void votesOfOthersAreRead();
    void videosAreMeasuredAgainstTheBaseline();
    void measuringIsStopped();
    void measuresAreExplained();
    void groupsAreTold();
    void runsOfOneSettingHaveNoQuality();
    void damagedVotesAreTold();

  private:
    [[nodiscard]] std::filesystem::path path(const char* name) const {
        return m_folder->filePath(QLatin1String(name)).toStdString();
    }
    void compare(const std::vector<std::filesystem::path>& folders);
    [[nodiscard]] QString cell(int row, int column) const {
        return m_panel->tables().quality().model().index(row, column).data().toString();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ComparePanel> m_panel;
};

void QualityTest::init() {
    m_panel = std::make_unique<ComparePanel>();
    m_panel->show();
    m_folder = std::make_unique<QTemporaryDir>();
    makeJudgedRun(path("a"), {.steps = 20, .level = 100, .inference = 10});
    makeJudgedRun(path("b"), {.steps = 30, .level = 110, .inference = 15});
    makeJudgedRun(path("c"), {.prompt = "a cube", .steps = 30, .level = 90, .inference = 18});
}

void QualityTest::compare(const std::vector<std::filesystem::path>& folders) {
    QSignalSpy compared(m_panel.get(), &ComparePanel::compared);
    m_panel->compare(folders);
    QTRY_COMPARE(compared.count(), 1);
}

void QualityTest::settingsStandByTheirRanking() {
    for (int vote = 0; vote < 3; ++vote)
        addVote(path("a"), path("b"), Better::Right);
    const QAbstractItemModelTester tester(m_panel->tables().quality().table().model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    compare({path("a"), path("b"), path("c")});
    QCOMPARE(m_panel->tables().quality().model().rowCount(), 2);
    QCOMPARE(cell(0, QualityModel::Setting), QStringLiteral("Steps: 30"));
    QCOMPARE(cell(1, QualityModel::Setting), QStringLiteral("Steps: 20"));
    QCOMPARE(cell(0, QualityModel::Votes), QStringLiteral("3"));
    QCOMPARE(cell(0, QualityModel::Runs), QStringLiteral("2"));
    QVERIFY(cell(0, QualityModel::Preferred).endsWith(QLatin1Char('%')));
    QVERIFY(cell(0, QualityModel::Preferred) > cell(1, QualityModel::Preferred));
    QCOMPARE(cell(0, QualityModel::Seconds), QStringLiteral("16.5 (15.0 to 18.0)"));
    QCOMPARE(cell(1, QualityModel::Seconds), QStringLiteral("10.0"));
}

void QualityTest::withoutVotesThereIsAButton() {
    compare({path("a"), path("b")});
    m_panel->showKind(ChartKind::Quality);
    QVERIFY2(m_panel->obstacle().contains(QLatin1String("Nobody has voted")),
             qPrintable(m_panel->obstacle()));
    QSignalSpy asked(m_panel.get(), &ComparePanel::rateRequested);
    const QList<QPushButton*> buttons = m_panel->findChildren<QPushButton*>();
    int clicked = 0;
    for (QPushButton* button : buttons)
        if (button->text() == QLatin1String("Rate") && button->isVisible()) {
            button->click();
            ++clicked;
        }
    QVERIFY(clicked > 0);
    QCOMPARE(asked.count(), clicked);
    QCOMPARE(asked.front().front().toStringList().size(), 2);
    m_panel->showKind(ChartKind::Lanes);
    for (const QPushButton* button : buttons)
        if (button->parentWidget() != &m_panel->tables().quality() && button->text() == QLatin1String("Rate"))
            QVERIFY2(!button->isVisible(), "only where votes are what is missing");
}

void QualityTest::theChartIsExportedWithItsNumbers() {
    addVote(path("a"), path("b"), Better::Right);
    compare({path("a"), path("b"), path("c")});
    m_panel->showKind(ChartKind::Quality);
    QVERIFY2(m_panel->obstacle().isEmpty(), qPrintable(m_panel->obstacle()));
    m_panel->exportTo(path("quality.json"));
    const nlohmann::json numbers = nlohmann::json::parse(readFile(path("quality.json")));
    QCOMPARE(numbers.size(), 2U);
    QCOMPARE(numbers[0]["setting"].get<std::string>(), std::string("num_inference_steps 30"));
    QVERIFY(numbers[0]["low"] < numbers[0]["preferred"]);
    QVERIFY(numbers[0]["preferred"] < numbers[0]["high"]);
    QCOMPARE(numbers[0]["inference_s"].get<double>(), 16.5);
    m_panel->exportTo(path("quality.svg"));
    const std::string drawing = readFile(path("quality.svg"));
    QVERIFY2(drawing.find("Steps: 30") != std::string::npos, "points have their names");
    QVERIFY(drawing.find("Seconds of inference") != std::string::npos);
}

void QualityTest::votesOfOthersAreRead() {
    compare({path("a"), path("b")});
    QCOMPARE(cell(0, QualityModel::Votes), QStringLiteral("0"));
    QCOMPARE(cell(0, QualityModel::Preferred), QStringLiteral("–"));
    addVote(path("a"), path("b"), Better::Left);
    QSignalSpy shown(m_panel.get(), &ComparePanel::ratingsShown);
    m_panel->readVotes();
    QTRY_COMPARE(shown.count(), 1);
    QCOMPARE(cell(0, QualityModel::Votes), QStringLiteral("1"));
    QCOMPARE(cell(0, QualityModel::Setting), QStringLiteral("Steps: 20"));
}

void QualityTest::videosAreMeasuredAgainstTheBaseline() {
    compare({path("a"), path("b"), path("c")});
    QualityPage& page = m_panel->tables().quality();
    const auto measure = [&](int row, std::string_view column) {
        for (std::size_t index = 0; index < measureRows().size(); ++index)
            if (measureRows()[index].column == column)
                return cell(row, QualityModel::FirstMeasure + static_cast<int>(index));
        return QString();
    };
    QCOMPARE(measure(0, "flicker"), QStringLiteral("–"));
    page.measureButton().click();
    QVERIFY(page.isMeasuring());
    QTRY_VERIFY(!page.isMeasuring());
    QCOMPARE(measure(0, "flicker"), QStringLiteral("0.00"));
    QCOMPARE(measure(0, "psnr_db"), QStringLiteral("–"));     // it is the baseline
    QCOMPARE(measure(1, "psnr_db"), QStringLiteral("28.1"));  // 10 levels away
    m_panel->tables().setBaseline(1);
    QCOMPARE(measure(1, "psnr_db"), QStringLiteral("–"));  // it was not measured against that
    page.measureButton().click();
    QTRY_VERIFY(!page.isMeasuring());
    QCOMPARE(measure(0, "psnr_db"), QStringLiteral("28.1"));
}

void QualityTest::measuringIsStopped() {
    compare({path("a"), path("b"), path("c")});
    QualityPage& page = m_panel->tables().quality();
    page.measureButton().click();
    QVERIFY(page.isMeasuring());
    QCOMPARE(page.measureButton().text(), QStringLiteral("Stop"));
    page.measureButton().click();
    QVERIFY(!page.isMeasuring());
    QCOMPARE(page.measureButton().text(), QStringLiteral("Measure videos"));
    page.measureButton().click();  // what was stopped does not end what began since
    QTRY_VERIFY(!page.isMeasuring());
    QVERIFY(cell(0, QualityModel::FirstMeasure) != QStringLiteral("–"));
}

void QualityTest::measuresAreExplained() {
    const QualityModel& model = m_panel->tables().quality().model();
    for (int column = 0; column < model.columnCount(); ++column) {
        const QString title = model.headerData(column, Qt::Horizontal).toString();
        const QString help = model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
        QVERIFY2(!title.isEmpty() && help.size() > title.size(), qPrintable(title));
    }
}

void QualityTest::groupsAreTold() {
    makeJudgedRun(path("d"), {.steps = 40});
    makeJudgedRun(path("e"), {.steps = 50});
    addVote(path("a"), path("b"), Better::Left);
    addVote(path("d"), path("e"), Better::Left);
    compare({path("a"), path("b"), path("d"), path("e")});
    QVERIFY2(m_panel->tables().quality().words().contains(QLatin1String("2 groups")),
             qPrintable(m_panel->tables().quality().words()));
}

void QualityTest::runsOfOneSettingHaveNoQuality() {
    makeJudgedRun(path("again"), {.steps = 20, .seed = 4});
    compare({path("a"), path("again")});
    const int tab = m_panel->tables().indexOf(&m_panel->tables().quality());
    QVERIFY(!m_panel->tables().isTabEnabled(tab));
    QVERIFY(!m_panel->tables().tabToolTip(tab).isEmpty());
    compare({path("a"), path("b")});
    QVERIFY(m_panel->tables().isTabEnabled(tab));
}

void QualityTest::damagedVotesAreTold() {
    writeFileAtomically(path(votesFileName), "{");
    QSignalSpy told(m_panel.get(), &ComparePanel::wentWrong);
    compare({path("a"), path("b")});
    QTRY_COMPARE(told.count(), 1);
    QCOMPARE(m_panel->tables().timings().rowCount(), 2);  // the runs are there all the same
}

MESHREEL_TEST_CLASS(QualityTest)
#include "quality_test.moc"
