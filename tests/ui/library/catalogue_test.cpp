// SPDX-License-Identifier: GPL-3.0-or-later
// The page of models: what is installed, what one of them is, and its way into the project.
#include <QAbstractItemModelTester>
#include <QItemSelectionModel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "engine/planning/model_fit.h"
#include "engine/project/presets.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/http_server.h"
#include "tests/support/safetensors_bytes.h"
#include "ui/library/catalogue_model.h"
#include "ui/library/model_card.h"
#include "ui/library/models_panel.h"
#include "ui/project/project_document.h"
#include "ui/values/engine_texts.h"

using namespace meshreel;

class CatalogueTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void shippedModelsAreDescribed();
    void aModelIsUsedInTheProject();
    void whatIsChosenStaysWhenTheListIsReadAgain();
    void filesAreTold();
    void whatIsNoModelIsRefused();
    void whatIsNotHereIsToldWithItsSize();
    void modelsAreAdded();
    void offersAreDownloaded();
    void offersSayHowTheyFit();
    void aModelIsOneRowOfItsFamily();
    void aFailedDownloadIsToldInItsPlace();

  private:
    QTemporaryDir m_resources;
};

namespace {

std::string smallWeights() {
    const std::string data(600'000, 'w');
    return testing::safetensorsBytes(R"({"a":{"dtype":"U8","shape":[600000],"data_offsets":[0,600000]}})",
                                     data);
}

}  // namespace

/// The program's resources, with a table of which the small decoders are files of smallWeights().
void CatalogueTest::initTestCase() {
    namespace fs = std::filesystem;
    const fs::path own = fs::path(m_resources.path().toStdString()) / "resources";
    fs::create_directories(own / "downloads");
    fs::create_symlink(presetFolder().parent_path(), own.parent_path() / "configs");
    for (const fs::directory_entry& entry : fs::directory_iterator(resourceFolder()))
        if (entry.path().filename() != "downloads")
            fs::create_symlink(entry.path(), own / entry.path().filename());
    auto table = nlohmann::json::parse(readFile(resourceFolder() / "downloads" / "offers.json"));
    for (auto& offer : table.at("offers"))
        if (offer.at("kind") == "small_decoder") {
            offer.erase("width");
            for (auto& file : offer.at("files")) {
                file.erase("bytes");
                file["about_bytes"] = smallWeights().size();
            }
        }
    writeFileAtomically(own / "downloads" / "offers.json", table.dump());
    qputenv("MESHREEL_RESOURCES", own.c_str());
}

void CatalogueTest::shippedModelsAreDescribed() {
    ProjectDocument document;
    ModelsPanel panel(document);
    const QAbstractItemModelTester tester(&panel.models(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy described(&panel, &ModelsPanel::described);
    panel.refresh();
    QVERIFY(described.wait(20'000));  // of the first row, which is chosen
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
    QVERIFY(refreshed.wait(20'000));
    panel.useButton().click();
    QCOMPARE(QString::fromStdString(document.project().model),
             panel.models().projectSpelling(panel.models().firstRow()));
    document.undoStack().undo();
    QCOMPARE(document.project().model, std::string("elsewhere"));
}

void CatalogueTest::whatIsChosenStaysWhenTheListIsReadAgain() {
    ProjectDocument document;
    ModelsPanel panel(document);
    panel.show();  // which reads it
    QSignalSpy refreshed(&panel, &ModelsPanel::refreshed);
    QVERIFY(refreshed.wait(20'000));
    const QList<QPushButton*> buttons = panel.findChildren<QPushButton*>();
    QPushButton* refresh = *std::ranges::find(buttons, QStringLiteral("Refresh"), &QPushButton::text);
    int installed = -1;
    int offered = -1;
    for (int row = 0; row < panel.models().rowCount(); ++row)
        if (!panel.models().isHeading(row))
            (panel.models().pathOf(row).empty() ? offered : installed) = row;
    QVERIFY(installed > panel.models().firstRow() && offered > installed);
    for (const int row : {installed, offered}) {  // the last of each
        panel.table().selectRow(row);
        const QString name = panel.models().index(row, CatalogueModel::Name).data().toString();
        refreshed.clear();
        refresh->click();
        QVERIFY(refreshed.wait(20'000));
        QCOMPARE(panel.table().currentIndex().data().toString(), name);
        QCOMPARE(panel.table().currentIndex().row(), row);
        QVERIFY(panel.table().selectionModel()->isRowSelected(row));
    }
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
    model.setContent({.installed = {.models = {}, .files = {broken, transformer}, .tokenizers = {}}});
    QCOMPARE(model.rowCount(), 3);
    QVERIFY(model.isHeading(0));
    QVERIFY(!model.flags(model.index(0, 0)).testFlag(Qt::ItemIsSelectable));
    QVERIFY(model.index(1, CatalogueModel::What).data().toString().contains(QLatin1String("cut off")));
    QVERIFY(model.projectSpelling(1).isEmpty());
    QVERIFY(model.index(2, CatalogueModel::What)
                .data()
                .toString()
                .contains(QLatin1String("Wan 2.1, text to video")));
    QCOMPARE(model.projectSpelling(2), QStringLiteral("/models/wan.safetensors"));
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
    QVERIFY(refreshed.wait(20'000));
    CatalogueModel& models = panel.models();
    int row = 0;
    while (row < models.rowCount() &&
           models.projectSpelling(row) != QLatin1String("Wan-AI/Wan2.1-T2V-1.3B-Diffusers"))
        ++row;
    QVERIFY(row < models.rowCount());
    QVERIFY(models.absentModel(row) != nullptr && models.absentModel(models.firstRow()) == nullptr);
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
    QVERIFY(refreshed.wait(20'000));
    QCOMPARE(added.size(), 1);
    QCOMPARE(panel.table().currentIndex().siblingAtColumn(CatalogueModel::Name).data().toString(),
             QStringLiteral("fox.safetensors"));
    QSignalSpy wrong(&panel, &ModelsPanel::wentWrong);
    panel.add({folder.filePath(QStringLiteral("models/fox.safetensors"))});  // it is there already
    QVERIFY(wrong.wait(20'000));
    qunsetenv("MESHREEL_MODELS");
}

void CatalogueTest::offersAreDownloaded() {
    const QTemporaryDir folder;
    const std::string content = smallWeights();
    const testing::HttpServer server([&content](const testing::HttpRequest& request) {
        testing::HttpAnswer answer = testing::answerWithFile(request, content, {});
        answer.blockBytes = 10'000;
        answer.pause = std::chrono::milliseconds(20);
        return answer;
    });
    for (const auto& [name, value] : {std::pair("MESHREEL_MODELS", folder.filePath(QStringLiteral("models"))),
                                      std::pair("HF_HOME", folder.filePath(QStringLiteral("hub"))),
                                      std::pair("HF_HUB_OFFLINE", QStringLiteral("0")),
                                      std::pair("HF_ENDPOINT", QString::fromStdString(server.address()))})
        qputenv(name, value.toLocal8Bit());
    ProjectDocument document;
    ModelsPanel panel(document);
    QSignalSpy refreshed(&panel, &ModelsPanel::refreshed);
    panel.refresh();
    QVERIFY(refreshed.wait(20'000));
    const auto choose = [&panel](const std::string& id) {
        for (int row = 0; row < panel.models().rowCount(); ++row)
            if (const OfferedModel* model = panel.models().offeredModel(row); model && model->offer->id == id)
                panel.table().selectRow(row);
    };
    choose("taew2.1");
    QVERIFY(panel.description().contains(QLatin1String("MIT")));
    QVERIFY(panel.description().contains(QLatin1String("github.com/madebyollin/taehv")));
    QVERIFY(!panel.getButton().isHidden() && panel.getButton().isEnabled());
    QVERIFY(panel.pauseButton().parentWidget()->isHidden());
    QVERIFY(!panel.useButton().isEnabled());
    QVERIFY(server.requests().empty());  // nothing is asked before the button

    QSignalSpy advanced(&panel.download(), &ModelDownload::advanced);
    panel.getButton().click();
    QVERIFY(panel.download().isBusy());
    QVERIFY(panel.getButton().isHidden());
    const auto hasBegun = [&panel] { return panel.progressText().contains(QLatin1String(" of ")); };
    QTRY_VERIFY(hasBegun() && advanced.size() > 1);
    panel.pauseButton().click();
    QTRY_VERIFY(!panel.download().isBusy());
    const std::filesystem::path file =
        folder.filePath(QStringLiteral("models/vae_approx/taew2_1.safetensors")).toStdString();
    QVERIFY(!std::filesystem::exists(file));
    const auto partial = std::filesystem::file_size(partialPath(file));
    QVERIFY(partial > 0 && partial < content.size());
    QVERIFY(panel.download().offer() != nullptr);
    QSignalSpy finished(&panel.download(), &ModelDownload::finished);
    panel.pauseButton().click();
    QVERIFY(finished.wait(20'000));
    QCOMPARE(std::filesystem::file_size(file), content.size());
    QCOMPARE(server.requests().back().header("range"), "bytes=" + std::to_string(partial) + "-");
    QVERIFY(panel.pauseButton().parentWidget()->isHidden());
    QVERIFY(refreshed.wait(20'000));

    choose("taew2.2");
    panel.getButton().click();
    advanced.clear();
    QTRY_VERIFY(advanced.size() > 1);
    QSignalSpy changed(&panel.download(), &ModelDownload::changed);
    panel.dropButton().click();
    QTRY_VERIFY(panel.download().offer() == nullptr);
    QVERIFY(!std::filesystem::exists(partialPath(file.parent_path() / "taew2_2.safetensors")));

    qputenv("HF_ENDPOINT", "http://127.0.0.1:9");
    QSignalSpy wrong(&panel, &ModelsPanel::downloadFailed);
    panel.getButton().click();
    QVERIFY(wrong.wait(20'000));
    QVERIFY(panel.download().offer() != nullptr);  // it can go on when the network is there
    for (const char* name : {"MESHREEL_MODELS", "HF_HOME", "HF_ENDPOINT"})
        qunsetenv(name);
    qputenv("HF_HUB_OFFLINE", "1");
}

void CatalogueTest::offersSayHowTheyFit() {
    const QTemporaryDir folder;
    qputenv("MESHREEL_MODELS", folder.filePath(QStringLiteral("models")).toLocal8Bit());
    ProjectDocument document;
    ModelsPanel panel(document);
    QSignalSpy refreshed(&panel, &ModelsPanel::refreshed);
    panel.refresh();
    QVERIFY(refreshed.wait(20'000));
    int models = 0;
    for (int row = 0; row < panel.models().rowCount(); ++row) {
        const OfferedModel* model = panel.models().offeredModel(row);
        if (model == nullptr || !model->fit.memory)
            continue;
        models += static_cast<int>(panel.models().variants(row).size());
        // What a plan in as much memory says.
        OfferFit planned = fitOffer(*model->offer, model->bytesMissing(), model->fit.memory->available);
        planned.diskFree = model->fit.diskFree;  // others write to the disk meanwhile
        const QString words = sentenceText(fitSentence(planned, model->rate));
        const QModelIndex cell = panel.models().index(row, CatalogueModel::Fit);
        QCOMPARE(cell.data().toString(), sentenceText(fitWord(planned)));
        QCOMPARE(cell.data(Qt::ToolTipRole).toString(), words);
        panel.table().selectRow(row);
        QVERIFY(panel.description().contains(words));
        QVERIFY(panel.description().contains(QString::fromStdString(videoText(planned.memory->project))));
    }
    QVERIFY(models > 10);
    qunsetenv("MESHREEL_MODELS");
}

/// Who looks for a model finds it once, and chooses between its variants.
void CatalogueTest::aModelIsOneRowOfItsFamily() {
    const QTemporaryDir folder;
    qputenv("MESHREEL_MODELS", folder.filePath(QStringLiteral("models")).toLocal8Bit());
    ProjectDocument document;
    ModelsPanel panel(document);
    QSignalSpy refreshed(&panel, &ModelsPanel::refreshed);
    panel.refresh();
    QVERIFY(refreshed.wait(20'000));
    CatalogueModel& models = panel.models();
    QStringList headings;
    QStringList names;
    int found = -1;
    for (int row = 0; row < models.rowCount(); ++row) {
        const QString name = models.index(row, CatalogueModel::Name).data().toString();
        (models.isHeading(row) ? headings : names) += name;
        if (name == QLatin1String("Wan 2.2 T2V A14B"))
            found = row;
        const AbsentModel* absent = models.absentModel(row);
        const bool isUnknown = models.variants(row).empty() && absent != nullptr && !absent->fit;
        if (models.isHeading(row) || isUnknown)
            continue;
        QVERIFY2(!models.index(row, CatalogueModel::Fit).data().toString().isEmpty() ||
                     models.projectSpelling(row).isEmpty(),
                 qPrintable(name));
    }
    QCOMPARE(headings.first(), QStringLiteral("On this machine"));
    QVERIFY(headings.contains(QStringLiteral("Wan 2.1 to download")));
    QVERIFY(headings.contains(QStringLiteral("Wan 2.2 to download")));
    QStringList unique = names;
    QCOMPARE(unique.removeDuplicates(), 0);
    QVERIFY(found >= 0);
    // With fp8, fp16 and the folder in diffusers layout.
    QCOMPARE(models.variants(found).size(), std::size_t{2});
    QCOMPARE(models.projectSpelling(found), QStringLiteral("Wan-AI/Wan2.2-T2V-A14B-Diffusers"));
    panel.table().selectRow(found);
    QVERIFY(panel.description().contains(QLatin1String("fp8")));
    QVERIFY(panel.command().contains(QLatin1String("Wan-AI/Wan2.2-T2V-A14B-Diffusers")));
    QVERIFY(panel.getButton().menu() != nullptr);
    const QList<QAction*> ways = panel.getButton().menu()->actions();
    QCOMPARE(ways.size(), 2);
    for (const OfferedModel* variant : models.variants(found)) {
        const QString word = sentenceText(fitWord(variant->fit));
        QVERIFY(std::ranges::any_of(ways, [&](const QAction* way) {
            return way->text().startsWith(variantOf(*variant->offer)) && way->text().endsWith(word);
        }));
    }
    qunsetenv("MESHREEL_MODELS");
}

void CatalogueTest::aFailedDownloadIsToldInItsPlace() {
    const QTemporaryDir folder;
    qputenv("MESHREEL_MODELS", folder.filePath(QStringLiteral("models")).toLocal8Bit());
    qputenv("HF_HOME", folder.filePath(QStringLiteral("hub")).toLocal8Bit());
    qputenv("HF_HUB_OFFLINE", "0");
    qputenv("HF_ENDPOINT", "http://127.0.0.1:9");
    ProjectDocument document;
    ModelsPanel panel(document);
    panel.resize(900, 500);
    panel.show();
    QSignalSpy refreshed(&panel, &ModelsPanel::refreshed);
    QVERIFY(refreshed.wait(20'000));
    for (int row = 0; row < panel.models().rowCount(); ++row)
        if (const OfferedModel* model = panel.models().offeredModel(row);
            model && model->offer->id == "taew2.1")
            panel.table().selectRow(row);
    QSignalSpy failed(&panel, &ModelsPanel::downloadFailed);
    panel.getButton().click();
    QVERIFY(failed.wait(20'000));
    QVERIFY(panel.downloadControls().isVisible());
    QCOMPARE(panel.pauseButton().text(), QStringLiteral("Retry"));
    const auto told = failed.first().first().value<Problem>();
    QVERIFY2(panel.progressText().contains(sentenceText(told.message)), qPrintable(panel.progressText()));
    panel.pauseButton().click();
    QCOMPARE(panel.pauseButton().text(), QStringLiteral("Pause"));
    QVERIFY(failed.wait(20'000));  // again
    QCOMPARE(panel.pauseButton().text(), QStringLiteral("Retry"));
    panel.dropButton().click();
    QTRY_VERIFY(!panel.downloadControls().isVisible());
    for (const char* name : {"MESHREEL_MODELS", "HF_HOME", "HF_ENDPOINT"})
        qunsetenv(name);
    qputenv("HF_HUB_OFFLINE", "1");
}

MESHREEL_TEST_CLASS(CatalogueTest)
#include "catalogue_test.moc"
