// SPDX-License-Identifier: GPL-3.0-or-later
// What is dragged out of the Studio's lists, with the mouse, and dropped where the pages and tips say.
#include <QDragEnterEvent>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>
#include <filesystem>

#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/filled_runs.h"
#include "tests/support/studio/real_drag.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/compare/compare_panel.h"
#include "ui/queue/queue_panel.h"
#include "ui/runs/recent_strip.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/widgets/edits.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

/// Takes files as a file manager does.
class FileTaker : public QWidget {
  public:
    FileTaker() { setAcceptDrops(true); }
    QList<QUrl> taken;

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override { event->acceptProposedAction(); }
    void dropEvent(QDropEvent* event) override {
        taken = event->mimeData()->urls();
        event->acceptProposedAction();
    }
};

}  // namespace

class StudioDragsTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void aRecentResultIsDraggedToOtherPrograms();
    void aRunWithoutAVideoIsDraggedAsItsFolder();
    void aRecentResultIsDraggedOntoCompare();
    void aRecentResultIsDraggedOntoAnInput();
    void aClickStillOpens();
    void rowsOfTheQueueAreDragged();

  private:
    void makeARun();
    /// The middle of the thumbnail of a run.
    QPoint placeOf(const QString& run);
    DraggedData dragTo(QWidget& target, const QPoint& place);
    [[nodiscard]] RecentStrip& strip() const { return m_window->panels().recent(); }
};

/// One for all tests, as the folder of runs is.
void StudioDragsTest::makeARun() {
    if (m_lastFolder.isEmpty())
        runToEnd(2);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->history().indexOf(m_lastFolder).isValid(), runMilliseconds);
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

QPoint StudioDragsTest::placeOf(const QString& run) {
    const QModelIndex index = m_window->history().indexOf(run);
    strip().scrollTo(index);
    return strip().visualRect(index).center();
}

DraggedData StudioDragsTest::dragTo(QWidget& target, const QPoint& place) {
    return dragAndDrop(strip(), placeOf(m_lastFolder), target, place);
}

void StudioDragsTest::aRecentResultIsDraggedToOtherPrograms() {
    makeARun();
    FileTaker files;
    files.resize(300, 200);
    files.show();
    QVERIFY(QTest::qWaitForWindowExposed(&files));
    const DraggedData dragged = dragTo(files, files.rect().center());
    QVERIFY(dragged.began);
    const QList<QUrl> video{QUrl::fromLocalFile(QString::fromStdString(lastRun().video->string()))};
    QCOMPARE(dragged.urls, video);
    QCOMPARE(files.taken, video);
    QVERIFY(std::filesystem::is_regular_file(files.taken.first().toLocalFile().toStdString()));
}

void StudioDragsTest::aRunWithoutAVideoIsDraggedAsItsFolder() {
    makeARun();
    const std::filesystem::path folder = m_folder.filePath(QStringLiteral("runs")).toStdString();
    const QString failed = QString::fromStdString(writeFilledRuns(folder).failed.string());
    openWindow();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->history().indexOf(failed).isValid(), runMilliseconds);
    FileTaker files;
    files.resize(300, 200);
    files.show();
    QVERIFY(QTest::qWaitForWindowExposed(&files));
    const DraggedData dragged = dragAndDrop(strip(), placeOf(failed), files, files.rect().center());
    QVERIFY(dragged.began);
    QCOMPARE(files.taken, QList<QUrl>{QUrl::fromLocalFile(failed)});
}

void StudioDragsTest::aRecentResultIsDraggedOntoCompare() {
    makeARun();
    ComparePanel compare;  // in a window of its own, as panels float
    compare.resize(600, 400);
    compare.show();
    QVERIFY(QTest::qWaitForWindowExposed(&compare));
    QSignalSpy compared(&compare, &ComparePanel::compared);
    const DraggedData dragged = dragTo(compare, compare.rect().center());
    QVERIFY(dragged.began);
    QTRY_COMPARE_WITH_TIMEOUT(compared.count(), 1, runMilliseconds);
    QCOMPARE(compare.runs().size(), 1U);
    QVERIFY2(compare.obstacle().isEmpty(), qPrintable(compare.obstacle()));
}

void StudioDragsTest::aRecentResultIsDraggedOntoAnInput() {
    makeARun();
    m_window->document().setText(*findProjectKey("pretrained_model_name_or_path"),
                                 QStringLiteral("tiny-wan-i2v"));
    QTRY_VERIFY(!m_window->planWatch().isPending());
    const KeyRow* row = m_window->panels().editor().row(QStringLiteral("image"));
    auto* field = row->field().findChild<PathEdit*>();
    QVERIFY(field != nullptr);
    m_window->panels().editor().goTo(QStringLiteral("image"));
    QTRY_VERIFY(field->isVisible() && !field->visibleRegion().isEmpty());
    const DraggedData dragged = dragTo(*field, field->visibleRegion().boundingRect().center());
    QVERIFY(dragged.began);
    QCOMPARE(field->text(), shownPath(QString::fromStdString(lastRun().video->string())));
    QCOMPARE(m_window->document().project().image, lastRun().video->string());
    QTRY_VERIFY(!m_window->planWatch().isPending());
    QVERIFY(m_window->planWatch().forecast().plan != nullptr);
}

void StudioDragsTest::aClickStillOpens() {
    makeARun();
    QSignalSpy asked(&strip(), &RecentStrip::openRequested);
    QTest::mouseClick(strip().viewport(), Qt::LeftButton, {}, placeOf(m_lastFolder));
    QCOMPARE(asked.count(), 1);
}

void StudioDragsTest::rowsOfTheQueueAreDragged() {
    RunQueue& queue = m_window->queue();
    for (const int seed : {1, 2, 3}) {
        Project project;
        project.prompt = "a red ball";
        project.seed = seed;
        queue.add(project);
    }
    QueuePanel panel(queue);
    panel.resize(700, 400);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    auto* table = panel.findChild<QTreeView*>();
    const auto middle = [&](int row) {
        return table->visualRect(queue.index(row, RunQueue::Title)).center();
    };
    const DraggedData dragged = dragAndDrop(*table, middle(0), *table->viewport(), middle(2));
    QVERIFY(dragged.began);  // where rows go is told by the tests of RunQueue
}

MESHREEL_TEST_CLASS(StudioDragsTest)
#include "studio_drags_test.moc"
