// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/studio_test_case.h"

#include <QAction>
#include <QApplication>
#include <QDragEnterEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QUrl>
#include <algorithm>

#include "ui/queue/queue_panel.h"
#include "ui/queue/run_queue.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/studies/tune_panel.h"

namespace meshreel::testing {

namespace {

constexpr QSize windowSize{1280, 800};  ///< whatever the size of the screen

}  // namespace

void StudioTestCase::initTestCase() {
    qputenv("XDG_DATA_HOME", m_folder.filePath(QStringLiteral("data")).toLocal8Bit());
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder.filePath(QStringLiteral("settings")));
    QCoreApplication::setOrganizationName(QStringLiteral("Meshreel"));
    QCoreApplication::setApplicationName(QStringLiteral("StudioTest"));
}

void StudioTestCase::init() {
    openWindow();
}

void StudioTestCase::cleanup() {
    m_window.reset();
}

void StudioTestCase::openWindow() {
    m_window = std::make_unique<MainWindow>();
    m_window->resize(windowSize);
    m_window->show();
    onEvent<FolderReady>(m_window->runs().controller(), this, [this](const FolderReady& ready) {
        m_lastFolder = QString::fromStdString(ready.folder.string());
    });
}

void StudioTestCase::typeText(const char* key, const QString& text) {
    KeyRow* row = m_window->panels().editor().row(QLatin1String(key));
    QVERIFY(row != nullptr);
    if (auto* line = row->field().findChild<QLineEdit*>()) {
        line->selectAll();
        QTest::keyClicks(line, text);
    } else {
        auto* paragraph = row->field().findChild<QPlainTextEdit*>();
        QVERIFY(paragraph != nullptr);
        paragraph->selectAll();
        QTest::keyClicks(paragraph, text);
    }
}

void StudioTestCase::fillIn(int steps) {
    typeText("prompt", QStringLiteral("a red ball moving right on a black background"));
    typeText("num_inference_steps", QString::number(steps));
}

void StudioTestCase::clickRun() {
    QVERIFY(button("run")->isEnabled());
    QTest::mouseClick(button("run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->runs().isBusy(), runMilliseconds);  // once it is checked
    QCOMPARE(button("run")->text(), QStringLiteral("Queue"));              // what else is run follows
}

void StudioTestCase::runToEnd(int steps) {
    fillIn(steps);
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(lastRunIs(RunStatus::Done), runMilliseconds);
}

void StudioTestCase::drop(const QStringList& files, QWidget* target) {
    QWidget* receiver = target != nullptr ? target : m_window.get();
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files)
        urls += QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(receiver, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(receiver, &event);
}

void StudioTestCase::addToQueue() {
    const int before = m_window->queue().rowCount();
    m_window->panels().queue().actions().add->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().rowCount(), before + 1,
                              runMilliseconds);  // once it is checked
}

void StudioTestCase::startLongSearch() {
    TunePanel& tune = m_window->panels().tune();
    TileTuningOptions options = tune.form().options();
    options.timing.iterations = 10000;
    tune.form().setOptions(options);
    tune.start();
    QVERIFY(tune.tuner().isBusy());
}

QAction* StudioTestCase::action(const char* text) const {
    const QList<QAction*> actions = m_window->findChildren<QAction*>();
    const auto found = std::ranges::find_if(actions, [text](const QAction* action) {
        return action->text() == QLatin1String(text) && action->menu() == nullptr;
    });
    return found == actions.end() ? nullptr : *found;
}

QPushButton* StudioTestCase::button(const char* name) const {
    return m_window->findChild<QPushButton*>(QLatin1String(name));
}

bool StudioTestCase::lastRunIs(RunStatus status) const {
    const QModelIndex index = m_window->history().indexOf(m_lastFolder);
    return index.isValid() && m_window->history().run(index).state.status == status;
}

RunSummary StudioTestCase::lastRun() const {
    return summarizeRun(m_lastFolder.toStdString());
}

}  // namespace meshreel::testing
