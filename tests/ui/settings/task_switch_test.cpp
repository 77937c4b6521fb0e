// SPDX-License-Identifier: GPL-3.0-or-later
// The task buttons: each is the whole step, and what was there for a task comes back with it.
#include <QApplication>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/catalogue/model_offers.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/tiny_model.h"
#include "ui/project/project_document.h"
#include "ui/project/task_switch.h"
#include "ui/settings/input_request.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/task_picker.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/edits.h"

using namespace meshreel;

namespace {

constexpr QSize formSize{420, 800};

/// The contrast of two colours as WCAG 2.1 defines it.
double contrast(const QColor& one, const QColor& other) {
    const auto linear = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    const auto luminance = [&](const QColor& colour) {
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
               0.0722 * linear(colour.blueF());
    };
    const double a = luminance(one) + 0.05;
    const double b = luminance(other) + 0.05;
    return std::max(a, b) / std::min(a, b);
}

}  // namespace

class TaskSwitchTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void cleanup();
    void tasksAreWords();
    void aButtonIsTheWholeStep();
    void thePictureIsAskedFor();
    void thePictureIsChosenInADialog();
    void whatWasTypedIsKeptForEachTask();
    void anotherProjectForgetsIt();
    void whatDoesNotApplyIsCleared();
    void theModelThatWasUsedLastIsTaken();
    void aModelIsOfferedWhereNoneDoesTheTask();
    void theOfferEndsWithTheProjectsOwnModel();
    void theChosenOneIsSeen_data();
    void theChosenOneIsSeen();

  private:
    [[nodiscard]] QToolButton* button(const char* name) const {
        return m_editor->findChild<QToolButton*>(QLatin1String(name));
    }
    void click(const char* name) const {
        QVERIFY(button(name) != nullptr && button(name)->isVisible());
        QTest::mouseClick(button(name), Qt::LeftButton);
    }
    [[nodiscard]] QString text(const char* key) const { return m_document->text(*findProjectKey(key)); }
    void typePrompt(const QString& words) const {
        auto* field = m_editor->row(QStringLiteral("prompt"))->field().findChild<QPlainTextEdit*>();
        field->selectAll();
        QTest::keyClicks(field, words);
    }
    [[nodiscard]] InputRequest& request() const { return m_editor->tasks().request(); }
    QString makePicture(const char* name) const {
        const QString file = m_folder.filePath(QLatin1String(name));
        QImage(8, 8, QImage::Format_RGB32).save(file);
        return file;
    }
    void dropOnRequest(const QString& file) const {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&request(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&request(), &drop);
    }

    QTemporaryDir m_folder;
    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<ProjectEditor> m_editor;
};

void TaskSwitchTest::init() {
    m_document = std::make_unique<ProjectDocument>();
    m_editor = std::make_unique<ProjectEditor>(*m_document);
    m_editor->setFamily(familyOfArchitecture("wan2.1-t2v-1.3b"));  // as the embedded model's
    m_editor->resize(formSize);
    m_editor->show();
    QVERIFY(QTest::qWaitForWindowActive(m_editor.get()));
}

void TaskSwitchTest::cleanup() {
    qunsetenv("MESHREEL_MODELS");
    m_editor.reset();
    m_document.reset();
}

void TaskSwitchTest::tasksAreWords() {
    m_editor->setFamily(nullptr);
    QVERIFY(!button("task-text")->isChecked());  // the model is not known yet
    m_editor->setFamily(familyOfArchitecture("wan2.1-t2v-1.3b"));
    QVERIFY(button("task-text")->isChecked());
    for (const auto& [task, name] : {std::pair{"phantom", "task-text"}, std::pair{"ati", "task-image"},
                                     std::pair{"flf2v", "task-image"}, std::pair{"vace", "task-edit"}}) {
        m_document->setText(*findProjectKey("task"), QLatin1String(task));
        QVERIFY2(button(name)->isChecked(), task);
    }
    m_document->setText(*findProjectKey("task"), QStringLiteral("flf2v"));
    click("task-image");
    QCOMPARE(text("task"), QStringLiteral("flf2v"));  // of the same kind
    QVERIFY(button("task-image")->isChecked());
}

