// SPDX-License-Identifier: GPL-3.0-or-later
// The tool tip of a queued run fits a screen, however many settings it has.
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>
#include <string>

#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/run_queue.h"

using namespace meshreel;

class QueueTipTest : public QObject {
    Q_OBJECT

  private slots:
    void manySettingsAreCounted();
    void fewSettingsAreAllTold();

  private:
    /// Of a run of a grid that varies so many settings.
    static QStringList tipOf(std::size_t varied);
};

QStringList QueueTipTest::tipOf(std::size_t varied) {
    const QTemporaryDir folder;
    RunQueue queue(folder.filePath(QStringLiteral("queue.json")).toStdString());
    SettingGrid grid;
    grid.projects = {Project()};
    for (const ProjectKey& key : projectKeys())
        if (grid.varied.size() < varied)
            grid.varied.emplace_back(key.name);
    queue.add(grid);
    return queue.index(0, RunQueue::Settings).data(Qt::ToolTipRole).toString().split(QLatin1Char('\n'));
}

void QueueTipTest::manySettingsAreCounted() {
    const QStringList lines = tipOf(70);
    QCOMPARE(lines.size(), 24);
    QCOMPARE(lines.back(), QStringLiteral("and 47 more"));
}

void QueueTipTest::fewSettingsAreAllTold() {
    const QStringList lines = tipOf(24);
    QCOMPARE(lines.size(), 24);
    QVERIFY2(lines.back().contains(QLatin1String(": ")), qPrintable(lines.back()));
}

MESHREEL_TEST_CLASS(QueueTipTest)
#include "queue_tip_test.moc"
