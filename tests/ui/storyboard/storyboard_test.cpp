// SPDX-License-Identifier: GPL-3.0-or-later
// A storyboard in its panel: shots are chosen, dragged, edited, added and removed, and problems stand at the
// shot that they blame. No engine runs.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSize>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/film/storyboard.h"
#include "engine/project/project.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/real_drag.h"
#include "ui/settings/key_field.h"
#include "ui/settings/keyframe_field.h"
#include "ui/storyboard/film_clip.h"
#include "ui/storyboard/film_watch.h"
#include "ui/storyboard/shot_editor.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/storyboard/storyboard_model.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/storyboard/storyboard_strip.h"
#include "ui/widgets/edits.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

constexpr int examined = 60000;  ///< milliseconds in which a film is

constexpr const char* threeShots = R"(version: 3
# for all
width: 32
height: 32
num_frames: 5
num_inference_steps: 2
max_sequence_length: 32
gpus: none
seed: 7
shots:
  # begins
  - name: dawn
    prompt: a ball
    # mood: calm
  - name: noon
    prompt: a star
    continue: true
    continue_frames: 1
  - name: dusk
    prompt: a ring
)";

/// "a|b" has two words.
QStringList listOf(const char* words) {
    return QString::fromLatin1(words).split(QLatin1Char('|'));
}

}  // namespace

class StoryboardTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void cleanup();
    void showsTheShotsInTheirOrder();
    void aShotIsDraggedToAnotherPlace();
    void aShotOfAnotherWindowIsNotTaken();
    void aLongFilmIsHeldSmaller();
    void theKeyboardChoosesMovesCopiesAndRemoves();
    void aPromptIsEditedAndUndoneInOneStep();
    void secondsTakeThePlaceOfFrames();
    void aNameIsWrittenOnceItIsTyped();
    void goingOnIsSwitched();
    void aKeyframeIsDropped();
    void whatIsNotEditedStaysAsItIsWritten();
    void problemsStandAtTheirShot();
    void whatIsWrongStaysWhileAnotherShotIsEdited();
    void aProblemOfAllShotsStandsAbove();
    void whatWasKeptIsThereWithoutItsFile();
    void theOnlyShotStays();
    void whatIsNoStoryboardIsNotOpened();
    void aNewStoryboardHasTheProject();
    void everythingHasAName();

  private:
    void open(const std::string& text);
    [[nodiscard]] QStringList names() const;
    [[nodiscard]] QString tile(int shot, int role = Qt::DisplayRole) const;
    void awaitPlan();

    QTemporaryDir m_folder;
    std::unique_ptr<StoryboardDocument> m_document;
    std::unique_ptr<StoryboardPanel> m_panel;
};

void StoryboardTest::init() {
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
    qputenv("XDG_STATE_HOME", m_folder.filePath(QStringLiteral("state")).toLocal8Bit());
    m_document = std::make_unique<StoryboardDocument>();
    m_panel = std::make_unique<StoryboardPanel>(*m_document);
    m_panel->resize(900, 640);
    m_panel->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
    open(threeShots);
}

void StoryboardTest::cleanup() {
    m_panel.reset();
    m_document.reset();
}

void StoryboardTest::open(const std::string& text) {
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("film.yaml")).toStdString();
    writeFileAtomically(file, text);
    m_document->load(file);
}

QStringList StoryboardTest::names() const {
    QStringList names;
    for (int shot = 0; shot < m_document->count(); ++shot)
        names += tile(shot);
    return names;
}

QString StoryboardTest::tile(int shot, int role) const {
    return m_panel->model().index(shot).data(role).toString();
}

void StoryboardTest::awaitPlan() {
    QTRY_VERIFY_WITH_TIMEOUT(m_panel->watch().outlook() != nullptr, examined);
}

void StoryboardTest::showsTheShotsInTheirOrder() {
    const QAbstractItemModelTester tester(&m_panel->model());
    QCOMPARE(names(), listOf("dawn|noon|dusk"));
    QCOMPARE(m_panel->strip().chosen(), 0);
    awaitPlan();
    QCOMPARE(tile(0, StoryboardModel::StateTextRole), QStringLiteral("Not made"));
    QVERIFY(!tile(0, StoryboardModel::LengthRole).isEmpty());
    QVERIFY(m_panel->model().index(1).data(StoryboardModel::ContinuesRole).toBool());
    QVERIFY2(m_panel->summary().contains(QStringLiteral("to make: 3 of 3")), qPrintable(m_panel->summary()));
    QVERIFY(m_panel->makeButton().isEnabled());
    QVERIFY(!std::filesystem::exists(m_panel->watch().folder()));
}

