// SPDX-License-Identifier: GPL-3.0-or-later
// Examples of prompts, and the length in seconds.
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "engine/catalogue/model_library.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/project_document.h"
#include "ui/settings/form_notes.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/prompt_examples.h"
#include "ui/widgets/edits.h"

using namespace meshreel;

class PromptExamplesTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void cleanup();
    void theyComeFromTheTableOrTheCard();
    void theTableHasOneOfEachMotion();
    void eachCanRun();
    void theListIsByMotion();
    void theButtonStaysWhereItIs();
    void anExampleOfAPictureBringsIt();
    void secondsGiveFrames();
    void arrowsGoToTheNextLegalLength();
    void whatIsNoNumberChangesNothing();
    void secondsFollowOtherLengthsWhileTheyHaveTheFocus();
    void secondsHaveTheKeysOfTheForm();

  private:
    [[nodiscard]] QToolButton* example() const {
        return m_editor->findChild<QToolButton*>(QStringLiteral("example"));
    }
    [[nodiscard]] NumberEdit* seconds() const {
        return m_editor->findChild<NumberEdit*>(QStringLiteral("seconds"));
    }
    void typeSeconds(const QString& typed) const {
        seconds()->setFocus();
        seconds()->selectAll();
        QTest::keyClicks(seconds(), typed);
    }

    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<ProjectEditor> m_editor;
};

void PromptExamplesTest::init() {
    m_document = std::make_unique<ProjectDocument>();
    m_editor = std::make_unique<ProjectEditor>(*m_document);
    m_editor->resize(420, 800);
    m_editor->show();
    QVERIFY(QTest::qWaitForWindowActive(m_editor.get()));
}

void PromptExamplesTest::cleanup() {
    m_editor.reset();
    m_document.reset();
}

void PromptExamplesTest::theyComeFromTheTableOrTheCard() {
    const QString card = QStringLiteral(
        "# m\n\n    no example\n\n## What to ask for\n\n    a\n    b c\n\n* x\n\n## Data\n\n    d\n");
    QCOMPARE(promptsOfCard(card), (QStringList{QStringLiteral("a"), QStringLiteral("b c")}));
    const std::vector<PromptExample> own = promptExamples(QStringLiteral("some-model"), card);
    QCOMPARE(own.size(), 2U);
    QCOMPARE(own.front().prompt, QStringLiteral("a"));
    QVERIFY(promptExamples(QStringLiteral("some-model"), {}).size() >= 3);
    QVERIFY(promptExamples(QStringLiteral("tiny-wan-t2v"), card).front().prompt != QStringLiteral("a"));
}

void PromptExamplesTest::theTableHasOneOfEachMotion() {
    for (const char* model : {"tiny-wan-t2v", "tiny-wan-i2v", ""}) {
        std::set<QString> motions;
        for (const PromptExample& each : promptExamples(QLatin1String(model), {})) {
            QVERIFY2(!each.motion.isEmpty() && each.motion.front().isUpper(), qPrintable(each.prompt));
            QVERIFY2(motions.insert(each.motion).second, qPrintable(each.motion));
        }
        QVERIFY2(!motions.empty(), model);
    }
}

void PromptExamplesTest::eachCanRun() {
    for (const ModelInfo& model : installedModels())
        for (const PromptExample& each : promptExamples(QString::fromStdString(model.name), {})) {
            Project project;
            project.model = model.name;
            project.prompt = each.prompt.toStdString();
            project.image = each.image.toStdString();
            const ProjectForecast forecast = makeForecast(project);
            QVERIFY2(forecast.plan != nullptr && !forecast.obstacle, qPrintable(each.prompt));
        }
}

void PromptExamplesTest::theListIsByMotion() {
    const std::vector<PromptExample> all = promptExamples(QStringLiteral("tiny-wan-t2v"), {});
    const QMenu* menu = example()->menu();
    QCOMPARE(menu->actions().size(), static_cast<qsizetype>(all.size()));
    QVERIFY(menu->actions().at(2)->text().startsWith(all[2].motion));
    bool seen = false;
    QTimer choose;
    choose.callOnTimeout([&seen] {
        if (auto* open = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
            seen = true;
            QTest::mouseClick(open, Qt::LeftButton, {}, open->actionGeometry(open->actions().at(2)).center());
        }
    });
    constexpr int pollMilliseconds = 20;
    choose.start(pollMilliseconds);
    // The arrow, at the end of the button.
    QTest::mouseClick(example(), Qt::LeftButton, {}, QPoint(example()->width() - 5, example()->height() / 2));
    QTRY_VERIFY(seen);
    QTRY_COMPARE(m_document->text(*findProjectKey("prompt")), all[2].prompt);
}