void TaskSwitchTest::aButtonIsTheWholeStep() {
    typePrompt(QStringLiteral("a ball"));
    const int before = m_document->undoStack().count();
    click("task-image");
    QTRY_COMPARE(text("pretrained_model_name_or_path"), QStringLiteral("tiny-wan-i2v"));
    QCOMPARE(text("task"), QStringLiteral("i2v"));
    QCOMPARE(text("prompt"), QStringLiteral("a ball"));  // which goes along the first time
    QVERIFY(button("task-image")->isChecked() && !button("task-text")->isChecked());
    QCOMPARE(m_document->undoStack().count(), before + 1);
    m_document->undoStack().undo();
    QCOMPARE(text("pretrained_model_name_or_path"), QStringLiteral("tiny-wan-t2v"));
    QCOMPARE(text("task"), QStringLiteral("auto"));
}

void TaskSwitchTest::thePictureIsAskedFor() {
    QVERIFY(!request().isVisible());
    click("task-image");
    QTRY_VERIFY(request().isVisible());
    QVERIFY(!request().visibleRegion().isEmpty());
    QCOMPARE(request().key()->name, std::string_view("image"));
    QTRY_VERIFY(request().button().hasFocus());
    const QString picture = makePicture("first.png");
    dropOnRequest(picture);
    QCOMPARE(text("image"), shownPath(picture));
    QVERIFY(!request().isVisible());
    m_document->setText(*findProjectKey("task"), QStringLiteral("flf2v"));  // which needs another one
    QCOMPARE(request().key()->name, std::string_view("last_image"));
    m_document->setText(*findProjectKey("task"), QStringLiteral("auto"));
    m_document->setText(*findProjectKey("image"), QString());
    QCOMPARE(request().key()->name, std::string_view("image"));  // the model makes nothing else
}

void TaskSwitchTest::thePictureIsChosenInADialog() {
    const QString picture = makePicture("chosen.png");
    click("task-image");
    QTRY_VERIFY(request().button().hasFocus());
    QTimer poll;
    poll.callOnTimeout([&picture] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr)
            return;
        dialog->findChild<QLineEdit*>()->setText(picture);
        QMetaObject::invokeMethod(dialog, "accept");
    });
    constexpr int pollMilliseconds = 20;
    poll.start(pollMilliseconds);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    QTRY_COMPARE(text("image"), shownPath(picture));
}

void TaskSwitchTest::whatWasTypedIsKeptForEachTask() {
    typePrompt(QStringLiteral("a red ball"));
    click("task-image");
    QTRY_VERIFY(request().isVisible());
    const QString picture = makePicture("kept.png");
    dropOnRequest(picture);
    typePrompt(QStringLiteral("it grows"));
    click("task-text");
    QTRY_COMPARE(text("prompt"), QStringLiteral("a red ball"));
    QCOMPARE(text("pretrained_model_name_or_path"), QStringLiteral("tiny-wan-t2v"));
    QCOMPARE(text("image"), QString());
    QVERIFY(button("task-text")->isChecked());
    typePrompt(QStringLiteral("a blue ball"));
    click("task-image");
    QTRY_COMPARE(text("prompt"), QStringLiteral("it grows"));
    QCOMPARE(text("image"), shownPath(picture));
    QCOMPARE(text("pretrained_model_name_or_path"), QStringLiteral("tiny-wan-i2v"));
    QVERIFY(button("task-image")->isChecked());
    click("task-text");
    QTRY_COMPARE(text("prompt"), QStringLiteral("a blue ball"));
    m_document->undoStack().undo();
    QCOMPARE(text("prompt"), QStringLiteral("it grows"));
}

void TaskSwitchTest::anotherProjectForgetsIt() {
    typePrompt(QStringLiteral("a red ball"));
    click("task-image");
    QTRY_VERIFY(request().isVisible());
    Project other;
    other.prompt = "something else";
    other.model = "tiny-wan-i2v";
    other.task = "i2v";
    m_document->adopt(other, QStringLiteral("other"));
    click("task-text");
    QTRY_COMPARE(text("task"), QStringLiteral("t2v"));
    QCOMPARE(text("prompt"), QStringLiteral("something else"));
}

void TaskSwitchTest::whatDoesNotApplyIsCleared() {
    m_document->setText(*findProjectKey("task"), QStringLiteral("v2v"));
    m_document->setText(*findProjectKey("video"), makePicture("clip.png"));
    m_document->setText(*findProjectKey("strength"), QStringLiteral("0.5"));
    m_document->setText(*findProjectKey("seed"), QStringLiteral("7"));
    click("task-text");
    QTRY_COMPARE(text("task"), QStringLiteral("t2v"));
    QCOMPARE(text("video"), QString());
    QCOMPARE(text("strength"), QStringLiteral("0.8"));
    QCOMPARE(text("seed"), QStringLiteral("7"));
    click("film");
    QTRY_COMPARE(text("strength"), QStringLiteral("0.5"));
    QVERIFY(!text("video").isEmpty());
}

