// SPDX-License-Identifier: GPL-3.0-or-later
// The page of models: what is installed, what one of them is, and its way into the project.
#include <QAbstractItemModelTester>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/catalogue/model_library.h"
#include "tests/support/charts/test_classes.h"
#include "ui/library/models_panel.h"
#include "ui/project/project_document.h"

using namespace meshreel;

class CatalogueTest : public QObject {
    Q_OBJECT

  private slots:
    void shippedModelsAreDescribed();
    void aModelIsUsedInTheProject();
    void filesAreTold();
    void whatIsNoModelIsRefused();
    void whatIsNotHereIsToldWithItsSize();
    void modelsAreAdded();
};

void CatalogueTest::shippedModelsAreDescribed() {
    ProjectDocument document;
    ModelsPanel panel(document);
    const QAbstractItemModelTester tester(&panel.models(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy described(&panel, &ModelsPanel::described);
    panel.refresh();
    QVERIFY(described.wait());  // of the first row, which is chosen
    QVERIFY(panel.models().rowCount() > 0);
    const QString text = panel.description();
    for (const char* word :
         {"transformer", "vae", "text_encoder", "Parameters", "Matrices", "Memory in bf16"})
        QVERIFY2(text.contains(QLatin1String(word)), word);
}

void CatalogueTest::aModelIsUsedInTheProject() {
    ProjectDocument document;
    Project other;
    other.model = "elsewhere";
    document.adopt(other, QStringLiteral("other"));
    ModelsPanel panel(document);
    QVERIFY(!panel.useButton().isEnabled());
    QSignalSpy refreshed(&panel, &ModelsPanel::refreshed);
    panel.refresh();
    QVERIFY(refreshed.wait());
    panel.useButton().click();
    QCOMPARE(QString::fromStdString(document.project().model), panel.models().spellingOf(0));
    document.undoStack().undo();
    QCOMPARE(document.project().model, std::string("elsewhere"));
}

void CatalogueTest::filesAreTold() {
    CatalogueFile broken;
    broken.path = "/models/broken.safetensors";
    broken.problem = "it is cut off";
    CatalogueFile transformer;
    transformer.path = "/models/wan.safetensors";
    transformer.identity.part = ModelPart::Transformer;
    transformer.identity.family = "Wan 2.1";
    transformer.identity.what = "text to video, 14B";
    CatalogueModel model;
    model.setCatalogue({.models = {}, .files = {broken, transformer}, .tokenizers = {}});
    QCOMPARE(model.rowCount(), 2);
    QVERIFY(model.index(0, CatalogueModel::What).data().toString().contains(QLatin1String("cut off")));
    QVERIFY(model.spellingOf(0).isEmpty());
    QVERIFY(model.index(1, CatalogueModel::What)
                .data()
                .toString()
                .contains(QLatin1String("Wan 2.1, text to video")));
    QCOMPARE(model.spellingOf(1), QStringLiteral("/models/wan.safetensors"));
}

void CatalogueTest::whatIsNoModelIsRefused() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("x.safetensors")).toStdString();
    writeFileAtomically(file, "no tensors");
    QVERIFY_THROWS_EXCEPTION(Error, describeInstalled(file));
    const DescribedModel model = describeInstalled(folder.path().toStdString());
    QVERIFY(!model.parts.empty());
    QVERIFY(descriptionHtml(model).contains(QLatin1String("missing")));
}

void CatalogueTest::whatIsNotHereIsToldWithItsSize() {
    ProjectDocument document;
    ModelsPanel panel(document);
    QSignalSpy refreshed(&panel, &ModelsPanel::refreshed);
    panel.refresh();
    QVERIFY(refreshed.wait());
    CatalogueModel& models = panel.models();
    int row = 0;
    while (row < models.rowCount() &&
           models.spellingOf(row) != QLatin1String("Wan-AI/Wan2.1-T2V-1.3B-Diffusers"))
        ++row;
    QVERIFY(row < models.rowCount());
    QVERIFY(models.absentModel(row) != nullptr && models.absentModel(0) == nullptr);
    QVERIFY(!models.index(row, CatalogueModel::Size).data().toString().isEmpty());
    panel.table().selectRow(row);
    QVERIFY(panel.description().contains(QLatin1String("text_encoder")));
    QVERIFY(panel.description().contains(QLatin1String("to download")));
    QVERIFY(panel.command().startsWith(QLatin1String("hf download Wan-AI/Wan2.1-T2V-1.3B-Diffusers ")));
    QVERIFY(panel.useButton().isEnabled());  // it is planned by its published shapes
}

void CatalogueTest::modelsAreAdded() {
    const QTemporaryDir folder;
    qputenv("MESHREEL_MODELS", folder.filePath(QStringLiteral("models")).toLocal8Bit());
    const std::filesystem::path file = folder.filePath(QStringLiteral("fox.safetensors")).toStdString();
    std::filesystem::copy_file(
        findModel("tiny-wan-t2v") / "transformer" / "diffusion_pytorch_model.safetensors", file);
    ProjectDocument document;
    ModelsPanel panel(document);
    QSignalSpy refreshed(&panel, &ModelsPanel::refreshed);
    QSignalSpy added(&panel, &ModelsPanel::added);
    panel.add({QString::fromStdString(file.string())});
    QVERIFY(refreshed.wait());
    QCOMPARE(added.size(), 1);
    QCOMPARE(panel.table().currentIndex().siblingAtColumn(CatalogueModel::Name).data().toString(),
             QStringLiteral("fox.safetensors"));
    QSignalSpy wrong(&panel, &ModelsPanel::wentWrong);
    panel.add({folder.filePath(QStringLiteral("models/fox.safetensors"))});  // it is there already
    QVERIFY(wrong.wait());
    qunsetenv("MESHREEL_MODELS");
}

MESHREEL_TEST_CLASS(CatalogueTest)
#include "catalogue_test.moc"
