// SPDX-License-Identifier: GPL-3.0-or-later
// Which tasks take a result, by the engine's table of tasks.
#include "ui/runs/use_menu.h"

#include <QTest>
#include <vector>

#include "engine/models/families/model_family.h"
#include "tests/support/charts/test_classes.h"

using namespace meshreel;

class UseMenuTest : public QObject {
    Q_OBJECT

  private slots:
    void picturesGoToTasksThatReadThem();
    void videosAreMadeOverOrControl();
};

void UseMenuTest::picturesGoToTasksThatReadThem() {
    for (const ResultUse use : {ResultUse::FirstImage, ResultUse::LastImage, ResultUse::Reference}) {
        const ResultUseRow& row = rowOf(use);
        QVERIFY(row.ofFrame && !row.tasks.empty());
        for (const WanTask task : row.tasks)
            QVERIFY2(reads(rowOf(task), row.key), row.key);
    }
    QVERIFY(rowOf(ResultUse::FirstImage).tasks.front() == WanTask::ImageToVideo);
    QVERIFY(rowOf(ResultUse::LastImage).tasks.front() == WanTask::FirstLastFrame);
    QVERIFY(rowOf(ResultUse::Reference).tasks ==
            std::vector({WanTask::SubjectsToVideo, WanTask::SourcesToVideo, WanTask::ControlToVideo,
                         WanTask::VaceEditing}));
}

void UseMenuTest::videosAreMadeOverOrControl() {
    QVERIFY(rowOf(ResultUse::MakeOver).tasks == std::vector{WanTask::VideoToVideo});
    QVERIFY(rowOf(ResultUse::Control).tasks == std::vector({WanTask::SourcesToVideo, WanTask::ControlToVideo,
                                                            WanTask::VaceEditing, WanTask::DrivenAnimation}));
    QVERIFY(rowOf(ResultUse::Continued).tasks.empty());
}

MESHREEL_TEST_CLASS(UseMenuTest)
#include "use_menu_test.moc"
