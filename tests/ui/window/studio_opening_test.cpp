// SPDX-License-Identifier: GPL-3.0-or-later
// What is opened, saved, refused or led to.
#include <QApplication>
#include <QClipboard>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <string_view>

#include "engine/base/files.h"
#include "engine/runs/run_folder.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/attention/attention_panel.h"
#include "ui/charts/step_chart.h"
#include "ui/player/player_widget.h"
#include "ui/project/project_document.h"
#include "ui/queue/queue_panel.h"
#include "ui/running/run_bar.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/problem_panel.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/yaml_panel.h"
#include "ui/studies/tune_panel.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"

using namespace meshreel;
using namespace meshreel::testing;

class StudioOpeningTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void opensARun();
    void anotherRunIsOpenedDuringARun();
    void whatIsOpenedLastIsShown();
    void runsThatCannotBeReadAreExplained();
    void illegalSizeIsExplained();
    void missingModelIsExplained();
    void pathThatIsNothingIsExplained();
    void savesAndOpens();
    void projectsOfOthersAskOnce();
    void pastedProjectsAsk();
    void attentionLeadsToTune();
};

void StudioOpeningTest::opensARun() {
    runToEnd(fewSteps);
    const QString run = m_lastFolder;
    openWindow();
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(run);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->panels().results().chart().chart().pointCount(), fewSteps);
    QVERIFY(m_window->panels().results().summary().text().contains(QLatin1String("Denoise Total")));
    QVERIFY(!m_window->panels().results().player().clip().isEmpty());
    QCOMPARE(m_window->document().project().numInferenceSteps, fewSteps);
    QVERIFY(!m_window->document().isModified());
}

void StudioOpeningTest::anotherRunIsOpenedDuringARun() {
    const QString other = m_folder.filePath(QStringLiteral("other"));
    makeRun(other.toStdString(), 1);
    const ResultsView& results = m_window->panels().results();
    const auto points = [&results] { return results.chart().chart().pointCount(); };
    fillIn(manySteps);
    QVERIFY(m_window->files().saveTo(m_folder.filePath(QStringLiteral("going-on.yaml"))));
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(points() >= 1, runMilliseconds);
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(other);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QVERIFY2(!m_window->banner().isVisible(), qPrintable(m_window->banner().text()));
    QCOMPARE(m_window->document().project().prompt, std::string("ball number 1"));
    QVERIFY(m_window->runs().isBusy());
    QVERIFY(!results.showsPreview());
    QCOMPARE(points(), 3);  // of the one opened
    emit m_window->panels().history().openRequested(m_lastFolder);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, runMilliseconds);
    QVERIFY(results.showsPreview());
    QVERIFY(!results.isAside());
    QTest::mouseClick(button("cancel"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QCOMPARE(points(), lastRun().stepsDone);
}

void StudioOpeningTest::whatIsOpenedLastIsShown() {
    const auto folder = [this](const char* name) { return m_folder.filePath(QLatin1String(name)); };
    const QString former = folder("former");
    const QString latter = folder("latter");
    makeRun(former.toStdString(), 0);
    makeRun(latter.toStdString(), 1);
    const QString project = folder("last.yaml");
    writeFileAtomically(project.toStdString(), "version: 1\nprompt: opened last\n");
    const std::string prompt = RunFolder::open(latter.toStdString()).project().prompt;
    QVERIFY(prompt != RunFolder::open(former.toStdString()).project().prompt);

    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(former);
    m_window->openPath(latter);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(opened.first().first().toString(), latter);
    QCOMPARE(m_window->document().project().prompt, prompt);

    m_window->openPath(former);
    m_window->openPath(project);  // which needs no reading on another thread
    QCOMPARE(opened.count(), 2);
    QVERIFY(!QTest::qWaitFor([&opened] { return opened.count() != 2; }, 200));
    QCOMPARE(m_window->document().project().prompt, std::string("opened last"));

    m_window->openPath(former);
    m_window.reset();  // while it is being read
}

void StudioOpeningTest::runsThatCannotBeReadAreExplained() {
    const QString run = m_folder.filePath(QStringLiteral("damaged"));
    makeRun(run.toStdString(), 0);
    std::filesystem::remove(std::filesystem::path(run.toStdString()) / run_file::project);
    const MessageBanner& banner = m_window->banner();
    const auto explains = [&banner] {
        return banner.isVisible() && banner.text().contains(QLatin1String("project.yaml"));
    };
    m_window->openPath(run);
    QTRY_VERIFY(explains());
    m_window->banner().closeAll();
    m_window->runs().resume(run, false);
    QTRY_VERIFY(explains());
    QVERIFY(!m_window->runs().isBusy());
    QVERIFY(!button("resume")->isVisible());
    m_window->banner().closeAll();
    m_window->runs().decodeAgain(run);
    QTRY_VERIFY(explains());
    QVERIFY(!m_window->runs().isBusy());
}

void StudioOpeningTest::illegalSizeIsExplained() {
    fillIn(fewSteps);
    typeText("width", QStringLiteral("70"));
    QVERIFY(!button("run")->isEnabled());
    QVERIFY(m_window->panels().editor().row(QStringLiteral("width"))->field().isInvalid());
    QVERIFY(!m_window->panels().editor().row(QStringLiteral("width"))->message().isEmpty());
    QVERIFY(m_window->runBar().statusText().startsWith(QLatin1String("Width")));
    typeText("width", QStringLiteral("64"));
    QVERIFY(button("run")->isEnabled());
    QVERIFY(m_window->runBar().statusText().isEmpty());
}

void StudioOpeningTest::missingModelIsExplained() {
    fillIn(fewSteps);
    typeText("pretrained_model_name_or_path", QStringLiteral("no-such-model"));
    QVERIFY(button("run")->isEnabled());  // nothing is known of this model yet
    QTest::mouseClick(button("run"), Qt::LeftButton);
    QTRY_VERIFY(!m_window->planWatch().isPending());
    QVERIFY2(!m_window->runs().isBusy(), "the project was checked first");
    QVERIFY(!button("run")->isEnabled());
    QVERIFY2(m_window->runBar().statusText().contains(QLatin1String("no-such-model")),
             qPrintable(m_window->runBar().statusText()));
    emit m_window->panels().queue().addRequested();
    QCOMPARE(m_window->queue().rowCount(), 0);
    QVERIFY(m_window->panels().problems().isVisible());  // the drawer opens for it
    typeText("pretrained_model_name_or_path", QStringLiteral("tiny-wan-t2v"));
    QTRY_VERIFY(button("run")->isEnabled());
}

void StudioOpeningTest::pathThatIsNothingIsExplained() {
    m_window->openPath(m_folder.filePath(QStringLiteral("nowhere.mp4")));
    QVERIFY(m_window->banner().isVisible());
    QVERIFY(m_window->banner().text().contains(QLatin1String("nowhere.mp4")));
}

void StudioOpeningTest::savesAndOpens() {
    fillIn(fewSteps);
    QVERIFY(m_window->isWindowModified());
    const QString file = m_folder.filePath(QStringLiteral("ball.yaml"));
    QVERIFY(m_window->files().saveTo(file));
    QVERIFY(!m_window->isWindowModified());
    QVERIFY(m_window->windowTitle().startsWith(QLatin1String("ball.yaml")));
    QCOMPARE(m_window->files().recentFiles().first(), file);
    const Project saved = m_window->document().project();
    QVERIFY(!m_window->banner().isVisible());
    typeText("width", QStringLiteral("wide"));
    QVERIFY(m_window->files().saveTo(file));
    QVERIFY(m_window->banner().isVisible());

    openWindow();
    m_window->openPath(file);
    QCOMPARE(m_window->document().project(), saved);
    QVERIFY(!m_window->isWindowModified());
    typeText("seed", QStringLiteral("12"));
    QVERIFY(m_window->isWindowModified());
}

namespace {

/// Answers the sheets that ask for trust while `work` is done; the words of the last one.
QString answerTrust(bool agrees, const std::function<void()>& work) {
    QString words;
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, &poll, [&] {
        auto* sheet = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (sheet == nullptr || sheet->objectName() != QLatin1String("trustSheet"))
            return;
        words = sheet->text();
        for (QAbstractButton* answer : sheet->buttons())
            if ((sheet->buttonRole(answer) == QMessageBox::AcceptRole) == agrees)
                answer->click();
    });
    poll.start(10);
    work();
    return words;
}

}  // namespace

