// SPDX-License-Identifier: GPL-3.0-or-later
// Rating: pairs of videos without their settings, from the button to the votes on disk.
#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QShortcut>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "engine/base/files.h"
#include "engine/runs/run_votes.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/judged_run.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/compare_panel.h"
#include "ui/compare/comparison_tables.h"
#include "ui/compare/quality_page.h"
#include "ui/rating/ranking_view.h"
#include "ui/rating/rate_dialog.h"
#include "ui/runs/history_panel.h"
#include "ui/widgets/panel_parts.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

using namespace meshreel;
using meshreel::testing::makeJudgedRun;

class RatingTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void theSelectedRunsAreRatedFromTheWindow();
    void oneRunStandsForThoseOfItsPrompt();
    void keysAndButtonsVote_data();
    void keysAndButtonsVote();
    void aKeyThatIsHeldVotesOnce();
    void nothingTellsWhichRunIsShown();
    void aPairIsPassedOver();
    void theLastVoteIsTakenBackAndItsPairShownAgain();
    void bothVideosPlayInStep();
    void spacePauses();
    void theRankingIsShownWhenAskedFor();
    void theRankingFollowsTheVotes();
    void arrowKeysScrollTheRanking();
    void whatCannotBeRatedIsTold();
    void damagedVideosAreLeftOut();
    void unreadableVotesAreToldAndStay();
    void compareFollowsTheVotes();

  private:
    [[nodiscard]] std::filesystem::path path(const QString& name) const {
        return m_folder->filePath(name).toStdString();
    }
    [[nodiscard]] std::vector<Vote> votes() const { return readVotes(m_folder->path().toStdString()); }
    void rate(RateDialog& dialog, const std::vector<std::filesystem::path>& runs);
    [[nodiscard]] std::vector<std::filesystem::path> threeRuns() const {
        return {path(QStringLiteral("zebra")), path(QStringLiteral("yak")), path(QStringLiteral("xerus"))};
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void RatingTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("MESHREEL_RUNS", m_folder->path().toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder->filePath(QStringLiteral("set")));
    makeJudgedRun(path(QStringLiteral("zebra")), {.steps = 47, .level = 40, .inference = 12});
    makeJudgedRun(path(QStringLiteral("yak")), {.steps = 58, .level = 90, .inference = 17});
    makeJudgedRun(path(QStringLiteral("xerus")), {.steps = 69, .level = 140, .inference = 21});
}

void RatingTest::rate(RateDialog& dialog, const std::vector<std::filesystem::path>& runs) {
    QSignalSpy shown(&dialog, &RateDialog::pairShown);
    dialog.rate(runs);
    QTRY_VERIFY(shown.count() > 0);
    QVERIFY(QTest::qWaitForWindowActive(&dialog));
}

void RatingTest::theSelectedRunsAreRatedFromTheWindow() {
    MainWindow window;
    window.show();
    HistoryPanel& history = window.panels().history();
    QTRY_COMPARE(history.table().model()->rowCount(), 3);
    window.docks().showPanel(&history);
    const auto clickRate = [&] {
        const QList<QToolButton*> buttons = history.findChildren<QToolButton*>();
        const auto found = std::ranges::find_if(buttons, [](const QToolButton* button) {
            return button->defaultAction() != nullptr && button->text() == QLatin1String("Rate");
        });
        QVERIFY(found != buttons.end());
        (*found)->click();
    };
    history.table().selectAll();
    RateDialog& dialog = window.rating();
    clickRate();
    QTRY_VERIFY(dialog.shownPair());
    QVERIFY(QTest::qWaitForWindowActive(&dialog));
    const RunPair pair = dialog.shownPair()->pair;
    QTest::keyClick(&dialog, Qt::Key_1);
    QTRY_COMPARE(votes().size(), 1U);
    QCOMPARE(votes().front().better, Better::Left);
    const std::vector<JudgedRun>& runs = dialog.session()->rated().runs();
    QCOMPARE(votes().front().left, votedPath(runs[pair.left].folder));
    QCOMPARE(votes().front().right, votedPath(runs[pair.right].folder));
    QTRY_VERIFY(dialog.shownPair());
    QTest::keyClick(&dialog, Qt::Key_Escape);
    QTRY_VERIFY(dialog.isHidden());
    QVERIFY(!dialog.shownPair());
    QVERIFY(!dialog.playback().isPlaying());
    clickRate();
    QTRY_VERIFY(dialog.shownPair());
    QCOMPARE(dialog.session()->votes().size(), 1U);
    QVERIFY2(dialog.progress().startsWith(QLatin1String("1 ")), qPrintable(dialog.progress()));
    QVERIFY2((dialog.shownPair()->pair != pair), "what was seen comes last");
}