void TaskSwitchTest::theModelThatWasUsedLastIsTaken() {
    int asked = 0;
    m_editor->tasks().taskSwitch().setUsedModels([&asked] {
        ++asked;
        return std::vector<std::string>{"tiny-wan-t2v", "tiny-wan-i2v"};
    });
    click("task-image");
    QTRY_COMPARE(text("pretrained_model_name_or_path"), QStringLiteral("tiny-wan-i2v"));
    QCOMPARE(asked, 1);
}

void TaskSwitchTest::aModelIsOfferedWhereNoneDoesTheTask() {
    auto* offer = m_editor->findChild<QWidget*>(QStringLiteral("missingTask"));
    auto* get = m_editor->findChild<QPushButton*>(QStringLiteral("getModel"));
    QVERIFY(!offer->isVisible());
    click("task-edit");
    QTRY_VERIFY_WITH_TIMEOUT(offer->isVisible(), 20'000);
    QCOMPARE(text("task"), QStringLiteral("vace"));  // whose inputs can be chosen meanwhile
    QVERIFY(m_editor->row(QStringLiteral("mask"))->isVisible());
    QSignalSpy wanted(&m_editor->tasks(), &TaskPicker::modelRequested);
    QTest::mouseClick(get, Qt::LeftButton);
    QCOMPARE(wanted.count(), 1);
    QVERIFY(findOffer(wanted.first().first().toString().toStdString()) != nullptr);
    click("task-text");
    QTRY_COMPARE(text("task"), QStringLiteral("auto"));
    QVERIFY(!offer->isVisible());
    click("task-edit");
    QTRY_VERIFY_WITH_TIMEOUT(offer->isVisible(), 20'000);  // still none does
}

void TaskSwitchTest::theOfferEndsWithTheProjectsOwnModel() {
    qputenv("MESHREEL_MODELS", m_folder.filePath(QStringLiteral("models")).toLocal8Bit());
    const auto* offer = m_editor->findChild<QWidget*>(QStringLiteral("missingTask"));
    m_document->setText(*findProjectKey("pretrained_model_name_or_path"), QStringLiteral("later"));
    m_editor->setFamily(nullptr);  // it is not here yet
    click("task-edit");
    QTRY_VERIFY_WITH_TIMEOUT(offer->isVisible(), 20'000);
    meshreel::testing::makeTinyModel(m_folder.filePath(QStringLiteral("models/later")).toStdString(),
                                     meshreel::testing::tinyModelOf("wan2.1-vace"));
    m_editor->focusPrompt();
    QWidget* prompt = QApplication::focusWidget();
    QSignalSpy switched(&m_editor->tasks().taskSwitch(), &TaskSwitch::switched);
    m_editor->tasks().taskSwitch().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(!offer->isVisible(), 20'000);
    QCOMPARE(text("pretrained_model_name_or_path"), QStringLiteral("later"));
    QCOMPARE(text("task"), QStringLiteral("vace"));
    QCOMPARE(switched.count(), 0);
    QCOMPARE(QApplication::focusWidget(), prompt);  // where somebody types meanwhile
}

void TaskSwitchTest::theChosenOneIsSeen_data() {
    QTest::addColumn<int>("appearance");
    QTest::newRow("light") << static_cast<int>(Appearance::Light);
    QTest::newRow("dark") << static_cast<int>(Appearance::Dark);
}

void TaskSwitchTest::theChosenOneIsSeen() {
    QFETCH(const int, appearance);
    constexpr double seen = 3;        // WCAG 2.1, 1.4.11: states of controls
    constexpr double readable = 4.5;  // 1.4.3: words
    chooseAppearance(static_cast<Appearance>(appearance));
    QApplication::processEvents();
    const auto ground = [this](const char* name) {
        const QToolButton* shown = button(name);
        return m_editor->grab().toImage().pixelColor(shown->mapTo(m_editor.get(), QPoint(8, 6)));
    };
    const QColor chosen = ground("task-text");
    QVERIFY2(contrast(chosen, ground("task-image")) >= seen, qPrintable(chosen.name()));
    QVERIFY(contrast(chosen, QApplication::palette().color(QPalette::HighlightedText)) >= readable);
    chooseAppearance(Appearance::System);
}

MESHREEL_TEST_CLASS(TaskSwitchTest)
#include "task_switch_test.moc"