void PromptExamplesTest::theButtonStaysWhereItIs() {
    const auto place = [this] {
        QApplication::processEvents();
        return QRect(example()->mapTo(m_editor.get(), QPoint()), example()->size());
    };
    const QRect first = place();
    QVERIFY(m_editor->rect().contains(first));
    const auto press = [&] {
        QTest::mouseClick(example(), Qt::LeftButton, {}, QPoint(8, first.height() / 2));
    };
    press();
    QVERIFY(!m_document->project().prompt.empty());
    m_editor->promptTools().setTokens(12);  // as the forecast tells them
    QCOMPARE(place(), first);
    const std::string before = m_document->project().prompt;
    press();
    QVERIFY(m_document->project().prompt != before);
    QCOMPARE(place(), first);
}

void PromptExamplesTest::anExampleOfAPictureBringsIt() {
    m_document->setText(*findProjectKey("pretrained_model_name_or_path"), QStringLiteral("tiny-wan-i2v"));
    const auto press = [this] { QTest::mouseClick(example(), Qt::LeftButton, {}, QPoint(8, 8)); };
    press();
    QVERIFY(!m_document->project().prompt.empty());
    QVERIFY(isExamplePicture(QString::fromStdString(m_document->project().image)));
    m_document->undoStack().undo();
    QVERIFY(m_document->project().image.empty() && m_document->project().prompt.empty());
    m_document->setText(*findProjectKey("image"), QStringLiteral("mine.png"));
    press();
    QCOMPARE(m_document->project().image, std::string("mine.png"));  // what somebody chose stays
}

void PromptExamplesTest::secondsGiveFrames() {
    QCOMPARE(seconds()->value(), QStringLiteral("1.06"));  // 17 at 16 a second
    typeSeconds(QStringLiteral("2"));
    QCOMPARE(m_document->project().numFrames, 33);
    QCOMPARE(seconds()->value(), QStringLiteral("2"));  // while it is typed
    QTest::keyClick(seconds(), Qt::Key_Return);
    QCOMPARE(seconds()->value(), QStringLiteral("2.06"));  // what is legal
    m_document->setText(*findProjectKey("num_frames"), QStringLiteral("81"));
    QCOMPARE(seconds()->value(), QStringLiteral("5.06"));
    m_document->setText(*findProjectKey("fps"), QStringLiteral("24"));
    QCOMPARE(m_document->project().numFrames, 81);
    QCOMPARE(seconds()->value(), QStringLiteral("3.38"));
    QVERIFY(seconds()->accessibleName().contains(QLatin1String("seconds")));
}

void PromptExamplesTest::arrowsGoToTheNextLegalLength() {
    seconds()->setFocus();
    QTest::keyClick(seconds(), Qt::Key_Up);
    QCOMPARE(m_document->project().numFrames, 21);
    QCOMPARE(seconds()->value(), QStringLiteral("1.31"));
    QTest::keyClick(seconds(), Qt::Key_Down);
    QTest::keyClick(seconds(), Qt::Key_Down);
    QCOMPARE(m_document->project().numFrames, 13);
}

void PromptExamplesTest::whatIsNoNumberChangesNothing() {
    typeSeconds(QStringLiteral("x"));
    QCOMPARE(m_document->project().numFrames, 17);
    m_editor->row(QStringLiteral("height"))->field().setFocus();
    QCOMPARE(seconds()->value(), QStringLiteral("1.06"));
}

void PromptExamplesTest::secondsFollowOtherLengthsWhileTheyHaveTheFocus() {
    typeSeconds(QStringLiteral("3"));
    QCOMPARE(m_document->project().numFrames, 49);
    QTest::keyClick(seconds(), Qt::Key_Up);
    QCOMPARE(m_document->project().numFrames, 53);
    QCOMPARE(seconds()->value(), QStringLiteral("3.31"));
    typeSeconds(QStringLiteral("2"));
    m_document->undoStack().undo();
    QVERIFY(m_document->project().numFrames != 33);
    QCOMPARE(seconds()->value(), QString::number(m_document->project().numFrames / 16.0, 'f', 2));
    typeSeconds(QStringLiteral("4"));
    m_document->startNew();
    QCOMPARE(seconds()->value(), QStringLiteral("1.06"));
}

void PromptExamplesTest::secondsHaveTheKeysOfTheForm() {
    seconds()->setFocus();
    QKeyEvent undo(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
    undo.ignore();
    QApplication::sendEvent(seconds(), &undo);
    QVERIFY2(!undo.isAccepted(), "the project undoes, not the box");
    QTest::keyClick(seconds(), Qt::Key_F1, Qt::ShiftModifier);
    const auto* help = m_editor->findChild<KeyHelp*>();
    QVERIFY(help->isVisible());
    QCOMPARE(help->key()->name, std::string_view("num_frames"));
}

MESHREEL_TEST_CLASS(PromptExamplesTest)
#include "prompt_examples_test.moc"
