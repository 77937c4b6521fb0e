// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a timed prompt as lines, which follow the prompt's text and change it.
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>
#include <memory>

#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/project_document.h"
#include "ui/settings/timed_prompt_table.h"

using namespace meshreel;

class TimedPromptTableTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void linesFollowTheText();
    void aPromptWithoutTimesHasNoLines();
    void wordsAreTypedInOneStep();
    void boundsKeepOneUnit();
    void framesAreWhole();
    void whatIsNoTimeGoesBack();
    void partsAreAddedWhereTheOthersEnd();
    void partsMoveAndGo();
    void tokensStandBesideEachPart();
    void marksThatAreTypedIntoALineMakeAPart();
    void itShowsAllOfItself();

  private:
    [[nodiscard]] QString prompt() const { return m_document->text(*findProjectKey("prompt")); }
    void setPrompt(const char* text) {
        m_document->setText(*findProjectKey("prompt"), QString::fromLatin1(text));
    }
    [[nodiscard]] QLineEdit* edit(const char* name) const {
        QLineEdit* found = nullptr;
        for (auto* one : m_table->findChildren<QLineEdit*>(QLatin1String(name)))
            if (!one->isHidden() && one->isVisible())
                found = one;
        return found;
    }
    void click(const char* name) const {
        for (auto* one : m_table->findChildren<QToolButton*>(QLatin1String(name)))
            if (one->isVisible())
                return one->click();
        QFAIL(name);
    }
    void type(const char* name, const char* text) const {
        QLineEdit* line = edit(name);
        QVERIFY(line != nullptr);
        line->selectAll();
        QTest::keyClicks(line, QLatin1String(text));
    }
    void typeBound(const char* name, const char* text) const {
        type(name, text);
        QTest::keyClick(edit(name), Qt::Key_Return);
    }

    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<TimedPromptTable> m_table;
};

void TimedPromptTableTest::init() {
    m_table.reset();
    m_document = std::make_unique<ProjectDocument>();
    m_table = std::make_unique<TimedPromptTable>(*m_document);
    m_table->resize(640, 200);
    m_table->show();
}

void TimedPromptTableTest::linesFollowTheText() {
    setPrompt("a street [0:33%] a car [33%:] it stops");
    QCOMPARE(m_table->lines(), 2);
    QCOMPARE(edit("words0")->text(), QStringLiteral("a street"));
    QCOMPARE(edit("to1")->text(), QStringLiteral("33%"));
    QCOMPARE(edit("words2")->text(), QStringLiteral("it stops"));
    m_document->undoStack().undo();
    QCOMPARE(m_table->lines(), 0);
    m_document->undoStack().redo();
    QCOMPARE(m_table->lines(), 2);
    setPrompt("[1:9] a");
    QCOMPARE(m_table->lines(), 1);
    QVERIFY(edit("words0")->text().isEmpty());
    QCOMPARE(edit("to1")->text(), QStringLiteral("9"));
}

void TimedPromptTableTest::aPromptWithoutTimesHasNoLines() {
    setPrompt("a ball [x]");
    QCOMPARE(m_table->lines(), 0);
    QVERIFY(edit("words0") == nullptr);
}

void TimedPromptTableTest::wordsAreTypedInOneStep() {
    setPrompt("a [0:50%] b [50%:] c");
    const int steps = m_document->undoStack().index();
    type("words1", "a red ball ");
    QCOMPARE(prompt(), QStringLiteral("a [0:50%] a red ball  [50%:] c"));
    QCOMPARE(edit("words1")->text(), QStringLiteral("a red ball "));  // and it is typed on
    QTest::keyClicks(edit("words1"), QStringLiteral("rolls"));
    QCOMPARE(prompt(), QStringLiteral("a [0:50%] a red ball rolls [50%:] c"));
    QCOMPARE(m_document->undoStack().index(), steps + 1);
    m_document->undoStack().undo();
    QCOMPARE(edit("words1")->text(), QStringLiteral("b"));
    type("words0", "x");
    QCOMPARE(prompt(), QStringLiteral("x [0:50%] b [50%:] c"));
}

void TimedPromptTableTest::boundsKeepOneUnit() {
    m_document->setText(*findProjectKey("num_frames"), QStringLiteral("81"));
    setPrompt("a [0:50%] b [50%:75%] c");
    typeBound("to1", "40");
    QCOMPARE(prompt(), QStringLiteral("a [0:40%] b [50%:75%] c"));
    typeBound("from2", "0:02");
    QCOMPARE(prompt(), QStringLiteral("a [0:40%] b [2s:3.8s] c"));
    typeBound("to2", "");
    QTest::keyClick(edit("to2"), Qt::Key_Backspace);
    QTest::keyClick(edit("to2"), Qt::Key_Return);
    QCOMPARE(prompt(), QStringLiteral("a [0:40%] b [2s:] c"));
}

