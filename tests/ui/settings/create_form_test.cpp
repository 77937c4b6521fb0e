// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside the rows of the form: tasks as words, sizes by class, examples, help, folding.
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QTest>
#include <QToolButton>
#include <utility>

#include "engine/media/video_writer.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/temporary_folder.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/settings/form_notes.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/size_picker.h"
#include "ui/values/engine_texts.h"

using namespace meshreel;
using meshreel::testing::TemporaryFolder;

class CreateFormTest : public QObject {
    Q_OBJECT

  private slots:
    void sizesAreMultiples_data();
    void sizesAreMultiples();
    void aSizeIsOneStep();
    void tokensAreCounted();
    void helpStandsBesideTheField();
    void sectionsFold();
    void aKeyResetsTheFieldAtHand();
    void tabGoesFromValueToValue();
    void theModelTellsItsState();
    void videosShowTheirFirstFrame();
    void numbersHaveTheLocalesPoint();
};

void CreateFormTest::sizesAreMultiples_data() {
    QTest::addColumn<int>("lines");
    QTest::addColumn<QSize>("aspect");
    QTest::addColumn<int>("multiple");
    QTest::addColumn<QSize>("size");
    QTest::newRow("480p") << 480 << QSize(16, 9) << 16 << QSize(832, 480);
    QTest::newRow("480p upright") << 480 << QSize(9, 16) << 16 << QSize(480, 832);
    QTest::newRow("720p") << 720 << QSize(16, 9) << 16 << QSize(1280, 720);
    QTest::newRow("720p of TI2V") << 720 << QSize(16, 9) << 32 << QSize(1280, 704);
    QTest::newRow("480p square") << 480 << QSize(1, 1) << 16 << QSize(624, 624);
    QTest::newRow("64p square") << 64 << QSize(1, 1) << 16 << QSize(64, 64);
}

void CreateFormTest::sizesAreMultiples() {
    QFETCH(const int, lines);
    QFETCH(const QSize, aspect);
    QFETCH(const int, multiple);
    QTEST(sizeOfClass(lines, aspect, multiple), "size");
}

void CreateFormTest::aSizeIsOneStep() {
    ProjectDocument document;
    SizePicker picker(document);
    auto* sizeClass = picker.findChild<QComboBox*>(QStringLiteral("sizeClass"));
    auto* aspect = picker.findChild<QComboBox*>(QStringLiteral("aspect"));
    QCOMPARE(sizeClass->currentText(), QStringLiteral("64p"));
    QCOMPARE(aspect->currentText(), QStringLiteral("1:1"));
    sizeClass->setCurrentIndex(sizeClass->findText(QStringLiteral("480p")));
    emit sizeClass->activated(sizeClass->currentIndex());
    aspect->setCurrentIndex(aspect->findText(QStringLiteral("16:9")));
    emit aspect->activated(aspect->currentIndex());
    QCOMPARE(document.project().width, 832);
    QCOMPARE(document.project().height, 480);
    picker.findChild<QToolButton*>(QStringLiteral("swapSize"))->click();
    QCOMPARE(document.project().width, 480);
    QCOMPARE(aspect->currentText(), QStringLiteral("9:16"));
    document.undoStack().undo();
    QCOMPARE(document.project().width, 832);
    document.setText(*findProjectKey("width"), QStringLiteral("848"));
    QCOMPARE(sizeClass->currentIndex(), 0);  // custom
}

void CreateFormTest::tokensAreCounted() {
    ProjectDocument document;
    PromptTools tools(document);
    document.setText(*findProjectKey("prompt"), QStringLiteral("a ball"));
    tools.setTokens(600);
    const QList<QLabel*> labels = tools.findChildren<QLabel*>();
    QCOMPARE(labels.first()->text(), QStringLiteral("600 / 512 tokens"));
    tools.setTokens({});
    QVERIFY(labels.first()->text().isEmpty());
}

void CreateFormTest::helpStandsBesideTheField() {
    ProjectDocument document;
    ProjectEditor editor(document);
    editor.resize(400, 700);
    editor.show();
    auto* help = editor.findChild<KeyHelp*>();
    QVERIFY(!help->isVisible());
    QWidget* field = editor.row(QStringLiteral("height"))->field().focusProxy();
    QTest::keyClick(field, Qt::Key_F1, Qt::ShiftModifier);
    QVERIFY(help->isVisible() && help->text().contains(QLatin1String("<code>height</code>")));
    QVERIFY(editor.rect().contains(help->geometry()));
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!help->isVisible());
}

