// SPDX-License-Identifier: GPL-3.0-or-later
// Where the dialogs of exports begin.
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <functional>

#include "tests/support/charts/test_classes.h"
#include "ui/widgets/panel_parts.h"

using namespace meshreel;

namespace {

const ExportedFile report{.title = QStringLiteral("Export report"),
                          .name = QStringLiteral("comparison.html"),
                          .filters = QStringLiteral("Web page (*.html);;PDF document (*.pdf)")};

/// While it is there, file dialogs are answered with this.
class Answer {
  public:
    explicit Answer(std::function<void(QFileDialog&)> answer) : m_answer(std::move(answer)) {
        constexpr int pollMilliseconds = 5;
        m_poll.callOnTimeout([this] {
            if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
                ++m_asked;
                m_answer(*dialog);
            }
        });
        m_poll.start(pollMilliseconds);
    }
    [[nodiscard]] int asked() const { return m_asked; }

  private:
    std::function<void(QFileDialog&)> m_answer;
    QTimer m_poll;
    int m_asked = 0;
};

void accept(QDialog& dialog) {
    dialog.accept();
}

}  // namespace

class ExportPlaceTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void beginsWhereDocumentsAre();
    void goesOnWhereTheLastOneWent();
    void whatWasGivenUpIsNotRemembered();
    void namesGetTheExtensionOfTheirKind();

  private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

void ExportPlaceTest::init() {
    QSettings().clear();
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir::setCurrent(m_folder->path()));  // where the program was started
}

void ExportPlaceTest::beginsWhereDocumentsAre() {
    QString folder;
    const Answer answer([&folder](QFileDialog& dialog) {
        folder = dialog.directory().path();
        dialog.reject();
    });
    const ExportButton button(QStringLiteral("steps"), nullptr);
    for (QAction* format : button.menu()->actions()) {
        format->trigger();
        QCOMPARE(folder, exportFolder());
    }
    QCOMPARE(answer.asked(), button.menu()->actions().size());
    QVERIFY(exportFolder() != QDir::currentPath());
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    QCOMPARE(exportFolder(), QDir(documents).exists() ? documents : QDir::homePath());
}

void ExportPlaceTest::goesOnWhereTheLastOneWent() {
    const QString elsewhere = m_folder->filePath(QStringLiteral("elsewhere"));
    QVERIFY(QDir().mkpath(elsewhere));
    ExportButton button(QStringLiteral("steps"), nullptr);
    QSignalSpy exported(&button, &ExportButton::exportRequested);
    {
        const Answer answer([&elsewhere](QFileDialog& dialog) {
            dialog.setDirectory(elsewhere);
            dialog.selectFile(QStringLiteral("chart"));
            accept(dialog);
        });
        button.menu()->actions().constFirst()->trigger();
    }
    QCOMPARE(exported.count(), 1);
    QCOMPARE(QFileInfo(exported.constFirst().constFirst().toString()).path(), elsewhere);
    QString folder;
    const Answer answer([&folder](QFileDialog& dialog) {
        folder = dialog.directory().path();
        dialog.reject();
    });
    QVERIFY(askForExport(report, nullptr).isEmpty());
    QCOMPARE(folder, elsewhere);
    QVERIFY(QDir().rmdir(elsewhere));
    QVERIFY(askForExport(report, nullptr).isEmpty());
    QVERIFY(folder != elsewhere && folder != QDir::currentPath());
}

void ExportPlaceTest::whatWasGivenUpIsNotRemembered() {
    const QString before = exportFolder();
    const Answer answer([this](QFileDialog& dialog) {
        dialog.setDirectory(m_folder->path());
        dialog.reject();
    });
    QVERIFY(askForExport(report, nullptr).isEmpty());
    QCOMPARE(exportFolder(), before);
}

void ExportPlaceTest::namesGetTheExtensionOfTheirKind() {
    QStringList files;
    for (const QString& kind : report.filters.split(QStringLiteral(";;"))) {
        const Answer answer([&](QFileDialog& dialog) {
            dialog.setDirectory(m_folder->path());
            dialog.selectNameFilter(kind);
            emit dialog.filterSelected(kind);
            // Not selectFile(), which leaves a name alone that has the focus.
            dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QStringLiteral("mine"));
            accept(dialog);
        });
        files += QFileInfo(askForExport(report, nullptr)).fileName();
    }
    QCOMPARE(files, QStringList({QStringLiteral("mine.html"), QStringLiteral("mine.pdf")}));
}

MESHREEL_TEST_CLASS(ExportPlaceTest)

#include "export_place_test.moc"