void StoryboardTest::aShotIsDraggedToAnotherPlace() {
    StoryboardStrip& strip = m_panel->strip();
    const auto middleOf = [&](int shot) { return strip.visualRect(m_panel->model().index(shot)).center(); };
    const QPoint behindAll(strip.visualRect(m_panel->model().index(2)).right() - 2, middleOf(2).y());
    QVERIFY(dragAndDrop(strip, middleOf(0), *strip.viewport(), behindAll).taken);
    QCOMPARE(names(), listOf("noon|dusk|dawn"));
    QCOMPARE(strip.chosen(), 2);
    QCOMPARE(m_panel->editor().shot(), 2);

    const QPoint beforeAll(strip.visualRect(m_panel->model().index(0)).left() + 2, middleOf(0).y());
    QVERIFY(dragAndDrop(strip, middleOf(2), *strip.viewport(), beforeAll).taken);
    QCOMPARE(names(), listOf("dawn|noon|dusk"));
    QCOMPARE(m_document->text(), std::string(threeShots));

    m_document->undoStack().undo();
    QCOMPARE(names(), listOf("noon|dusk|dawn"));
    m_document->undoStack().undo();
    QCOMPARE(names(), listOf("dawn|noon|dusk"));
    QCOMPARE(strip.chosen(), 0);
    QVERIFY(!m_document->isModified());
}

void StoryboardTest::aShotOfAnotherWindowIsNotTaken() {
    StoryboardDocument document;
    FilmWatch watch(document);
    const StoryboardModel other(document, watch, nullptr);
    const StoryboardModel& model = m_panel->model();
    const std::unique_ptr<QMimeData> dragged(model.mimeData({model.index(1)}));
    QCOMPARE(model.draggedRow(dragged.get()), std::optional(1));
    QVERIFY(!other.draggedRow(dragged.get()));
}

void StoryboardTest::aLongFilmIsHeldSmaller() {
    QCOMPARE(heldFrameSize({832, 480}, 81), QSize(832, 480));
    QCOMPARE(heldFrameSize({1664, 960}, 1), QSize(832, 480));
    constexpr std::int64_t frames = 3240;
    const QSize small = heldFrameSize({832, 480}, frames);
    QVERIFY(small.width() > 300 && small.width() < 832);
    QVERIFY(3 * frames * small.width() * small.height() <= std::int64_t{768} << 20);
}