void RatingTest::oneRunStandsForThoseOfItsPrompt() {
    makeJudgedRun(path(QStringLiteral("walrus")), {.prompt = "a cube", .steps = 80});
    MainWindow window;
    HistoryPanel& history = window.panels().history();
    QTRY_COMPARE(history.table().model()->rowCount(), 4);
    history.select(m_folder->filePath(QStringLiteral("yak")));
    QSignalSpy asked(&history, &HistoryPanel::rateRequested);
    for (QAction* action : history.table().actions())
        if (action->text() == QLatin1String("Rate"))
            action->trigger();
    QCOMPARE(asked.count(), 1);
    QStringList folders = asked.front().front().toStringList();
    folders.sort();
    QCOMPARE(folders, QStringList({m_folder->filePath(QStringLiteral("xerus")),
                                   m_folder->filePath(QStringLiteral("yak")),
                                   m_folder->filePath(QStringLiteral("zebra"))}));
}

void RatingTest::keysAndButtonsVote_data() {
    QTest::addColumn<int>("key");
    QTest::addColumn<int>("better");
    QTest::newRow("1") << int{Qt::Key_1} << static_cast<int>(Better::Left);
    QTest::newRow("left arrow") << int{Qt::Key_Left} << static_cast<int>(Better::Left);
    QTest::newRow("2") << int{Qt::Key_2} << static_cast<int>(Better::Right);
    QTest::newRow("right arrow") << int{Qt::Key_Right} << static_cast<int>(Better::Right);
    QTest::newRow("0") << int{Qt::Key_0} << static_cast<int>(Better::Neither);
    QTest::newRow("down arrow") << int{Qt::Key_Down} << static_cast<int>(Better::Neither);
    for (const Better better : {Better::Left, Better::Right, Better::Neither})
        QTest::addRow("button %d", static_cast<int>(better)) << 0 << static_cast<int>(better);
}

void RatingTest::keysAndButtonsVote() {
    QFETCH(const int, key);
    QFETCH(const int, better);
    RateDialog dialog;
    rate(dialog, threeRuns());
    QPushButton& button = dialog.voteButton(static_cast<Better>(better));
    if (key == 0) {
        QTest::mouseClick(&button, Qt::LeftButton);
    } else {
        // Wherever the focus is.
        dialog.skipButton().setFocus();
        QTest::keyClick(QApplication::focusWidget(), static_cast<Qt::Key>(key));
    }
    QCOMPARE(votes().size(), 1U);
    QCOMPARE(static_cast<int>(votes().front().better), better);
    QTRY_VERIFY(dialog.shownPair());
}

void RatingTest::aKeyThatIsHeldVotesOnce() {
    const RateDialog dialog;
    const QList<QShortcut*> keys = dialog.findChildren<QShortcut*>();
    QVERIFY(keys.size() >= 8);
    for (const QShortcut* key : keys)
        QVERIFY2(!key->autoRepeat(), qPrintable(key->key().toString()));
}

void RatingTest::nothingTellsWhichRunIsShown() {
    RateDialog dialog;
    rate(dialog, threeRuns());
    QStringList texts{dialog.windowTitle()};
    const QList<QWidget*> widgets = dialog.findChildren<QWidget*>();
    for (const QWidget* widget : widgets) {
        if (!widget->isVisibleTo(&dialog))
            continue;
        texts += {widget->toolTip(), widget->accessibleName(), widget->accessibleDescription()};
        if (const auto* label = qobject_cast<const QLabel*>(widget))
            texts += label->text();
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
            texts += button->text();
        if (const auto* paragraph = qobject_cast<const ClampedText*>(widget))
            texts += paragraph->text();
    }
    const QString all = texts.join(QLatin1Char('\n'));
    for (const char* telling : {"zebra", "yak", "xerus", "47", "58", "69", "Steps", "steps", "12 s", "17 s"})
        QVERIFY2(!all.contains(QLatin1String(telling)), telling);
    QVERIFY2(all.contains(QLatin1String("a ball")), "the prompt is told: it is that of both");
}

void RatingTest::aPairIsPassedOver() {
    RateDialog dialog;
    rate(dialog, threeRuns());
    const RunPair first = dialog.shownPair()->pair;
    QTest::keyClick(&dialog, Qt::Key_S);
    QTRY_VERIFY(dialog.shownPair());
    const RunPair second = dialog.shownPair()->pair;
    QVERIFY(std::minmax({first.left, first.right}) != std::minmax({second.left, second.right}));
    dialog.skipButton().click();
    QTRY_VERIFY(dialog.shownPair());
    QVERIFY(votes().empty());
    QVERIFY2(dialog.progress().contains(QLatin1String("every pair was seen")), qPrintable(dialog.progress()));
}

