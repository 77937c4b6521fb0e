// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/charts/test_classes.h"
#include "ui/window/main_menu.h"

#include <QAction>
#include <QApplication>
#include <QSettings>
#include <QTest>

#include "ui/project/project_document.h"
#include "ui/window/main_window.h"

using namespace meshreel;

class PresetMenuTest : public QObject {
    Q_OBJECT

  private slots:
    void aPresetIsANewProject();
    void aPresetOfMissingPicturesOpensToo();
};

namespace {

/// The entry of a file, of any model.
QAction* entry(PresetMenu& menu, const QString& file) {
    emit menu.aboutToShow();
    for (const QMenu* model : menu.findChildren<QMenu*>())
        for (QAction* action : model->actions())
            if (action->toolTip() == file)
                return action;
    return nullptr;
}

}  // namespace

void PresetMenuTest::aPresetIsANewProject() {
    QSettings().clear();
    MainWindow window;
    auto* menu = window.findChild<PresetMenu*>();
    QVERIFY(menu != nullptr);
    QAction* preset = entry(*menu, QStringLiteral("wan2.1-t2v-1.3b-240p-cpu.yaml"));
    QVERIFY(preset != nullptr);
    QVERIFY(preset->text().startsWith(QStringLiteral("Wan 2.1 text-to-video 1.3B for one computer")));
    const auto models = menu->actions().size();
    preset->trigger();
    QCOMPARE(window.document().project().width, 416);
    QVERIFY2(window.document().file().empty(), "saving must not overwrite the preset");
    emit menu->aboutToShow();
    QCOMPARE(menu->actions().size(), models);
}

void PresetMenuTest::aPresetOfMissingPicturesOpensToo() {
    QSettings().clear();
    MainWindow window;
    QAction* preset = entry(*window.findChild<PresetMenu*>(), QStringLiteral("wan2.1-i2v-14b-720p.yaml"));
    QVERIFY(preset != nullptr);
    preset->trigger();
    QCOMPARE(window.document().project().height, 720);
}

MESHREEL_TEST_CLASS(PresetMenuTest)
#include "preset_menu_test.moc"
