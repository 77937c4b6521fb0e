// SPDX-License-Identifier: GPL-3.0-or-later
// What is dropped on the window.
#include <QApplication>
#include <QDropEvent>
#include <QImage>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QUrl>
#include <filesystem>

#include "engine/base/files.h"
#include "engine/catalogue/model_library.h"
#include "engine/media/video_writer.h"
#include "engine/runs/run_folder.h"
#include "engine/weights/checkpoint.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/random_adapter.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/compare/compare_panel.h"
#include "ui/library/import_dialog.h"
#include "ui/player/player_widget.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/yaml_panel.h"
#include "ui/widgets/message_banner.h"

using namespace meshreel;
using namespace meshreel::testing;

class StudioDropsTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void dropOfAVideoRestoresItsProject();
    void droppedPicturesBecomeInputs();
    void picturesAreKnownByAnyEnding_data();
    void picturesAreKnownByAnyEnding();
    void filesDroppedOnTextsGoToTheWindow_data();
    void filesDroppedOnTextsGoToTheWindow();
    void droppedProjectsOpen();
    void severalProjectsAreNotOpenedTogether();
    void droppedWeightsBecomeAdaptersAndParts();
    void droppedRunsAreShownOrCompared();
    void droppedConfigIsImportedWithItsReport();
};

void StudioDropsTest::dropOfAVideoRestoresItsProject() {
    runToEnd(fewSteps);
    const std::filesystem::path video = m_folder.filePath(QStringLiteral("alone.mp4")).toStdString();
    std::filesystem::copy_file(*lastRun().video, video, std::filesystem::copy_options::overwrite_existing);
    openWindow();
    QVERIFY(m_window->document().project().prompt.empty());

    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(video.string()))});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &drop);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->document().project().prompt,
             std::string("a red ball moving right on a black background"));
    QCOMPARE(m_window->document().project().numInferenceSteps, fewSteps);
    QCOMPARE(m_window->panels().results().player().clip().frames.size(),
             m_window->document().project().numFrames);
}

void StudioDropsTest::droppedPicturesBecomeInputs() {
    QStringList pictures;
    for (const char* name : {"a.png", "b.png"}) {
        pictures += m_folder.filePath(QLatin1String(name));
        QImage(8, 8, QImage::Format_RGB888).save(pictures.last());
    }
    drop(pictures.mid(0, 1));
    QVERIFY2(!m_window->document().project().image.empty(), qPrintable(m_window->banner().text()));
    QCOMPARE(m_window->document().project().image, pictures.first().toStdString());
    drop(pictures);
    QCOMPARE(m_window->document().project().referenceImages,
             pictures.join(QStringLiteral(", ")).toStdString());
    QVERIFY(m_window->banner().isVisible());
    m_window->document().undoStack().undo();
    QVERIFY(m_window->document().project().referenceImages.empty());

    const std::filesystem::path clip = m_folder.filePath(QStringLiteral("plain.gif")).toStdString();
    VideoOptions options;
    options.format = VideoFormat::Gif;
    writeVideo(clip, Tensor::zeros({2, 16, 16, 3}, DType::U8), options);
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    drop({QString::fromStdString(clip.string())});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->document().project().video, clip.string());
    QCOMPARE(m_window->panels().results().player().clip().frames.size(), 2);
}

void StudioDropsTest::picturesAreKnownByAnyEnding_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("capitals") << QStringLiteral("IMG_1.JPG");
    QTest::newRow("WebP") << QStringLiteral("still.webp");
}