void StudioOpeningTest::projectsOfOthersAskOnce() {
    const QString file = m_folder.filePath(QStringLiteral("stranger.yaml"));
    writeFileAtomically(
        file.toStdString(),
        std::string_view("version: 3\nprompt: a stranger's\nimage: /etc/passwd\nhosts: /etc/hosts\n"));
    const auto open = [&](bool agrees) { return answerTrust(agrees, [&] { m_window->openPath(file); }); };
    const QString words = open(false);
    QVERIFY2(words.contains(QLatin1String("/etc/passwd")) && words.contains(QLatin1String("/etc/hosts")),
             qPrintable(words));
    QVERIFY(m_window->document().project().prompt != "a stranger's");
    QVERIFY(!open(true).isEmpty());
    QCOMPARE(m_window->document().project().prompt, std::string("a stranger's"));
    m_window->document().startNew();
    QVERIFY2(open(false).isEmpty(), "the folder has its answer");
    QCOMPARE(m_window->document().project().prompt, std::string("a stranger's"));
}

void StudioOpeningTest::pastedProjectsAsk() {
    YamlEditor editor;
    const auto paste = [&editor](const char* text, bool agrees) {
        return answerTrust(agrees, [&] {
            QMimeData data;
            data.setText(QLatin1String(text));
            struct Pasting : YamlEditor {
                using YamlEditor::insertFromMimeData;
            };
            (editor.*&Pasting::insertFromMimeData)(&data);
        });
    };
    QVERIFY(!paste("version: 3\nvideo: ~/private.mp4\n", false).isEmpty());
    QCOMPARE(editor.toPlainText(), QString());
    QVERIFY(paste("prompt: a river\n", false).isEmpty());
    QCOMPARE(editor.toPlainText(), QStringLiteral("prompt: a river\n"));
    QVERIFY(!paste("video: ~/private.mp4\n", true).isEmpty());
    QVERIFY(editor.toPlainText().contains(QLatin1String("private.mp4")));
}

void StudioOpeningTest::attentionLeadsToTune() {
    const StudioPanels& panels = m_window->panels();
    m_window->docks().showPanel(&panels.attention());
    QTRY_VERIFY(!panels.attention().visibleRegion().isEmpty());
    QVERIFY(panels.tune().visibleRegion().isEmpty());
    emit panels.attention().tuneRequested();
    QTRY_VERIFY(!panels.tune().visibleRegion().isEmpty());
}

MESHREEL_TEST_CLASS(StudioOpeningTest)
#include "studio_opening_test.moc"
