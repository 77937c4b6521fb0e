// SPDX-License-Identifier: GPL-3.0-or-later
// A film from its storyboard, with the engine and the embedded model: opened, made, changed, stopped, made
// again, played and found again after a restart.
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStringList>
#include <QTest>
#include <QTimer>
#include <filesystem>
#include <set>
#include <string>

#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/film/film_plan.h"
#include "engine/film/storyboard.h"
#include "engine/media/video_reader.h"
#include "engine/runs/run_folder.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/answered.h"
#include "tests/support/studio/real_drag.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/player/playback.h"
#include "ui/player/player_widget.h"
#include "ui/project/project_document.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/key_field.h"
#include "ui/settings/project_editor.h"
#include "ui/storyboard/film_watch.h"
#include "ui/storyboard/shot_editor.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/storyboard/storyboard_files.h"
#include "ui/storyboard/storyboard_model.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/storyboard/storyboard_strip.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

constexpr const char* threeShots =
    "version: 3\n"
    "width: 32\nheight: 32\nnum_frames: 5\nnum_inference_steps: 2\nmax_sequence_length: 32\n"
    "gpus: none\nworkers: 1\nseed: 7\n"
    "shots:\n"
    "  - name: one\n    prompt: a ball  # red\n"
    "  - name: two\n    prompt: a star\n"
    "  - name: three\n    prompt: a ring\n";

/// "a|b" has two words.
QStringList listOf(const char* words) {
    return QString::fromLatin1(words).split(QLatin1Char('|'));
}

}  // namespace

class StudioStoryboardTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void opensAStoryboardThatIsDropped();
    void makesAFilmAndThenWhatChanged();
    void goesOnWithAShotThatWasStopped();
    void asksBeforeChangesAreLost();
    void whatIsDiscardedDoesNotComeBack();
    void noDiscardCountsWhileTheWindowStays();
    void whatIsNotSavedIsThereAgain();
    void saveAndUndoBelongToWhatIsEdited();
    void whatIsHiddenIsNotUndone();
    void storyboardsAreAmongTheRecentFiles();
    void beginsWithTheProject();

  private:
    QString write(const char* name, const std::string& text = threeShots);
    void openBoard(const QString& file);
    /// As if no window had kept one.
    void forgetKept();
    /// Waits until the engine has said what is left.
    const FilmPlan& plan();
    void make();
    [[nodiscard]] QAction* undoAction() const;
    [[nodiscard]] StoryboardPanel& panel() const { return m_window->panels().storyboard(); }
    [[nodiscard]] QStringList states();
};

QString StudioStoryboardTest::write(const char* name, const std::string& text) {
    const QString file = m_folder.filePath(QLatin1String(name));
    writeFileAtomically(file.toStdString(), text);
    return file;
}

void StudioStoryboardTest::openBoard(const QString& file) {
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(file);
    QTRY_COMPARE(opened.count(), 1);
    QVERIFY(panel().isVisible());
}

const FilmPlan& StudioStoryboardTest::plan() {
    if (!QTest::qWaitFor([this] { return panel().watch().outlook() != nullptr; }, runMilliseconds))
        qFatal("the film is not examined");
    return panel().watch().outlook()->plan;
}

QStringList StudioStoryboardTest::states() {
    static_cast<void>(plan());
    QStringList states;
    for (int row = 0; row < panel().model().rowCount(); ++row)
        states += panel().model().index(row).data(StoryboardModel::StateTextRole).toString();
    return states;
}

/// Its text names what it undoes.
QAction* StudioStoryboardTest::undoAction() const {
    for (QAction* each : m_window->findChildren<QAction*>())
        if (each->text().startsWith(QStringLiteral("&Undo")))
            return each;
    return nullptr;
}

