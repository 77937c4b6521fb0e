// SPDX-License-Identifier: GPL-3.0-or-later
// Kept prompts, styles, and prompts that stand for several.
#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMessageBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <memory>

#include "engine/base/files.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/library/prompt_panel.h"
#include "ui/project/project_document.h"
#include "ui/queue/grid_dialog.h"

using namespace meshreel;

namespace {

KeptPrompt ball() {
    return {.name = QStringLiteral("Ball"),
            .tags = QStringLiteral("toys"),
            .prompt = QStringLiteral("a red ball"),
            .negative = QStringLiteral("blur")};
}

KeptPrompt oil() {
    return {.name = QStringLiteral("Oil"),
            .tags = {},
            .prompt = QStringLiteral("{prompt}, an oil painting"),
            .negative = {}};
}

}  // namespace

class PromptsTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void variants_data();
    void variants();
    void gridTakesVariants();
    void bracesInAPromptAreWarnedOf();
    void removingAsks();
    void libraryIsThereAfterARestart();
    void damagedLibraryIsSetAside();
    void panelKeepsAndUses();
    void panelSearches();

  private:
    [[nodiscard]] std::filesystem::path file() const {
        return m_folder->filePath(QStringLiteral("kept/prompts.json")).toStdString();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void PromptsTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
}

void PromptsTest::variants_data() {
    QTest::addColumn<QString>("prompt");
    QTest::addColumn<QString>("expected");
    QTest::newRow("plain") << QStringLiteral("a ball") << QStringLiteral("a ball");
    QTest::newRow("one") << QStringLiteral("a {red|blue} ball") << QStringLiteral("a red ball/a blue ball");
    QTest::newRow("two") << QStringLiteral("{a|b}{c|d}") << QStringLiteral("ac/ad/bc/bd");
    QTest::newRow("empty choice") << QStringLiteral("ball{| rolling}") << QStringLiteral("ball/ball rolling");
    QTest::newRow("nested") << QStringLiteral("{a {b|c}|d}") << QStringLiteral("a b/a c/d");
    QTest::newRow("braces without a bar")
        << QStringLiteral("{prompt} {a|b}") << QStringLiteral("{prompt} a/{prompt} b");
    QTest::newRow("not closed") << QStringLiteral("a {red|blue ball") << QStringLiteral("a {red|blue ball");
}

void PromptsTest::variants() {
    QFETCH(QString, prompt);
    QTEST(promptVariants(prompt, 1000).join(QLatin1Char('/')), "expected");
    const QString many = QStringLiteral("{a|b|c|d|e|f|g|h|i|j}").repeated(5);
    QCOMPARE(promptVariants(many, 1000).size(), 1000);
}

void PromptsTest::gridTakesVariants() {
    QCOMPARE(
        gridValues(*findProjectKey("prompt"), QStringLiteral("a {red|blue} ball\na cube")),
        QStringList({QStringLiteral("a red ball"), QStringLiteral("a blue ball"), QStringLiteral("a cube")}));
}

void PromptsTest::libraryIsThereAfterARestart() {
    {
        PromptLibrary library(file());
        const QAbstractItemModelTester tester(&library,
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        library.add(ball());
        library.add(oil());
        QVERIFY(library.setData(library.index(0, PromptLibrary::Tags), QStringLiteral("round")));
        library.add(ball());
        library.remove(2);
    }
    const PromptLibrary library(file());
    QCOMPARE(library.rowCount(), 2);
    QCOMPARE(library.at(0).tags, QStringLiteral("round"));
    QCOMPARE(library.at(0).negative, QStringLiteral("blur"));
    QCOMPARE(library.at(1), oil());
    QVERIFY(library.at(1).isStyle());
    QVERIFY(library.remark().isEmpty());
}

void PromptsTest::damagedLibraryIsSetAside() {
    std::filesystem::create_directories(file().parent_path());
    writeFileAtomically(file(), "{\"prompts\": [");
    const PromptLibrary library(file());
    QCOMPARE(library.rowCount(), 0);
    QVERIFY2(library.remark().contains(QLatin1String("prompts.json.damaged")), qPrintable(library.remark()));
    QVERIFY(!std::filesystem::exists(file()));
}

void PromptsTest::panelKeepsAndUses() {
    PromptLibrary library(file());
    ProjectDocument document;
    PromptPanel panel(library, document);
    panel.show();
    QVERIFY(!panel.actions().keep->isEnabled());
    QVERIFY(!panel.table().isVisible());
    document.setText(*findProjectKey("prompt"), QStringLiteral("a red ball on a green table"));
    panel.actions().keep->trigger();
    QCOMPARE(library.at(0).name, QStringLiteral("a red ball on"));
    QVERIFY(panel.table().isVisible());
    const int style = library.add(oil());
    panel.table().setCurrentIndex(panel.table().model()->index(style, PromptLibrary::Name));
    panel.actions().use->trigger();
    QCOMPARE(document.project().prompt, "a red ball on a green table, an oil painting");
    document.undoStack().undo();
    QCOMPARE(document.project().prompt, "a red ball on a green table");
    document.undoStack().clear();
}

void PromptsTest::removingAsks() {
    PromptLibrary library(file());
    library.add(ball());
    ProjectDocument document;
    PromptPanel panel(library, document);
    panel.show();
    panel.table().setCurrentIndex(panel.table().model()->index(0, PromptLibrary::Name));
    const auto removeAndSay = [&panel](QMessageBox::StandardButton answer) {
        QString asked;
        QTimer::singleShot(0, [&] {
            auto* question = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(question != nullptr);
            asked = question->text();
            question->button(answer)->click();
        });
        panel.actions().remove->trigger();
        return asked;
    };
    QVERIFY(removeAndSay(QMessageBox::No).contains(QLatin1String("Ball")));
    QCOMPARE(library.rowCount(), 1);
    removeAndSay(QMessageBox::Yes);
    QCOMPARE(library.rowCount(), 0);
}

void PromptsTest::bracesInAPromptAreWarnedOf() {
    ProjectDocument document;
    const auto warningsOf = [&document](const char* prompt) {
        document.setText(*findProjectKey("prompt"), QString::fromLatin1(prompt));
        return std::ranges::count_if(document.problems(), [](const Problem& problem) {
            return problem.key == "prompt" && problem.severity == Severity::Warning;
        });
    };
    QCOMPARE(warningsOf("a {red|blue} ball"), 1);
    QVERIFY(!document.hasErrors());
    for (const Diagnosis& diagnosis : diagnose(document, {}, nullptr))
        QVERIFY(diagnosis.fixes.empty());  // no prompt in place of the person's
    QCOMPARE(warningsOf("{prompt}, an oil painting"), 1);
    QCOMPARE(warningsOf("a {red} ball"), 0);
    QCOMPARE(warningsOf("a ball"), 0);
}

void PromptsTest::panelSearches() {
    PromptLibrary library(file());
    library.add(ball());
    library.add(oil());
    ProjectDocument document;
    PromptPanel panel(library, document);
    panel.show();
    panel.search().setText(QStringLiteral("TOYS"));
    QCOMPARE(panel.table().model()->rowCount(), 1);
    panel.search().setText(QStringLiteral("nothing like this"));
    QVERIFY(!panel.table().isVisible());
    document.undoStack().clear();
}

MESHREEL_TEST_CLASS(PromptsTest)
#include "prompts_test.moc"
