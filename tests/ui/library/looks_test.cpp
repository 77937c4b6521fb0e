// SPDX-License-Identifier: GPL-3.0-or-later
// Looks: saved from a project, added from pictures, and put on another project.
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/files.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_look.h"
#include "tests/support/charts/test_classes.h"
#include "ui/library/looks_dialog.h"
#include "ui/library/save_look_dialog.h"
#include "ui/project/project_document.h"
#include "ui/widgets/edits.h"

using namespace meshreel;

class LooksTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void aProjectsLookIsSavedAsAPicture();
    void withoutALookOrAPictureNothingIsSaved();
    void aLookIsPutOnAProjectInOneStep();
    void picturesThatOthersSavedAreAdded();

  private:
    QString picture(const char* name) const {
        const QString file = m_folder->filePath(QLatin1String(name));
        QImage image(1600, 900, QImage::Format_RGB888);
        image.fill(Qt::darkYellow);
        image.save(file);
        return file;
    }
    QString lookFile(const char* name, const ProjectLook& look) const {
        const QString file = picture(name);
        const std::string png = readFile(file.toStdString());
        saveLook(file.toStdString(), look, png);
        return file;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void LooksTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    std::filesystem::remove_all(userLooksFolder());
}

void LooksTest::aProjectsLookIsSavedAsAPicture() {
    Project project;
    project.prompt = "{prompt}, golden hour";
    project.numInferenceSteps = 8;
    SaveLookDialog dialog(project, picture("frame.png"));
    QCOMPARE(dialog.fields().values->count(), 2);
    QVERIFY(!dialog.fields().save->isEnabled());
    dialog.fields().name->setText(QStringLiteral("Golden / hour"));
    QVERIFY(dialog.fields().save->isEnabled());
    for (int row = 0; row < 2; ++row)
        if (dialog.look().values[static_cast<std::size_t>(row)].key == "num_inference_steps") {
            dialog.fields().values->item(row)->setCheckState(Qt::Unchecked);
            break;
        }
    const std::filesystem::path file = dialog.save();
    QCOMPARE(file.parent_path(), userLooksFolder());
    const ProjectLook look = loadLook(file);
    QCOMPARE(look.name, std::string("Golden / hour"));
    QCOMPARE(look.values.size(), 1U);
    QCOMPARE(look.values.front().value, std::string("{prompt}, golden hour"));
    QVERIFY2(QImage(QString::fromStdString(file.string())).width() <= 768, "a look is sent and shown small");
}

void LooksTest::withoutALookOrAPictureNothingIsSaved() {
    SaveLookDialog plain({}, picture("frame.png"));
    plain.fields().name->setText(QStringLiteral("plain"));
    QVERIFY(!plain.fields().save->isEnabled());
    Project project;
    project.numInferenceSteps = 8;
    SaveLookDialog unseen(project, {});
    unseen.fields().name->setText(QStringLiteral("unseen"));
    QVERIFY(!unseen.fields().save->isEnabled());
    unseen.fields().picture->setText(picture("frame.png"));
    QVERIFY(unseen.fields().save->isEnabled());
}

void LooksTest::aLookIsPutOnAProjectInOneStep() {
    ProjectDocument document;
    document.setText(*findProjectKey("prompt"), QStringLiteral("a ball"));
    LooksDialog dialog(document, {});
    QVERIFY(dialog.looks().empty());
    dialog.add({lookFile("golden.png", {.name = "Golden hour",
                                        .values = {{.key = "prompt", .value = "{prompt}, golden hour"},
                                                   {.key = "num_inference_steps", .value = "8"}}})});
    QCOMPARE(dialog.looks().size(), 1U);
    QVERIFY2(dialog.details().contains(QLatin1String("golden hour")), qPrintable(dialog.details()));
    dialog.useChosen();
    QCOMPARE(document.project().prompt, std::string("a ball, golden hour"));
    QCOMPARE(document.project().numInferenceSteps, 8);
    document.undoStack().undo();
    QCOMPARE(document.project().prompt, std::string("a ball"));
    QVERIFY(document.project().numInferenceSteps != 8);
}

void LooksTest::picturesThatOthersSavedAreAdded() {
    ProjectDocument document;
    LooksDialog dialog(document, {});
    dialog.add({picture("plain.png"), lookFile("b.png", {.name = "B", .values = {}}),
                lookFile("a.png", {.name = "A", .values = {}})});
    QCOMPARE(dialog.looks().size(), 2U);
    QCOMPARE(dialog.looks().front().look.name, std::string("A"));
    dialog.add({QString::fromStdString(dialog.looks().front().file.string())});
    QCOMPARE(dialog.looks().size(), 2U);
}

MESHREEL_TEST_CLASS(LooksTest)

#include "looks_test.moc"