void StoryboardTest::theKeyboardChoosesMovesCopiesAndRemoves() {
    StoryboardStrip& strip = m_panel->strip();
    strip.setFocus();
    QTest::keyClick(&strip, Qt::Key_Right);
    QCOMPARE(strip.chosen(), 1);
    QTest::keyClick(&strip, Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(names(), listOf("dawn|dusk|noon"));
    QCOMPARE(strip.chosen(), 2);
    QTest::keyClick(&strip, Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(names(), listOf("dawn|dusk|noon"));
    QTest::keyClick(&strip, Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(names(), listOf("dawn|noon|dusk"));
    QTest::keyClick(&strip, Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(names(), listOf("dawn|noon|noon-2|dusk"));
    QCOMPARE(strip.chosen(), 2);
    QTest::keyClick(&strip, Qt::Key_Delete);
    QCOMPARE(names(), listOf("dawn|noon|dusk"));
    QSignalSpy edited(&strip, &StoryboardStrip::editRequested);
    QTest::keyClick(&strip, Qt::Key_Return);
    QCOMPARE(edited.count(), 1);
    m_panel->actions().add->trigger();
    QCOMPARE(m_document->count(), 4);
    QCOMPARE(m_panel->editor().shot(), strip.chosen());
}

void StoryboardTest::aPromptIsEditedAndUndoneInOneStep() {
    auto* prompt = m_panel->editor().field("prompt")->findChild<QPlainTextEdit*>();
    QVERIFY(prompt != nullptr);
    QCOMPARE(prompt->toPlainText(), QStringLiteral("a ball"));
    prompt->setFocus();
    prompt->moveCursor(QTextCursor::End);
    QTest::keyClicks(prompt, QStringLiteral(" #2: red"));
    QCOMPARE(m_document->shot(0).project.prompt, std::string("a ball #2: red"));
    QCOMPARE(prompt->toPlainText(), QStringLiteral("a ball #2: red"));
    m_document->undoStack().undo();
    QCOMPARE(prompt->toPlainText(), QStringLiteral("a ball"));
    QCOMPARE(m_document->text(), std::string(threeShots));
    prompt->selectAll();
    QTest::keyClick(prompt, Qt::Key_Delete);
    QCOMPARE(m_document->shot(0).project.prompt, std::string());
    QVERIFY(m_document->shot(0).written.contains("prompt"));
}

void StoryboardTest::secondsTakeThePlaceOfFrames() {
    m_document->setValues(0, {}, {{.key = "num_frames", .text = "9"}});
    NumberEdit& seconds = m_panel->editor().seconds();
    seconds.setFocus();
    QTRY_VERIFY(seconds.hasFocus());
    QTest::keyClicks(&seconds, QStringLiteral("0.5"));
    QCOMPARE(m_document->shot(0).seconds, std::optional(0.5));
    QVERIFY(!m_document->shot(0).written.contains("num_frames"));
    awaitPlan();
    QCOMPARE(m_panel->watch().planned(0)->project.numFrames, 9);
    m_document->setValues(0, {}, {{.key = "num_frames", .text = "5"}});
    QVERIFY(!m_document->shot(0).seconds);
}

void StoryboardTest::aNameIsWrittenOnceItIsTyped() {
    m_document->setValues(2, {}, {{.key = "continue", .text = "dawn"}});
    m_panel->strip().choose(0);
    QLineEdit& name = m_panel->editor().name();
    name.setFocus();
    QTRY_VERIFY(name.hasFocus());
    // The way leads over a name that is taken and over none.
    name.selectAll();
    QTest::keyClicks(&name, QStringLiteral("noon"));
    name.selectAll();
    QTest::keyClick(&name, Qt::Key_Delete);
    awaitPlan();
    QCOMPARE(name.text(), QString());
    QTest::keyClicks(&name, QStringLiteral("morning"));
    QCOMPARE(names(), listOf("dawn|noon|dusk"));
    QTest::keyClick(&name, Qt::Key_Return);
    QCOMPARE(names(), listOf("morning|noon|dusk"));
    QCOMPARE(m_document->shot(2).written.at("continue"), std::string("morning"));
    QCOMPARE(m_document->shot(1).written.at("continue"), std::string("true"));
    m_document->undoStack().undo();
    QCOMPARE(names(), listOf("dawn|noon|dusk"));
    QCOMPARE(name.text(), QStringLiteral("dawn"));

    // What belongs to another shot is refused, and the name of before is there again.
    QSignalSpy refused(m_document.get(), &StoryboardDocument::refused);
    m_panel->strip().choose(0);
    name.setFocus();
    name.selectAll();
    QTest::keyClicks(&name, QStringLiteral("noon"));
    QTest::keyClick(&name, Qt::Key_Return);
    QCOMPARE(refused.count(), 1);
    QCOMPARE(name.text(), QStringLiteral("dawn"));
    QCOMPARE(m_document->shot(2).continues, std::optional<std::size_t>(0));
}

void StoryboardTest::goingOnIsSwitched() {
    m_panel->strip().choose(1);
    QCheckBox& continues = m_panel->editor().continues();
    QVERIFY(continues.isChecked());
    continues.click();
    QVERIFY(!m_document->shot(1).continues);
    continues.click();
    QCOMPARE(m_document->shot(1).continues, std::optional<std::size_t>(0));
    m_panel->strip().choose(0);
    QVERIFY(!continues.isEnabled());
}

void StoryboardTest::aKeyframeIsDropped() {
    auto* field = qobject_cast<KeyframeField*>(m_panel->editor().field("keyframes"));
    QVERIFY(field != nullptr);
    const QString picture = m_folder.filePath(QStringLiteral("ball.png"));
    QImage image(32, 32, QImage::Format_RGB32);
    image.fill(Qt::red);
    QVERIFY(image.save(picture));
    field->add({picture});
    QCOMPARE(m_document->shot(0).project.keyframes.size(), 1U);
    QCOMPARE(m_document->shot(0).project.keyframes[0].image, picture.toStdString());
    // Its tile shows it.
    QTRY_VERIFY_WITH_TIMEOUT(
        !m_panel->model().index(0).data(StoryboardModel::PictureRole).value<QPixmap>().isNull(), examined);
    m_document->undoStack().undo();
    QVERIFY(m_document->shot(0).project.keyframes.empty());
    QCOMPARE(m_document->text(), std::string(threeShots));
}

void StoryboardTest::whatIsNotEditedStaysAsItIsWritten() {
    m_panel->strip().choose(2);
    m_document->typeValue(2, {}, {.key = "prompt", .text = "a cross"});
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("other.yaml")).toStdString();
    m_document->save(file);
    std::string expected = threeShots;
    expected.replace(expected.find("a ring"), 6, "a cross");
    QCOMPARE(readFile(file), expected);
    QVERIFY(!m_document->isModified());
    QCOMPARE(m_document->displayName(), QStringLiteral("other.yaml"));
}

void StoryboardTest::problemsStandAtTheirShot() {
    m_document->setValues(2, {}, {{.key = "num_frames", .text = "6"}});
    awaitPlan();
    QVERIFY(m_panel->watch().problemsOf(0).empty() || !hasErrors(m_panel->watch().problemsOf(0)));
    QVERIFY(hasErrors(m_panel->watch().problemsOf(2)));
    QVERIFY(m_panel->model().index(2).data(StoryboardModel::ProblemRole).toBool());
    QCOMPARE(tile(2, StoryboardModel::StateTextRole), QStringLiteral("Cannot be made"));
    QVERIFY(!m_panel->makeButton().isEnabled());
    QVERIFY(!m_panel->makeButton().toolTip().isEmpty());
    m_panel->strip().choose(2);
    QVERIFY2(m_panel->editor().problemText().startsWith(QStringLiteral("Frames")),
             qPrintable(m_panel->editor().problemText()));
    // A button ends it.
    QPushButton* fix = nullptr;
    for (QPushButton* button : m_panel->editor().findChildren<QPushButton*>())
        if (button->text().startsWith(QStringLiteral("Set Frames to")))
            fix = button;
    QVERIFY(fix != nullptr);
    QTest::mouseClick(fix, Qt::LeftButton);
    awaitPlan();
    QTRY_VERIFY_WITH_TIMEOUT(!hasErrors(m_panel->watch().problemsOf(2)), examined);
    QVERIFY(m_panel->makeButton().isEnabled());
}

void StoryboardTest::whatIsWrongStaysWhileAnotherShotIsEdited() {
    m_document->setValues(2, {}, {{.key = "image", .text = "nothing.png"}});
    awaitPlan();
    QVERIFY(hasErrors(m_panel->watch().problemsOf(2)));
    m_document->typeValue(0, {}, {.key = "prompt", .text = "a cross"});
    QVERIFY(m_panel->watch().outlook() == nullptr);
    QVERIFY(hasErrors(m_panel->watch().problemsOf(2)));
    m_document->add(0);  // its line is another one now
    QVERIFY(m_panel->watch().outlook() == nullptr);
    QVERIFY(hasErrors(m_panel->watch().problemsOf(3)));
    m_document->setValues(3, {}, {{.key = "image", .text = {}}});
    QVERIFY(!hasErrors(m_panel->watch().problemsOf(3)));
}

void StoryboardTest::whatWasKeptIsThereWithoutItsFile() {
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("broken.yaml")).toStdString();
    writeFileAtomically(file, "shots: [\n");
    m_document->bringBack(threeShots, file);
    QCOMPARE(names(), listOf("dawn|noon|dusk"));
    QVERIFY(m_document->file().empty());
    QVERIFY(m_document->isModified());
    QCOMPARE(readFile(file), std::string("shots: [\n"));
}

void StoryboardTest::aProblemOfAllShotsStandsAbove() {
    open("attention: nothing\n" + std::string(threeShots));
    awaitPlan();
    QVERIFY(hasErrors(m_panel->watch().problemsOf(-1)));
    QVERIFY(!hasErrors(m_panel->watch().problemsOf(0)));
    QVERIFY(!m_panel->makeButton().isEnabled());
    QVERIFY2(m_panel->makeButton().toolTip().startsWith(QStringLiteral("What all shots share")),
             qPrintable(m_panel->makeButton().toolTip()));
}

void StoryboardTest::theOnlyShotStays() {
    open("shots:\n  - prompt: a\n");
    m_panel->strip().setFocus();
    QTest::keyClick(&m_panel->strip(), Qt::Key_Delete);
    QCOMPARE(m_document->count(), 1);
    QVERIFY(!m_panel->actions().remove->isEnabled());
}

void StoryboardTest::whatIsNoStoryboardIsNotOpened() {
    for (const char* text : {"version: 3\nprompt: a\n", "shots:\n  - prompt: [\n", "shots:\n"}) {
        QVERIFY_THROWS_EXCEPTION(ProjectError, open(text));
        QCOMPARE(names(), listOf("dawn|noon|dusk"));
    }
}

void StoryboardTest::aNewStoryboardHasTheProject() {
    Project project;
    project.prompt = "a red ball";
    project.width = 128;
    m_document->startNew(project);
    QCOMPARE(m_document->count(), 1);
    QCOMPARE(m_document->shot(0).project.width, 128);
    QVERIFY(m_document->file().empty());
    QVERIFY(!m_document->isModified());
    project.width = 96;
    m_document->add(1);
    m_document->shareProject(project);
    QCOMPARE(m_document->shot(1).project.width, 96);
    QVERIFY(m_document->isModified());
}

void StoryboardTest::everythingHasAName() {
    awaitPlan();
    QCOMPARE(namelessControls(*m_panel), QStringList());
    const QString spoken = tile(1, Qt::AccessibleTextRole);
    for (const char* part : {"Shot 2 of 3, noon", "Not made", "goes on from another shot", "a star"})
        QVERIFY2(spoken.contains(QLatin1String(part)), qPrintable(spoken));
}

MESHREEL_TEST_CLASS(StoryboardTest)
#include "storyboard_test.moc"
