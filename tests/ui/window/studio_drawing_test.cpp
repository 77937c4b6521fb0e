// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings in the whole Studio: from the field to the file and back, and dropped on the window.
#include <QAction>
#include <QKeySequence>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <string>

#include "engine/base/files.h"
#include "engine/media/drawing_file.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/drawing/drawing_dialog.h"
#include "ui/drawing/drawing_document.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/widgets/edits.h"

using namespace meshreel;
using namespace meshreel::testing;

class StudioDrawingTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void thePencilOpensTheDrawingOfItsKey();
    void onlyWhatIsDrawnHasAPencil();
    void dialogsOfferTheFilesOfTheirKeys();
    void droppedDrawingsAreNamedAtTheirKeys();

  private:
    [[nodiscard]] QString textOf(const char* key) const {
        return m_window->document().text(*findProjectKey(key));
    }
};

void StudioDrawingTest::thePencilOpensTheDrawingOfItsKey() {
    ProjectEditor& editor = m_window->panels().editor();
    for (const char* key : {"mask", "tracks"}) {
        editor.goTo(QLatin1String(key));
        auto* pencil =
            editor.row(QLatin1String(key))->field().findChild<QToolButton*>(QStringLiteral("draw"));
        QVERIFY(pencil != nullptr && pencil->isVisible());
        QTest::mouseClick(pencil, Qt::LeftButton);
        auto* dialog = m_window->findChild<DrawingDialog*>();
        QVERIFY(dialog != nullptr);
        QCOMPARE(dialog->document().mask() != nullptr, std::string(key) == "mask");
        QCOMPARE(dialog->document().canvas().width, m_window->document().project().width);
        const QString file = m_folder.filePath(QLatin1String(key) + QStringLiteral(".json"));
        dialog->setFile(file, {});
        const QList<QAction*> actions = dialog->actions();
        const auto add = std::ranges::find(actions, QKeySequence(Qt::Key_Insert), &QAction::shortcut);
        QVERIFY(add != actions.end());
        (*add)->trigger();
        QCOMPARE(dialog->document().count(), 1);
        QVERIFY(dialog->save());
        dialog->reject();
        QCOMPARE(textOf(key), shownPath(file));
        QTRY_VERIFY(m_window->findChild<DrawingDialog*>() == nullptr);
    }
}

void StudioDrawingTest::onlyWhatIsDrawnHasAPencil() {
    ProjectEditor& editor = m_window->panels().editor();
    for (const char* key : {"track_visibility", "image", "video", "wildcards"}) {
        editor.goTo(QLatin1String(key));
        QVERIFY2(editor.row(QLatin1String(key))->field().findChild<QToolButton*>(QStringLiteral("draw")) ==
                     nullptr,
                 key);
    }
}

void StudioDrawingTest::dialogsOfferTheFilesOfTheirKeys() {
    const auto kindOfKey = [](const char* key) { return PathField::kindOf(*findProjectKey(key)); };
    QVERIFY(kindOfKey("tracks") == PathField::Kind::Tracks);
    QVERIFY(PathField::filterOf(PathField::Kind::Tracks).contains(QLatin1String("*.json *.npy")));
    QVERIFY(kindOfKey("track_visibility") == PathField::Kind::Sight);
    QVERIFY(PathField::filterOf(PathField::Kind::Sight).contains(QLatin1String("(*.npy)")));
    QVERIFY(kindOfKey("wildcards") == PathField::Kind::Folder);
    QVERIFY(kindOfKey("mag_ratios_file") == PathField::Kind::Weights);
}

void StudioDrawingTest::droppedDrawingsAreNamedAtTheirKeys() {
    const QString mask = m_folder.filePath(QStringLiteral("dropped.mask.json"));
    const QString tracks = m_folder.filePath(QStringLiteral("dropped.tracks.json"));
    writeFileAtomically(mask.toStdString(), drawingText(MaskDrawing{.canvas = {}, .shapes = {}}));
    writeFileAtomically(tracks.toStdString(), drawingText(TrackDrawing{.canvas = {}, .tracks = {}}));
    drop({mask});
    QTRY_COMPARE(textOf("mask"), shownPath(mask));
    drop({tracks});
    QTRY_COMPARE(textOf("tracks"), shownPath(tracks));
}

MESHREEL_TEST_CLASS(StudioDrawingTest)
#include "studio_drawing_test.moc"
