// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of runs, dropped on the window and its queue.
#include <QTest>
#include <string>

#include "engine/base/files.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/run_queue.h"
#include "ui/widgets/message_banner.h"

using namespace meshreel;
using namespace meshreel::testing;

class TableQueueTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void rowsOfATableAreQueued();
    void aTableDroppedOnTheWindowIsQueued();
    void anUnknownColumnQueuesNothing();

  private:
    QString table(const std::string& text) {
        const QString file = m_folder.filePath(QStringLiteral("runs.csv"));
        writeFileAtomically(file.toStdString(), text);
        return file;
    }
    void clear() {
        RunQueue& queue = m_window->queue();
        while (queue.rowCount() > 0)
            queue.remove({0});
    }
};

void TableQueueTest::rowsOfATableAreQueued() {
    typeText("prompt", QStringLiteral("a ball"));
    drop({table("seed,width,prompt\n3,32,\n4,64,\"a cube, turning\"\n5,70,a cone\n")},
         &m_window->panels().queue());
    RunQueue& queue = m_window->queue();
    QCOMPARE(queue.rowCount(), 0);  // 70 is no width: no row of such a table is meant
    QVERIFY2(m_window->banner().text().contains(QLatin1String("70")), qPrintable(m_window->banner().text()));
    drop({table("seed,width,prompt,guidance_scale\n3,32,,2\n4,64,\"a cube, turning\",4\n")},
         &m_window->panels().queue());
    QCOMPARE(queue.rowCount(), 2);
    QCOMPARE(queue.at(0).project.prompt, std::string("a ball"));
    QCOMPARE(queue.at(1).project.prompt, std::string("a cube, turning"));
    QCOMPARE(queue.at(1).project.width, 64);
    QVERIFY2(queue.tellsSettings(), "rows say in what they differ");
    clear();
}

void TableQueueTest::aTableDroppedOnTheWindowIsQueued() {
    drop({table("prompt\na red ball\na blue ball\n")}, m_window.get());
    QTRY_COMPARE(m_window->queue().rowCount(), 2);
    clear();
}

void TableQueueTest::anUnknownColumnQueuesNothing() {
    drop({table("promt\na red ball\n")}, &m_window->panels().queue());
    QCOMPARE(m_window->queue().rowCount(), 0);
    QVERIFY2(m_window->banner().text().contains(QLatin1String("promt")),
             qPrintable(m_window->banner().text()));
}

MESHREEL_TEST_CLASS(TableQueueTest)

#include "table_queue_test.moc"