void StudioDropsTest::picturesAreKnownByAnyEnding() {
    QFETCH(QString, name);
    const QString file = m_folder.filePath(name);
    if (name.endsWith(QLatin1String("webp")))  // a lossless point, as Qt may lack its writer
        writeFileAtomically(
            file.toStdString(),
            QByteArray::fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==").toStdString());
    else
        QVERIFY(QImage(8, 8, QImage::Format_RGB888).save(file));
    drop({file});
    QCOMPARE(m_window->document().project().image, file.toStdString());
    QVERIFY(m_window->document().project().video.empty());
}

void StudioDropsTest::filesDroppedOnTextsGoToTheWindow_data() {
    QTest::addColumn<bool>("onPrompt");
    QTest::newRow("prompt") << true;
    QTest::newRow("text of the project") << false;
}

void StudioDropsTest::filesDroppedOnTextsGoToTheWindow() {
    QFETCH(bool, onPrompt);
    const QString file = m_folder.filePath(QStringLiteral("dropped.png"));
    QVERIFY(QImage(8, 8, QImage::Format_RGB888).save(file));
    QPlainTextEdit* text =
        onPrompt
            ? m_window->panels().editor().row(QStringLiteral("prompt"))->field().findChild<QPlainTextEdit*>()
            : &m_window->panels().yaml().editor();
    QVERIFY(text != nullptr);
    drop({file}, text->viewport());
    QVERIFY2(!text->toPlainText().contains(QLatin1String("file:")), qPrintable(text->toPlainText()));
    QCOMPARE(m_window->document().project().image, file.toStdString());
    QVERIFY(m_window->document().project().prompt.empty());
}

void StudioDropsTest::droppedProjectsOpen() {
    const QString file = m_folder.filePath(QStringLiteral("dropped.YAML"));
    writeFileAtomically(file.toStdString(), "version: 1\nprompt: a dropped ball\n");
    drop({file});
    QCOMPARE(m_window->document().project().prompt, std::string("a dropped ball"));
    QCOMPARE(m_window->document().file(), std::filesystem::path(file.toStdString()));
}

void StudioDropsTest::severalProjectsAreNotOpenedTogether() {
    QStringList files;
    for (const char* name : {"one.yaml", "two.yaml"}) {
        files += m_folder.filePath(QLatin1String(name));
        writeFileAtomically(files.last().toStdString(), "version: 1\nprompt: another ball\n");
    }
    drop(files);
    QVERIFY(m_window->document().file().empty());
    QVERIFY2(m_window->banner().text().contains(QLatin1String("None of these 2")),
             qPrintable(m_window->banner().text()));
    const QString picture = m_folder.filePath(QStringLiteral("beside.png"));
    QVERIFY(QImage(8, 8, QImage::Format_RGB888).save(picture));
    drop({files.first(), picture});
    QVERIFY(m_window->document().file().empty());
}

void StudioDropsTest::droppedWeightsBecomeAdaptersAndParts() {
    const std::filesystem::path model = findModel("tiny-wan-t2v");
    const QString adapter = m_folder.filePath(QStringLiteral("style.safetensors"));
    writeRandomAdapter(adapter.toStdString(), Checkpoint::open(model / "transformer"));
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    drop({adapter});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->document().project().lora.size(), 1U);
    QCOMPARE(m_window->document().project().lora.front().file, adapter.toStdString());
    drop({QString::fromStdString((model / "vae" / "diffusion_pytorch_model.safetensors").string())});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, runMilliseconds);
    QVERIFY(m_window->document().project().vaeFile.ends_with("diffusion_pytorch_model.safetensors"));
    drop({QString::fromStdString((model / "").string())});
    QCOMPARE(opened.count(), 3);
    QVERIFY(m_window->document().project().model.find("tiny-wan-t2v") != std::string::npos);
}

void StudioDropsTest::droppedRunsAreShownOrCompared() {
    QStringList runs;
    for (int count = 0; count < 2; ++count) {
        runToEnd(2);
        runs += m_lastFolder;
    }
    openWindow();
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    drop(runs.mid(0, 1));
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->document().project().numInferenceSteps, 2);
    const QString title = m_window->document().displayName();
    drop({runs.first() + u'/'});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, runMilliseconds);
    QCOMPARE(m_window->document().displayName(), title);

    ComparePanel& compare = m_window->panels().compare();
    QSignalSpy compared(&compare, &ComparePanel::compared);
    drop(runs);
    QTRY_COMPARE_WITH_TIMEOUT(compared.count(), 1, runMilliseconds);
    QCOMPARE(compare.runs().size(), 2U);
    QVERIFY(compare.isVisible());
    QCOMPARE(opened.count(), 2);
}

void StudioDropsTest::droppedConfigIsImportedWithItsReport() {
    const QString file = m_folder.filePath(QStringLiteral("base_wan_14b.yml"));
    writeFileAtomically(file.toStdString(), "scan_layers: True\nheight: 720\nwidth: 1280\n");
    int reported = 0;
    QTimer answer;
    answer.callOnTimeout([&reported] {
        if (auto* dialog = qobject_cast<ImportDialog*>(QApplication::activeModalWidget())) {
            reported = dialog->findChild<QTableView*>()->model()->rowCount();
            dialog->accept();
        }
    });
    constexpr int pollMilliseconds = 20;
    answer.start(pollMilliseconds);
    drop({file});
    QTRY_COMPARE(reported, 4);  // the three keys, and the model that the file is named after
    QTRY_COMPARE(m_window->document().project().height, 720);
    QVERIFY(m_window->document().file().empty());
}

MESHREEL_TEST_CLASS(StudioDropsTest)
#include "studio_drops_test.moc"