void TimedPromptTableTest::framesAreWhole() {
    setPrompt("a [1:17] b");
    typeBound("from1", "2.5");
    QCOMPARE(prompt(), QStringLiteral("a [3:17] b"));
    QCOMPARE(m_table->lines(), 1);
    QCOMPARE(edit("from1")->text(), QStringLiteral("3"));
    typeBound("to1", "8.4");
    QCOMPARE(prompt(), QStringLiteral("a [3:8] b"));
    typeBound("from1", "0.2");
    QCOMPARE(prompt(), QStringLiteral("a [1:8] b"));
}

void TimedPromptTableTest::whatIsNoTimeGoesBack() {
    setPrompt("a [0:50%] b");
    typeBound("to1", "later");
    QCOMPARE(prompt(), QStringLiteral("a [0:50%] b"));
    QCOMPARE(edit("to1")->text(), QStringLiteral("50%"));
}

void TimedPromptTableTest::partsAreAddedWhereTheOthersEnd() {
    setPrompt("a ball");
    click("addPart");
    QCOMPARE(prompt(), QStringLiteral("a ball [0:50%]"));
    type("words1", "red");
    click("addPart");
    QCOMPARE(prompt(), QStringLiteral("a ball [0:50%] red [50%:]"));
    click("addPart");
    QCOMPARE(prompt(), QStringLiteral("a ball [0:50%] red [50%:75%] [75%:]"));
    m_document->undoStack().undo();
    QCOMPARE(prompt(), QStringLiteral("a ball [0:50%] red [50%:]"));
    QCOMPARE(m_table->lines(), 2);
    setPrompt("a [1:8] b");
    click("addPart");
    QCOMPARE(prompt(), QStringLiteral("a [1:8] b [9:]"));
}

void TimedPromptTableTest::partsMoveAndGo() {
    setPrompt("a [0:50%] b [50%:] c");
    click("down1");
    QCOMPARE(prompt(), QStringLiteral("a [0:50%] c [50%:] b"));
    click("up2");
    QCOMPARE(prompt(), QStringLiteral("a [0:50%] b [50%:] c"));
    click("remove1");
    QCOMPARE(prompt(), QStringLiteral("a [50%:] c"));
    click("remove1");
    QCOMPARE(prompt(), QStringLiteral("a"));
    QCOMPARE(m_table->lines(), 0);
}

void TimedPromptTableTest::tokensStandBesideEachPart() {
    setPrompt("a [0:50%] b [50%:] c");
    const auto tokens = [this] {
        QStringList texts;  // of every line
        for (const auto* label : m_table->findChildren<QLabel*>(QStringLiteral("tokens")))
            if (label->isVisible())
                texts += label->text();
        return texts.join(QLatin1Char(','));
    };
    m_table->setParts({{.text = "a", .span = {}, .tokens = {0, 2}},
                       {.text = "b", .span = PromptSpan{0, 0.5}, .tokens = {2, 14}},
                       {.text = "c", .span = PromptSpan{0.5, 1}, .tokens = {14, 17}}});
    QCOMPARE(tokens(), QStringLiteral("2,12,3"));
    setPrompt("[0:50%] b [50%:] c");
    m_table->setParts({{.text = "b", .span = PromptSpan{0, 0.5}, .tokens = {0, 12}},
                       {.text = "c", .span = PromptSpan{0.5, 1}, .tokens = {12, 15}}});
    QCOMPARE(tokens(), QStringLiteral(",12,3"));
    setPrompt("[0:50%] b [50%:75%] c [75%:] d");
    QCOMPARE(tokens(), QStringLiteral(",,,"));  // until it is known what they are now
}

void TimedPromptTableTest::marksThatAreTypedIntoALineMakeAPart() {
    setPrompt("a [0:50%] b");
    type("words1", "b [50%:]");
    QCOMPARE(m_table->lines(), 2);
    type("words2", "c");
    QCOMPARE(prompt(), QStringLiteral("a [0:50%] b [50%:] c"));
}

void TimedPromptTableTest::itShowsAllOfItself() {
    setPrompt(
        "A wide street in the evening [0:33%] a red car comes round the corner [33%:66%] it stops "
        "[66%:] the driver waves");
    m_table->setParts({{.text = "a", .span = {}, .tokens = {0, 6}},
                       {.text = "b", .span = PromptSpan{0, 0.33}, .tokens = {6, 14}},
                       {.text = "c", .span = PromptSpan{0.33, 0.66}, .tokens = {14, 16}},
                       {.text = "d", .span = PromptSpan{0.66, 1}, .tokens = {16, 19}}});
    QCoreApplication::processEvents();
    m_table->resize(360, m_table->sizeHint().height());
    QCoreApplication::processEvents();
    const QByteArray picture = qgetenv("MESHREEL_GRAB");
    if (!picture.isEmpty())
        QVERIFY(m_table->grab().save(QString::fromLocal8Bit(picture)));
    QVERIFY(m_table->minimumSizeHint().width() <= 360);
    for (const auto* line : m_table->findChildren<QLineEdit*>())
        if (line->isVisible())
            QVERIFY(m_table->rect().contains(QRect(line->mapTo(m_table.get(), QPoint()), line->size())));
}

MESHREEL_TEST_CLASS(TimedPromptTableTest)
#include "timed_prompt_table_test.moc"
