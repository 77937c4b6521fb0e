// SPDX-License-Identifier: GPL-3.0-or-later
// What was given for a task comes back with its button after a restart, too.
#include <QApplication>
#include <QTest>
#include <QToolButton>

#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/project/project_document.h"

using namespace meshreel;
using namespace meshreel::testing;

class StudioTasksTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void inputsOfATaskOutliveTheSession();
    void anotherProjectForgetsThemForGood();

  private:
    [[nodiscard]] QToolButton* taskButton(const char* task) const {
        return m_window->findChild<QToolButton*>(QLatin1String(task));
    }
    void click(const char* task) { QTest::mouseClick(taskButton(task), Qt::LeftButton); }
    [[nodiscard]] QString text(const char* key) const {
        return m_window->document().text(*findProjectKey(key));
    }
    void restart() {
        QVERIFY(m_window->close());  // which keeps it
        m_window.reset();
        openWindow();
        m_window->goOnWithLastSession();
    }
};

void StudioTasksTest::inputsOfATaskOutliveTheSession() {
    typeText("prompt", QStringLiteral("a red ball: \"round\" # 5"));
    QTRY_VERIFY_WITH_TIMEOUT(taskButton("task-text")->isChecked(), runMilliseconds);  // the model was read
    click("task-image");
    QTRY_COMPARE(text("task"), QStringLiteral("i2v"));
    typeText("prompt", QStringLiteral("it grows"));
    restart();
    QCOMPARE(text("prompt"), QStringLiteral("it grows"));
    click("task-text");
    QTRY_COMPARE(text("prompt"), QStringLiteral("a red ball: \"round\" # 5"));
    QCOMPARE(text("pretrained_model_name_or_path"), QStringLiteral("tiny-wan-t2v"));
    click("task-image");
    QTRY_COMPARE(text("prompt"), QStringLiteral("it grows"));
}

void StudioTasksTest::anotherProjectForgetsThemForGood() {
    typeText("prompt", QStringLiteral("a red ball"));
    QTRY_VERIFY_WITH_TIMEOUT(taskButton("task-text")->isChecked(), runMilliseconds);
    click("task-image");
    QTRY_COMPARE(text("task"), QStringLiteral("i2v"));
    m_window->document().startNew();
    typeText("prompt", QStringLiteral("a kite"));
    restart();
    QCOMPARE(text("prompt"), QStringLiteral("a kite"));
    click("task-image");
    QTRY_COMPARE(text("task"), QStringLiteral("i2v"));
    QCOMPARE(text("prompt"), QStringLiteral("a kite"));  // which goes along the first time
}

MESHREEL_TEST_CLASS(StudioTasksTest)
#include "studio_tasks_test.moc"
