// SPDX-License-Identifier: GPL-3.0-or-later
// What a result is to the next video, settings that are taken over singly, files of other programs, and the
// question after a crash.
#include <QApplication>
#include <QBuffer>
#include <QByteArray>
#include <QImage>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QtEndian>
#include <algorithm>
#include <filesystem>
#include <functional>

#include "engine/base/files.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/filled_runs.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/library/models_panel.h"
#include "ui/player/player_widget.h"
#include "ui/project/task_switch.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/recent_strip.h"
#include "ui/runs/results_view.h"
#include "ui/settings/input_request.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/task_picker.h"
#include "ui/settings/variations.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/tour.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

QAction* entryOf(const QMenu& menu, const QString& text) {
    const QList<QAction*> actions = menu.actions();
    const auto found = std::ranges::find_if(actions, [&text](const QAction* action) {
        return !action->isSeparator() && QString(action->text()).remove(QLatin1Char('&')).startsWith(text);
    });
    return found == actions.end() ? nullptr : *found;
}

/// Opens a menu and goes through it with the keyboard: by the texts of its entries, the last of which is
/// taken. `skipped` passes over entries of the same text. Returns false where one is missing or grey.
bool pick(const std::function<void()>& open, const QStringList& path, int skipped = 0) {
    bool done = false;
    QTimer poll;
    poll.callOnTimeout([&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (menu == nullptr)
            return;
        poll.stop();
        for (const QString& text : path) {
            QAction* entry = entryOf(*menu, text);
            if (text == path.last())
                for (int more = skipped; more > 0 && entry != nullptr; --more) {
                    const QList<QAction*> all = menu->actions();
                    const auto next =
                        std::find_if(all.begin() + all.indexOf(entry) + 1, all.end(),
                                     [&](const QAction* each) { return each->text() == entry->text(); });
                    entry = next == all.end() ? nullptr : *next;
                }
            if (entry == nullptr || !entry->isEnabled())
                break;
            menu->setActiveAction(entry);
            if (entry->menu() != nullptr) {
                QTest::keyClick(menu, Qt::Key_Right);
                menu = entry->menu();
            } else {
                done = true;
                QTest::keyClick(menu, Qt::Key_Return);
            }
        }
        while (QWidget* popup = QApplication::activePopupWidget())
            popup->close();
    });
    constexpr int pollMilliseconds = 10;
    poll.start(pollMilliseconds);
    open();
    return QTest::qWaitFor([&] { return done || !poll.isActive(); }) && done;
}

}  // namespace

class StudioCreateTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void theShownFrameBeginsTheNextVideo();
    void theLastFrameOfARecentResultEndsTheNextVideo();
    void whatNoModelTakesIsGrey();
    void settingsAreTakenOverSingly();
    void aMissingModelLeadsToModels();
    void newSeedsEndWhereAProjectHasItsOwn();
    void aWorkflowOfAnotherProgramIsNamed();
    void aPictureThatHoldsAWorkflowSaysSo();
    void theQuestionAfterACrashStays();

  private:
    /// Finished runs, as if they had been made; the first is shown. Once for all tests.
    void makeRuns();
    void begin();
    [[nodiscard]] const Project& project() { return m_window->document().project(); }
    [[nodiscard]] TaskSwitch& tasks() const { return m_window->panels().editor().tasks().taskSwitch(); }
    [[nodiscard]] QPushButton* offer(const QString& title) const {
        const QList<QPushButton*> buttons = m_window->banner().findChildren<QPushButton*>();
        const auto found = std::ranges::find_if(buttons, [&title](const QPushButton* each) {
            return each->text() == title && each->isVisible();
        });
        return found == buttons.end() ? nullptr : *found;
    }

    FilledRuns m_runs;
    QString m_done;
};

void StudioCreateTest::makeRuns() {
    if (!m_done.isEmpty())
        return;
    m_runs = writeFilledRuns(m_folder.filePath(QStringLiteral("runs")).toStdString());
    m_done = QString::fromStdString(m_runs.done.string());
}

