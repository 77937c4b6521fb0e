// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt helper's dialog: nothing is sent unasked, and nothing is used unread.
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/catalogue/prompt_helper.h"
#include "engine/project/project.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/http_server.h"
#include "ui/library/prompt_helper_dialog.h"

using namespace meshreel;

class PromptHelperDialogTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void nothingIsSentUnasked();
    void theAnswerIsEditedBeforeItIsUsed();
    void aRefusalIsToldAndCanBeAskedAgain();
    void askingCanBeStopped();
    void settingsAreKeptAndForgotten();
    void aProjectWithAPictureSaysSo();

  private:
    static testing::HttpAnswer answerWith(const std::string& content) {
        testing::HttpAnswer answer;
        answer.body = R"({"choices": [{"message": {"role": "assistant", "content": )" +
                      nlohmann::json(content).dump() + "}}]}";
        return answer;
    }
    static void setAddress(const PromptHelperDialog& dialog, const testing::HttpServer& server) {
        dialog.fields().address->setText(QString::fromStdString(server.address()));
    }
};

void PromptHelperDialogTest::init() {
    for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"})
        qunsetenv(name);
    keepPromptHelper({});
}

void PromptHelperDialogTest::nothingIsSentUnasked() {
    const testing::HttpServer server([](const testing::HttpRequest&) { return answerWith("a"); });
    PromptHelperDialog dialog(QStringLiteral("a ball"), PromptUse::Text);
    QVERIFY(!dialog.fields().ask->isEnabled());
    setAddress(dialog, server);
    QVERIFY(dialog.fields().ask->isEnabled());
    QVERIFY(!dialog.fields().use->isEnabled());
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    dialog.fields().prompt->clear();
    QVERIFY(!dialog.fields().ask->isEnabled());
    dialog.reject();
    QVERIFY(server.requests().empty());
    QVERIFY(!std::filesystem::exists(promptHelperFile()));
}

void PromptHelperDialogTest::theAnswerIsEditedBeforeItIsUsed() {
    const testing::HttpServer server(
        [](const testing::HttpRequest&) { return answerWith("a red ball rolls"); });
    PromptHelperDialog dialog(QStringLiteral("a ball"), PromptUse::Text);
    setAddress(dialog, server);
    dialog.fields().ask->click();
    QVERIFY(dialog.isAsking());
    QTRY_VERIFY(!dialog.isAsking());
    QCOMPARE(dialog.rewritten(), QStringLiteral("a red ball rolls"));
    QVERIFY(dialog.fields().use->isEnabled());
    dialog.fields().answer->setPlainText(QStringLiteral("a red ball\nstops"));
    const QSignalSpy accepted(&dialog, &QDialog::accepted);
    dialog.fields().use->click();
    QCOMPARE(accepted.size(), 1);
    QCOMPARE(dialog.rewritten(), QStringLiteral("a red ball stops"));
}

void PromptHelperDialogTest::aRefusalIsToldAndCanBeAskedAgain() {
    std::atomic<bool> refuses = true;
    const testing::HttpServer server([&](const testing::HttpRequest&) {
        testing::HttpAnswer answer = answerWith("a cube");
        if (refuses)
            answer.status = 401;
        return answer;
    });
    PromptHelperDialog dialog(QStringLiteral("a ball"), PromptUse::Text);
    setAddress(dialog, server);
    dialog.fields().ask->click();
    QTRY_VERIFY(!dialog.isAsking());
    QVERIFY2(dialog.remark().contains(QLatin1String("401")), qPrintable(dialog.remark()));
    QVERIFY(!dialog.fields().use->isEnabled());
    refuses = false;
    dialog.fields().ask->click();
    QTRY_COMPARE(dialog.rewritten(), QStringLiteral("a cube"));
}

void PromptHelperDialogTest::askingCanBeStopped() {
    std::atomic<bool> asked = false;
    const testing::HttpServer server([&](const testing::HttpRequest&) {
        asked = true;
        testing::HttpAnswer answer = answerWith("late");
        answer.stallAfter = 0;
        return answer;
    });
    PromptHelperDialog dialog(QStringLiteral("a ball"), PromptUse::Text);
    setAddress(dialog, server);
    dialog.fields().ask->click();
    QTRY_VERIFY(asked);
    dialog.fields().ask->click();
    QVERIFY(!dialog.isAsking());
    QVERIFY(dialog.rewritten().isEmpty());
    QVERIFY(dialog.fields().ask->isEnabled());
}

void PromptHelperDialogTest::settingsAreKeptAndForgotten() {
    keepPromptHelper({.endpoint = "http://127.0.0.1:1", .model = "small", .key = "secret"});
    PromptHelperDialog dialog(QStringLiteral("a ball"), PromptUse::Text);
    QCOMPARE(dialog.fields().model->text(), QStringLiteral("small"));
    QCOMPARE(dialog.fields().key->echoMode(), QLineEdit::Password);
    dialog.show();
    dialog.reject();
    QVERIFY(readPromptHelper().isOn());
    dialog.show();
    dialog.fields().address->clear();
    dialog.reject();
    QVERIFY(!readPromptHelper().isOn());
}

void PromptHelperDialogTest::aProjectWithAPictureSaysSo() {
    Project project;
    QCOMPARE(promptUse(project), PromptUse::Text);
    project.image = "cat.png";
    QCOMPARE(promptUse(project), PromptUse::Picture);
}

MESHREEL_TEST_CLASS(PromptHelperDialogTest)

#include "prompt_helper_dialog_test.moc"