void CreateFormTest::sectionsFold() {
    ProjectDocument document;
    ProjectEditor editor(document);
    const KeyRow& height = *editor.row(QStringLiteral("height"));
    QVERIFY(height.isVisible());
    editor.setFoldedSections({QStringLiteral("Frames")});
    QVERIFY(!height.isVisible());
    QCOMPARE(editor.foldedSections(), QStringList{QStringLiteral("Frames")});
    editor.search().setText(QStringLiteral("height"));
    QVERIFY(height.isVisible());
    editor.search().clear();
    QVERIFY(!height.isVisible());
    editor.goTo(QStringLiteral("height"));
    QVERIFY(height.isVisible());
}

void CreateFormTest::aKeyResetsTheFieldAtHand() {
    ProjectDocument document;
    ProjectEditor editor(document);
    document.setText(*findProjectKey("seed"), QStringLiteral("7"));
    editor.show();
    QVERIFY(QTest::qWaitForWindowActive(&editor));
    QWidget* field = editor.row(QStringLiteral("seed"))->field().focusProxy();
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(document.project().seed, Seed(0));
}

void CreateFormTest::tabGoesFromValueToValue() {
    ProjectDocument document;
    ProjectEditor editor(document);
    editor.show();
    QVERIFY(QTest::qWaitForWindowActive(&editor));
    editor.row(QStringLiteral("height"))->field().setFocus();
    for (const char* value : {"128", "192"}) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(QApplication::focusWidget(), QLatin1String(value));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    QCOMPARE(document.project().height, 128);
    QCOMPARE(document.project().width, 192);
}

void CreateFormTest::theModelTellsItsState() {
    Project project;
    project.prompt = "a ball";
    ModelState state;
    state.showForecast(makeForecast(project));
    QCOMPARE(state.text(), QStringLiteral("Installed · fits"));  // no rates, no time
    project.model = "no-such-model";
    state.showForecast(makeForecast(project));
    QCOMPARE(state.text(), QStringLiteral("Not ready: see Problems"));
}

void CreateFormTest::videosShowTheirFirstFrame() {
    const TemporaryFolder folder;
    const Tensor frames =
        Tensor::from<std::uint8_t>({2, 16, 32, 3}, std::vector<std::uint8_t>(2 * 16 * 32 * 3, 128));
    VideoOptions options;
    options.format = VideoFormat::Gif;
    const std::filesystem::path video = writeVideo(folder / "grey", frames, options).file;
    ProjectDocument document;
    ProjectEditor editor(document);
    const KeyField& field = editor.row(QStringLiteral("video"))->field();
    document.setText(*findProjectKey("video"), QString::fromStdString(video.string()));
    const auto picture = [&field] {
        for (const QLabel* label : field.findChildren<QLabel*>())
            if (!label->pixmap(Qt::ReturnByValue).isNull())
                return label->pixmap(Qt::ReturnByValue);
        return QPixmap();
    };
    QTRY_VERIFY(!picture().isNull());
    QCOMPARE(picture().width(), 2 * picture().height());
    document.setText(*findProjectKey("video"), QString());
    QTRY_VERIFY(picture().isNull());
}

void CreateFormTest::numbersHaveTheLocalesPoint() {
    QLocale::setDefault(QLocale(QLocale::German));
    ProjectDocument document;
    ProjectEditor editor(document);
    editor.show();
    QVERIFY(QTest::qWaitForWindowActive(&editor));
    KeyField& field = editor.row(QStringLiteral("guidance_scale"))->field();
    auto* line = field.findChild<QLineEdit*>();
    QCOMPARE(line->text(), QStringLiteral("3,0"));
    field.setFocus();
    for (const auto& [typed, value] : {std::pair{"4,5", 4.5}, std::pair{"2.5", 2.5}}) {
        line->selectAll();
        QTest::keyClicks(QApplication::focusWidget(), QLatin1String(typed));
        QCOMPARE(document.project().guidanceScale, value);
    }
    document.undoStack().undo();
    QCOMPARE(line->text(), QStringLiteral("3,0"));
    QCOMPARE(durationText(3.61), QStringLiteral("3,6 s"));
    QLocale::setDefault(QLocale::c());
}

MESHREEL_TEST_CLASS(CreateFormTest)
#include "create_form_test.moc"