void StudioCreateTest::begin() {
    makeRuns();
    m_window.reset();
    QSettings().clear();
    openWindow();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->history().indexOf(m_done).isValid(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(tasks().tasksHere().contains(WanTask::ImageToVideo), runMilliseconds);
}

void StudioCreateTest::theShownFrameBeginsTheNextVideo() {
    begin();
    m_window->openPath(m_done);  // whose project is taken over
    PlayerWidget& player = m_window->panels().results().player();
    QTRY_VERIFY_WITH_TIMEOUT(!player.clip().isEmpty(), runMilliseconds);
    m_window->document().startNew();
    typeText("prompt", QStringLiteral("a ball"));
    player.playback().pause();
    player.playback().seek(2);
    const QImage shown = player.shownFrame();
    auto* use = m_window->findChild<QToolButton*>(QStringLiteral("useResult"));
    QVERIFY(use->isVisible());
    QVERIFY(pick([use] { QTest::mouseClick(use, Qt::LeftButton); }, {QStringLiteral("First image")}));
    QTRY_VERIFY_WITH_TIMEOUT(!project().image.empty(), runMilliseconds);
    QCOMPARE(project().model, std::string("tiny-wan-i2v"));
    QCOMPARE(project().prompt, std::string("a ball"));
    QImage kept;
    QVERIFY(kept.load(QString::fromStdString(project().image)));
    QCOMPARE(kept.convertToFormat(QImage::Format_RGB32), shown.convertToFormat(QImage::Format_RGB32));
    QTRY_VERIFY(!m_window->planWatch().isPending());
    QVERIFY(m_window->planWatch().forecast().plan != nullptr);
    QTest::mouseClick(offer(QStringLiteral("Undo")), Qt::LeftButton);
    QVERIFY(project().image.empty());
    QCOMPARE(project().model, std::string("tiny-wan-t2v"));
}

void StudioCreateTest::theLastFrameOfARecentResultEndsTheNextVideo() {
    begin();
    RecentStrip& strip = m_window->panels().recent();
    QTRY_VERIFY(strip.isVisible());
    const QModelIndex run = m_window->history().indexOf(m_done);
    strip.scrollTo(run);
    const QPoint place = strip.visualRect(run).center();
    const auto openMenu = [&] { emit strip.customContextMenuRequested(place); };
    QVERIFY(pick(openMenu, {QStringLiteral("Use as"), QStringLiteral("Last image")}));
    QTRY_VERIFY_WITH_TIMEOUT(!project().lastImage.empty(), runMilliseconds);
    QCOMPARE(project().task, std::string("flf2v"));
    QVERIFY(QString::fromStdString(project().lastImage).endsWith(QLatin1String("-frame-0004.png")));
    // The task needs a first one, too: the form asks for it.
    const InputRequest& request = m_window->panels().editor().tasks().request();
    QTRY_VERIFY(request.isVisible());
    QCOMPARE(request.key()->name, std::string_view("image"));
    QVERIFY(pick(openMenu, {QStringLiteral("Use as"), QStringLiteral("First image")}, 1));  // its first frame
    QTRY_VERIFY_WITH_TIMEOUT(!project().image.empty(), runMilliseconds);
    QVERIFY(QString::fromStdString(project().image).endsWith(QLatin1String("-frame-0000.png")));
    QCOMPARE(project().task, std::string("flf2v"));  // which stays
    QVERIFY(!project().lastImage.empty());
    QVERIFY(pick(openMenu, {QStringLiteral("Use as"), QStringLiteral("Video to make over")}));
    QTRY_VERIFY_WITH_TIMEOUT(!project().video.empty(), runMilliseconds);
    QCOMPARE(project().task, std::string("v2v"));
    QVERIFY(project().image.empty() && project().lastImage.empty());
    QVERIFY(pick(openMenu, {QStringLiteral("Use as"), QStringLiteral("Continue")}));
    QTRY_COMPARE(project().continueFrom, m_runs.done.string());
}

void StudioCreateTest::whatNoModelTakesIsGrey() {
    begin();
    RecentStrip& strip = m_window->panels().recent();
    const QPoint place = strip.visualRect(m_window->history().indexOf(m_done)).center();
    const auto openMenu = [&] { emit strip.customContextMenuRequested(place); };
    for (const char* use : {"Reference images", "Control video"})
        QVERIFY2(!pick(openMenu, {QStringLiteral("Use as"), QLatin1String(use)}), use);
    // A run without a video is none.
    const QModelIndex failed = m_window->history().indexOf(QString::fromStdString(m_runs.failed.string()));
    strip.scrollTo(failed);
    const QPoint there = strip.visualRect(failed).center();
    QVERIFY(!pick([&] { emit strip.customContextMenuRequested(there); },
                  {QStringLiteral("Use as"), QStringLiteral("First image")}));
}

void StudioCreateTest::settingsAreTakenOverSingly() {
    begin();
    HistoryPanel& panel = m_window->panels().history();
    panel.select(m_done);
    const Project made = filledProject();
    QMenu* only = nullptr;
    for (QAction* action : panel.table().actions())
        if (action->menu() != nullptr && entryOf(*action->menu(), QStringLiteral("Seed")) != nullptr)
            only = action->menu();
    QVERIFY(only != nullptr);
    const auto open = [&] { only->popup(m_window->mapToGlobal(QPoint(50, 50))); };
    const int steps = m_window->document().undoStack().count();
    QVERIFY(pick(open, {QStringLiteral("Seed")}));
    QTRY_COMPARE(project().seed, made.seed);
    QVERIFY(project().prompt.empty());
    QCOMPARE(project().width, Project().width);
    QVERIFY(pick(open, {QStringLiteral("Prompt")}));
    QTRY_COMPARE(project().prompt, made.prompt);
    QCOMPARE(project().negativePrompt, made.negativePrompt);
    QVERIFY(pick(open, {QStringLiteral("Size")}));
    QTRY_COMPARE(project().width, made.width);
    QCOMPARE(project().height, made.height);
    QCOMPARE(project().numFrames, made.numFrames);
    QCOMPARE(project().devices, Project().devices);
    QVERIFY(m_window->document().undoStack().count() >= steps + 2);
}

void StudioCreateTest::aMissingModelLeadsToModels() {
    begin();
    QTest::mouseClick(m_window->findChild<QToolButton*>(QStringLiteral("task-edit")), Qt::LeftButton);
    auto* get = m_window->findChild<QPushButton*>(QStringLiteral("getModel"));
    QTRY_VERIFY_WITH_TIMEOUT(get->isVisible(), runMilliseconds);
    QTest::mouseClick(get, Qt::LeftButton);
    ModelsPanel& models = m_window->panels().models();
    QTRY_VERIFY(models.isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(models.getButton().isVisible(), runMilliseconds);
    const OfferedModel* shown = models.models().offeredModel(models.table().currentIndex().row());
    QVERIFY(shown != nullptr);
    QVERIFY2(QString::fromStdString(shown->offer->id).contains(QLatin1String("vace")),
             shown->offer->id.c_str());
}

void StudioCreateTest::newSeedsEndWhereAProjectHasItsOwn() {
    begin();
    Variations& variations = m_window->panels().editor().variations();
    const auto openProject = [this](const char* text) {
        const QString file = m_folder.filePath(QStringLiteral("seeded.yaml"));
        writeFileAtomically(file.toStdString(), text);
        m_window->openPath(file);
    };
    variations.set(3, true);
    openProject("version: 3\nprompt: a ball\n");
    QVERIFY(variations.freshSeeds());  // the project leaves it open
    openProject("version: 3\nprompt: a ball\nseed: 0\n");
    QVERIFY(!variations.freshSeeds());
    QVERIFY(variations.wantsFreshSeeds());  // for other projects, and the next time
    QCOMPARE(variations.videos(), 3);
    openProject("version: 3\nprompt: a ball\n");
    QVERIFY(variations.freshSeeds());
    variations.set(1, true);
    m_window->openPath(m_done);
    QTRY_VERIFY_WITH_TIMEOUT(!variations.freshSeeds(), runMilliseconds);
}

namespace {

constexpr const char* workflow =
    R"({"3": {"class_type": "KSampler", "inputs": {"seed": 5, "steps": 20}}, "6": {"class_type": "CLIPTextEncode"}})";

/// Of PNG: the CRC of zlib.
quint32 checksum(const QByteArray& bytes) {
    constexpr quint32 polynomial = 0xedb88320;
    quint32 value = 0xffffffff;
    for (const char byte : bytes) {
        value ^= static_cast<quint8>(byte);
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1U) ^ ((value & 1U) != 0 ? polynomial : 0);
    }
    return ~value;
}

/// The picture with a note that is not compressed, as Pillow writes it for ComfyUI. Qt compresses long ones.
QByteArray withNote(const QByteArray& png, const QByteArray& key, const QByteArray& text) {
    constexpr int headerEnd = 8 + 12 + 13;  // signature, and the chunk IHDR
    const auto number = [](quint32 value) {
        QByteArray bytes(4, '\0');
        qToBigEndian(value, bytes.data());
        return bytes;
    };
    const QByteArray body = "tEXt" + key + '\0' + text;
    const QByteArray chunk = number(static_cast<quint32>(body.size() - 4)) + body + number(checksum(body));
    return png.left(headerEnd) + chunk + png.mid(headerEnd);
}

}  // namespace

void StudioCreateTest::aWorkflowOfAnotherProgramIsNamed() {
    begin();
    const QString file = m_folder.filePath(QStringLiteral("workflow.json"));
    writeFileAtomically(file.toStdString(), workflow);
    drop({file});
    QTRY_VERIFY2(m_window->banner().text().contains(QLatin1String("ComfyUI workflow")),
                 qPrintable(m_window->banner().text()));
    QVERIFY(m_window->banner().text().contains(QLatin1String("into a project")));  // what to do
    QVERIFY(project().prompt.empty());
}

void StudioCreateTest::aPictureThatHoldsAWorkflowSaysSo() {
    begin();
    const QString file = m_folder.filePath(QStringLiteral("comfy.png"));
    QImage image(8, 8, QImage::Format_RGB32);
    image.fill(Qt::red);
    QBuffer png;
    QVERIFY(png.open(QIODevice::WriteOnly) && image.save(&png, "PNG"));
    writeFileAtomically(file.toStdString(), withNote(png.data(), "prompt", workflow).toStdString());
    drop({file});
    QVERIFY(!project().image.empty());  // it is a picture all the same
    QVERIFY2(m_window->banner().text().contains(QLatin1String("ComfyUI workflow")),
             qPrintable(m_window->banner().text()));
}

void StudioCreateTest::theQuestionAfterACrashStays() {
    begin();
    typeText("prompt", QStringLiteral("a ring that nobody saved"));
    const auto isKept = [this] {
        const std::filesystem::path folder = m_folder.filePath(QStringLiteral("data/meshreel")).toStdString();
        return std::ranges::any_of(std::filesystem::directory_iterator(folder), [](const auto& entry) {
            return entry.path().extension() == ".yaml" &&
                   readFile(entry.path()).find("nobody saved") != std::string::npos;
        });
    };
    QTRY_VERIFY(isKept());
    m_window.reset();  // without being closed
    openWindow();
    constexpr std::chrono::milliseconds shortPatience{20};
    m_window->banner().setPatience(shortPatience);
    m_window->goOnWithLastSession();
    m_window->startFirstTour();  // as the program does
    const QString keep = QStringLiteral("Go on with it");
    QTRY_VERIFY(offer(keep) != nullptr);
    m_window->banner().showNote(QStringLiteral("A note that goes."));
    QTRY_VERIFY(!m_window->banner().text().contains(QLatin1String("A note that goes")));
    QVERIFY(offer(keep) != nullptr);
    QVERIFY(m_window->findChild<Tour*>() == nullptr);
    m_window->banner().closeAll();  // as a run does
    QVERIFY(offer(keep) != nullptr);
    QTest::mouseClick(offer(keep), Qt::LeftButton);
    QVERIFY(!m_window->banner().isVisible());
    QTRY_VERIFY(m_window->findChild<Tour*>() != nullptr);
    QCOMPARE(project().prompt, std::string("a ring that nobody saved"));
}

MESHREEL_TEST_CLASS(StudioCreateTest)
#include "studio_create_test.moc"
