// SPDX-License-Identifier: GPL-3.0-or-later
// The list of this machine's devices and the project in the window.
#include <QCheckBox>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>

#include "engine/gpu/gpu_list.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/running/devices_panel.h"
#include "ui/runs/results_view.h"
#include "ui/window/dock_host.h"

using namespace meshreel;
using namespace meshreel::testing;

class StudioDevicesTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void theListIsThatOfTheRunner();
    void ticksAreEditsOfTheProject();

  private:
    [[nodiscard]] MachineList& machine() const { return m_window->panels().results().devices().machine(); }
};

void StudioDevicesTest::theListIsThatOfTheRunner() {
    m_window->docks().showPanel(&m_window->panels().results().devices());
    const QTreeWidget& tree = machine().tree();
    QTRY_VERIFY_WITH_TIMEOUT(
        tree.topLevelItemCount() > 0 && tree.topLevelItem(0)->text(0).startsWith(QStringLiteral("CPU: ")),
        runMilliseconds);
    int gpus = 0;
    for (int row = 0; row < tree.topLevelItemCount(); ++row)
        gpus += tree.topLevelItem(row)->text(0).startsWith(QStringLiteral("GPU ")) ? 1 : 0;
    QCOMPARE(gpus, static_cast<int>(listGpus(askDrivers(usualQuestion())).size()));
}

void StudioDevicesTest::ticksAreEditsOfTheProject() {
    ProjectDocument& document = m_window->document();
    QVERIFY(machine().automatic().isChecked());
    emit machine().gpusChosen(QStringLiteral("none"));
    QVERIFY(document.project().gpus.isNone());
    QVERIFY(!machine().automatic().isChecked());
    machine().automatic().click();
    QVERIFY(document.project().gpus.automatic);
    document.undoStack().undo();
    QVERIFY(document.project().gpus.isNone());
    QVERIFY(!machine().automatic().isChecked());
    QTRY_COMPARE_WITH_TIMEOUT(machine().words(), QStringLiteral("The CPU computes this project."),
                              runMilliseconds);
}

MESHREEL_TEST_CLASS(StudioDevicesTest)
#include "studio_devices_test.moc"