void RatingTest::theLastVoteIsTakenBackAndItsPairShownAgain() {
    RateDialog dialog;
    rate(dialog, threeRuns());
    QVERIFY(!dialog.takeBackButton().isEnabled());
    const RunPair first = dialog.shownPair()->pair;
    QSignalSpy voted(&dialog, &RateDialog::voted);
    QTest::keyClick(&dialog, Qt::Key_2);
    QTRY_VERIFY(dialog.shownPair());
    const RunPair second = dialog.shownPair()->pair;
    QVERIFY(dialog.takeBackButton().isEnabled());
    QTest::keyClick(&dialog, Qt::Key_Backspace);
    QTRY_VERIFY(dialog.shownPair() && dialog.shownPair()->pair == first);
    QVERIFY(votes().empty());
    QCOMPARE(voted.count(), 2);
    QVERIFY(!dialog.takeBackButton().isEnabled());
    QTest::keyClick(&dialog, Qt::Key_1);
    QTRY_VERIFY(dialog.shownPair() && dialog.shownPair()->pair == second);
    QCOMPARE(votes().size(), 1U);
    QCOMPARE(votes().front().better, Better::Left);
}

void RatingTest::bothVideosPlayInStep() {
    const auto clip = [](int frames, double rate) {
        Clip made{.frames = {}, .framesPerSecond = rate};
        for (int frame = 0; frame < frames; ++frame) {
            QImage image(1, 1, QImage::Format_RGB888);
            image.fill(QColor(frame, 0, 0));
            made.frames.append(image);
        }
        return made;
    };
    // Two seconds at 4 frames a second beside three at 8.
    const BlindPair pair{.pair = {}, .left = clip(8, 4), .right = clip(24, 8)};
    QCOMPARE(pair.framesPerSecond(), 8.0);
    QCOMPARE(pair.length(), 24);
    const auto shown = [&pair](const Clip& of, int frame) {
        return pair.pictureAt(of, frame).pixelColor(0, 0).red();
    };
    for (int frame = 0; frame < 24; ++frame) {
        QCOMPARE(shown(pair.right, frame), frame);
        QCOMPARE(shown(pair.left, frame), std::min(frame / 2, 7));  // its last frame stays
    }
}

void RatingTest::spacePauses() {
    RateDialog dialog;
    rate(dialog, threeRuns());
    QVERIFY(dialog.playback().isPlaying());
    QTest::keyClick(&dialog.view(), Qt::Key_Space);
    QVERIFY(!dialog.playback().isPlaying());
    QTest::keyClick(&dialog.view(), Qt::Key_Space);
    QVERIFY(dialog.playback().isPlaying());
    QVERIFY(votes().empty());
}

void RatingTest::theRankingIsShownWhenAskedFor() {
    for (int vote = 0; vote < 6; ++vote) {
        addVote(path(QStringLiteral("yak")), path(QStringLiteral("zebra")), Better::Left);
        addVote(path(QStringLiteral("xerus")), path(QStringLiteral("yak")), Better::Right);
    }
    RateDialog dialog;
    rate(dialog, threeRuns());
    QVERIFY(!dialog.ranking().isVisible());
    dialog.rankingButton().click();
    QVERIFY(dialog.ranking().isVisible());
    QVERIFY(!dialog.playback().isPlaying());
    const std::vector<RankingLine>& lines = dialog.ranking().lines();
    QCOMPARE(lines.size(), 3U);
    QVERIFY2(lines.front().name.contains(QLatin1String("58")), qPrintable(lines.front().name));
    QVERIFY(RankingView::lineText(lines.front()).startsWith(QLatin1String("1: Steps: 58, preferred in ")));
    QTest::keyClick(&dialog, Qt::Key_1);
    QCOMPARE(votes().size(), 12U);  // nothing is voted on that is not seen
    dialog.rankingButton().click();
    QVERIFY(dialog.view().isVisible());
    QTest::keyClick(&dialog, Qt::Key_1);
    QCOMPARE(votes().size(), 13U);
}

void RatingTest::theRankingFollowsTheVotes() {
    RateDialog dialog;
    rate(dialog, threeRuns());
    QCOMPARE(dialog.ranking().lines().front().ranked.votes, 0);
    QTest::keyClick(&dialog, Qt::Key_1);
    // On another thread: the next pair may be there before.
    QTRY_COMPARE(dialog.ranking().lines().front().ranked.votes, 1);
    QTRY_VERIFY(dialog.shownPair());
    QTest::keyClick(&dialog, Qt::Key_Backspace);
    QTRY_COMPARE(dialog.ranking().lines().front().ranked.votes, 0);
}