void StudioStoryboardTest::make() {
    static_cast<void>(plan());
    QVERIFY2(panel().makeButton().isEnabled(), qPrintable(panel().makeButton().toolTip()));
    QTest::mouseClick(&panel().makeButton(), Qt::LeftButton);
    QVERIFY(m_window->runs().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
}

void StudioStoryboardTest::opensAStoryboardThatIsDropped() {
    const std::string before = m_window->document().yaml().toStdString();
    drop({write("dropped.yaml")});
    QTRY_COMPARE(m_window->storyboard().count(), 3);
    QVERIFY(panel().isVisible());
    QCOMPARE(m_window->document().yaml().toStdString(), before);
    // A project is one, as before.
    drop({write("project.yaml", "version: 3\nprompt: a ball\n")});
    QTRY_COMPARE(m_window->document().project().prompt, std::string("a ball"));
    QCOMPARE(m_window->storyboard().count(), 3);
}

void StudioStoryboardTest::makesAFilmAndThenWhatChanged() {
    openBoard(write("made.yaml"));
    QCOMPARE(states(), listOf("Not made|Not made|Not made"));
    std::set<std::string> shown;
    QSignalSpy progressed(&panel().model(), &StoryboardModel::dataChanged);
    connect(&panel().model(), &StoryboardModel::dataChanged, this, [&] {
        for (int row = 0; row < 3; ++row)
            if (panel().model().index(row).data(StoryboardModel::PartRole).toDouble() >= 0)
                shown.insert(panel().model().index(row).data().toString().toStdString());
    });
    make();
    QCOMPARE(shown, (std::set<std::string>{"one", "two", "three"}));
    QTRY_COMPARE_WITH_TIMEOUT(states(), listOf("Made|Made|Made"), runMilliseconds);
    const std::filesystem::path video = panel().watch().folder() / "film.mp4";
    QCOMPARE(readVideo(video).extent(0), std::int64_t{15});
    QVERIFY(!panel().makeButton().isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(panel().player().playback().length(), 15, runMilliseconds);
    QVERIFY(
        !panel().model().index(0).data(StoryboardModel::PictureRole).value<QPixmap>().isNull() ||
        QTest::qWaitFor(
            [&] {
                return !panel().model().index(0).data(StoryboardModel::PictureRole).value<QPixmap>().isNull();
            },
            runMilliseconds));

    // Space plays from any tile, and each shot is marked while it is seen.
    panel().strip().setFocus();
    QTest::keyClick(&panel().strip(), Qt::Key_Space);
    QVERIFY(panel().player().playback().isPlaying());
    QTRY_VERIFY(panel().model().index(2).data(StoryboardModel::PlayingRole).toBool());
    QTest::keyClick(&panel().strip(), Qt::Key_Space);
    QVERIFY(!panel().player().playback().isPlaying());

    // Only what changed is made again.
    panel().strip().choose(1);
    auto* prompt = panel().editor().field("prompt")->findChild<QPlainTextEdit*>();
    prompt->setFocus();
    prompt->selectAll();
    QTest::keyClicks(prompt, QStringLiteral("a cross"));
    QTRY_COMPARE_WITH_TIMEOUT(states(), listOf("Made|Changed|Made"), runMilliseconds);
    const std::filesystem::path first = plan().shots[0].folder;
    const std::filesystem::path again = plan().shots[1].folder;
    const auto written = std::filesystem::last_write_time(first / run_file::status);
    make();
    QTRY_COMPARE_WITH_TIMEOUT(states(), listOf("Made|Made|Made"), runMilliseconds);
    QCOMPARE(std::filesystem::last_write_time(first / run_file::status), written);
    QVERIFY(isMade(again));

    // In another order nothing is made, and the shots are joined.
    StoryboardStrip& strip = panel().strip();
    const auto middleOf = [&](int shot) { return strip.visualRect(panel().model().index(shot)).center(); };
    strip.choose(0);
    QVERIFY(dragAndDrop(strip, middleOf(0), *strip.viewport(), middleOf(1) + QPoint(20, 0)).taken);
    QTRY_COMPARE(panel().model().index(1).data().toString(), QStringLiteral("one"));
    QTRY_COMPARE_WITH_TIMEOUT(states(), listOf("Made|Made|Made"), runMilliseconds);
    QCOMPARE(panel().makeButton().text(), QStringLiteral("Join the shots"));
    make();
    QTRY_VERIFY_WITH_TIMEOUT(panel().watch().outlook() != nullptr && panel().watch().outlook()->video,
                             runMilliseconds);
    QCOMPARE(panel().model().index(0).data().toString(), QStringLiteral("two"));

    // It is there again after a restart, comments and all.
    QVERIFY(m_window->storyboardFiles().save());
    const QString file = QString::fromStdString(m_window->storyboard().file().string());
    QVERIFY(readFile(file.toStdString()).find("prompt: a ball  # red\n") != std::string::npos);
    openWindow();
    openBoard(file);
    QTRY_COMPARE_WITH_TIMEOUT(states(), listOf("Made|Made|Made"), runMilliseconds);
}

void StudioStoryboardTest::goesOnWithAShotThatWasStopped() {
    std::string text = threeShots;
    text.replace(text.find("num_inference_steps: 2"), 22, "num_inference_steps: 40");
    openBoard(write("stopped.yaml", text));
    static_cast<void>(plan());
    QTest::mouseClick(&panel().makeButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(panel().model().index(0).data(StoryboardModel::PartRole).toDouble() > 0,
                             runMilliseconds);
    QPushButton* cancel = nullptr;
    for (QPushButton* each : panel().findChildren<QPushButton*>())
        if (each->text() == QStringLiteral("Cancel"))
            cancel = each;
    QVERIFY(cancel != nullptr && cancel->isVisible());
    QTest::mouseClick(cancel, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(states().first(), QStringLiteral("Interrupted"), runMilliseconds);
    QCOMPARE(panel().makeButton().text(), QStringLiteral("Go on"));
    const std::filesystem::path begun = plan().shots[0].folder;
    make();
    QTRY_COMPARE_WITH_TIMEOUT(states(), listOf("Made|Made|Made"), runMilliseconds);
    QCOMPARE(plan().shots[0].folder, begun);
    QCOMPARE(RunFolder::open(begun).state().resumes, 1);
}

void StudioStoryboardTest::asksBeforeChangesAreLost() {
    openBoard(write("asked.yaml"));
    m_window->storyboard().remove(2);
    const QString other = write("another.yaml");
    QString question =
        answered(QMessageBox::RejectRole, [&] { QVERIFY(!m_window->storyboardFiles().load(other)); });
    QVERIFY2(question.contains(QStringLiteral("asked.yaml")), qPrintable(question));
    QCOMPARE(m_window->storyboard().count(), 2);
    question = answered(QMessageBox::RejectRole, [&] { QVERIFY(!m_window->close()); });
    QVERIFY2(question.contains(QStringLiteral("asked.yaml")), qPrintable(question));
    question = answered(QMessageBox::AcceptRole, [&] { QVERIFY(m_window->close()); });
    QCOMPARE(parseStoryboard(readFile(m_window->storyboard().file()), "x.yaml").shots.size(), std::size_t{2});
}

void StudioStoryboardTest::forgetKept() {
    m_window.reset();
    for (const auto& entry : std::filesystem::directory_iterator(userDataFolder()))
        if (entry.path().filename().string().starts_with("storyboard-"))
            std::filesystem::remove(entry.path());
    openWindow();
}

void StudioStoryboardTest::whatIsDiscardedDoesNotComeBack() {
    forgetKept();
    openBoard(write("discarded.yaml"));
    m_window->storyboard().remove(2);
    const std::filesystem::path place = userDataFolder() / "storyboard-0.yaml";
    QTRY_VERIFY(std::filesystem::exists(place));
    answered(QMessageBox::DestructiveRole, [&] { QVERIFY(m_window->close()); });
    QVERIFY(!std::filesystem::exists(place));
    QCOMPARE(parseStoryboard(readFile(m_window->storyboard().file()), "x.yaml").shots.size(), std::size_t{3});
}

void StudioStoryboardTest::noDiscardCountsWhileTheWindowStays() {
    forgetKept();
    openBoard(write("stays.yaml"));
    typeText("prompt", QStringLiteral("a snail"));
    QVERIFY(m_window->files().saveTo(m_folder.filePath(QStringLiteral("staying.yaml"))));
    typeText("prompt", QStringLiteral("a slug"));
    m_window->storyboard().remove(2);
    // The project's question is answered first, then the storyboard's.
    QStringList asked;
    QTimer hand;
    hand.callOnTimeout([&asked] {
        if (const auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
            asked += box->text();
            box->button(asked.size() == 1 ? QMessageBox::Discard : QMessageBox::Cancel)->click();
        }
    });
    constexpr int pollMilliseconds = 20;
    hand.start(pollMilliseconds);
    QVERIFY(!m_window->close());
    QCOMPARE(asked.size(), 2);
    QVERIFY2(asked.last().contains(QStringLiteral("stays.yaml")), qPrintable(asked.last()));
    QVERIFY(m_window->files().hasUnsavedChanges());
    QVERIFY(m_window->storyboardFiles().hasUnsavedChanges());
}

void StudioStoryboardTest::whatIsNotSavedIsThereAgain() {
    forgetKept();
    const QString file = write("kept.yaml");
    openBoard(file);
    m_window->storyboard().remove(2);
    const std::filesystem::path place = userDataFolder() / "storyboard-0.yaml";
    QTRY_VERIFY(std::filesystem::exists(place));
    m_window.reset();  // as if it crashed now
    openWindow();
    m_window->goOnWithLastSession();
    QCOMPARE(m_window->storyboard().count(), 2);
    QCOMPARE(m_window->storyboard().file(), std::filesystem::path(file.toStdString()));
    QVERIFY(m_window->storyboard().isModified());
    m_window->storyboard().undoStack().undo();
    QCOMPARE(m_window->storyboard().count(), 3);
    QTRY_VERIFY(!std::filesystem::exists(place));
}

void StudioStoryboardTest::saveAndUndoBelongToWhatIsEdited() {
    const QString file = write("saved.yaml");
    openBoard(file);
    typeText("prompt", QStringLiteral("a snail"));
    panel().strip().setFocus();
    m_window->storyboard().remove(2);
    QVERIFY(undoAction() != nullptr && undoAction()->isEnabled());
    QVERIFY(undoAction()->text().contains(QStringLiteral("Remove a shot")));
    QTest::keyClick(&panel().strip(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(m_window->storyboard().count(), 3);
    QCOMPARE(m_window->document().project().prompt, std::string("a snail"));
    m_window->storyboard().remove(2);
    QTest::keyClick(&panel().strip(), Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!m_window->storyboard().isModified());
    QCOMPARE(parseStoryboard(readFile(file.toStdString()), "x.yaml").shots.size(), std::size_t{2});
    QVERIFY(m_window->document().isModified());
    m_window->panels().editor().focusPrompt();
    undoAction()->trigger();
    QCOMPARE(m_window->storyboard().count(), 2);
    QVERIFY(m_window->document().project().prompt != "a snail");
}

void StudioStoryboardTest::whatIsHiddenIsNotUndone() {
    openBoard(write("hidden.yaml"));
    panel().strip().setFocus();
    m_window->storyboard().remove(2);
    QVERIFY(undoAction()->text().contains(QStringLiteral("Remove a shot")));
    QDockWidget* dock = nullptr;
    for (QDockWidget* each : m_window->findChildren<QDockWidget*>())
        if (each->isAncestorOf(&panel()))
            dock = each;
    QVERIFY(dock != nullptr);
    dock->close();
    QTRY_VERIFY(!undoAction()->text().contains(QStringLiteral("Remove a shot")));
    QCOMPARE(m_window->storyboard().count(), 2);
}

void StudioStoryboardTest::storyboardsAreAmongTheRecentFiles() {
    const QString file = write("recent.yaml");
    openBoard(file);
    QCOMPARE(m_window->files().recentFiles().constFirst(), file);
}

void StudioStoryboardTest::beginsWithTheProject() {
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    typeText("prompt", QStringLiteral("a red ball"));
    action("New s&toryboard")->trigger();
    QCOMPARE(m_window->storyboard().count(), 1);
    QCOMPARE(m_window->storyboard().shot(0).project.prompt, std::string("a red ball"));
    QVERIFY(panel().isVisible());
    QTRY_VERIFY(panel().isAncestorOf(QApplication::focusWidget()));
}

MESHREEL_TEST_CLASS(StudioStoryboardTest)
#include "studio_storyboard_test.moc"