void RatingTest::arrowKeysScrollTheRanking() {
    std::vector<std::filesystem::path> runs = threeRuns();
    for (int run = 0; run < 14; ++run) {
        runs.push_back(path(QStringLiteral("run-%1").arg(run)));
        makeJudgedRun(runs.back(), {.steps = 100 + run});
    }
    RateDialog dialog;
    rate(dialog, runs);
    dialog.resize(dialog.minimumSize());
    dialog.rankingButton().click();
    QVERIFY(dialog.ranking().isVisible());
    const QScrollBar* bar = dialog.findChild<QScrollArea*>()->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 0);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QVERIFY(bar->value() > 0);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
    QCOMPARE(bar->value(), 0);
    QVERIFY(votes().empty());
    dialog.rankingButton().click();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QCOMPARE(votes().size(), 1U);
}

void RatingTest::whatCannotBeRatedIsTold() {
    makeJudgedRun(path(QStringLiteral("again")), {.steps = 47, .seed = 9});
    RateDialog dialog;
    dialog.rate({path(QStringLiteral("zebra")), path(QStringLiteral("again"))});
    QTRY_VERIFY2(dialog.obstacle().contains(QLatin1String("except the seed")), qPrintable(dialog.obstacle()));
    for (const Better better : {Better::Left, Better::Right, Better::Neither})
        QVERIFY(!dialog.voteButton(better).isEnabled());
    QVERIFY(!dialog.skipButton().isEnabled());
    QVERIFY(!dialog.rankingButton().isEnabled());
    dialog.rate({path(QStringLiteral("nowhere"))});
    QTRY_VERIFY2(dialog.obstacle().contains(QLatin1String("no such run folder")),
                 qPrintable(dialog.obstacle()));
    rate(dialog, threeRuns());
    QVERIFY(dialog.obstacle().isEmpty());
}

void RatingTest::damagedVideosAreLeftOut() {
    for (const auto& entry : std::filesystem::directory_iterator(path(QStringLiteral("yak")) / "video"))
        writeFileAtomically(entry.path(), "no picture");
    RateDialog dialog;
    rate(dialog, threeRuns());
    QTRY_VERIFY2(dialog.progress().contains(QLatin1String("1 run")), qPrintable(dialog.progress()));
    QCOMPARE(dialog.session()->pairs(), 1U);
}

void RatingTest::unreadableVotesAreToldAndStay() {
    RateDialog dialog;
    rate(dialog, threeRuns());
    const std::filesystem::path file = path(QLatin1String(votesFileName));
    writeFileAtomically(file, "{");
    QTest::keyClick(&dialog, Qt::Key_1);
    QVERIFY2(dialog.shownPair(), "the pair waits for a vote that is kept");
    const QList<QLabel*> labels = dialog.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QLatin1String("JSON"));
    }));
    QCOMPARE(readFile(file), std::string("{"));
    std::filesystem::remove(file);
    QTest::keyClick(&dialog, Qt::Key_1);
    QCOMPARE(votes().size(), 1U);
    dialog.close();
    writeFileAtomically(file, "{");
    dialog.rate(threeRuns());
    QTRY_VERIFY2(dialog.obstacle().contains(QLatin1String("JSON")), qPrintable(dialog.obstacle()));
}

void RatingTest::compareFollowsTheVotes() {
    MainWindow window;
    window.show();
    ComparePanel& compare = window.panels().compare();
    QSignalSpy compared(&compare, &ComparePanel::compared);
    compare.compare(threeRuns());
    QTRY_COMPARE(compared.count(), 1);
    compare.showKind(ChartKind::Quality);
    QVERIFY2(compare.obstacle().contains(QLatin1String("Nobody has voted")), qPrintable(compare.obstacle()));
    compare.tables().quality().rateButton().click();
    RateDialog& dialog = window.rating();
    QTRY_VERIFY(dialog.shownPair());
    QVERIFY(QTest::qWaitForWindowActive(&dialog));
    QSignalSpy rated(&compare, &ComparePanel::ratingsShown);
    QTest::keyClick(&dialog, Qt::Key_1);
    QTRY_VERIFY(rated.count() > 0);
    QVERIFY2(compare.obstacle().isEmpty(), qPrintable(compare.obstacle()));
    const QualityModel& model = compare.tables().quality().model();
    QCOMPARE(model.index(0, QualityModel::Votes).data().toString(), QStringLiteral("1"));
}

MESHREEL_TEST_CLASS(RatingTest)
#include "rating_test.moc"
