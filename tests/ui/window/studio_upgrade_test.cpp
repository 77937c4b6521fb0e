// SPDX-License-Identifier: GPL-3.0-or-later
// What the Studio of 1589ffd left: its settings with a layout that somebody changed and chosen columns, its
// queue and a project (tests/data/frozen/studio-1589ffd).
#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QSettings>
#include <QTest>
#include <QTreeView>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/estimates/machine_rates.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/locations.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/queue/queue_panel.h"
#include "ui/runs/history_panel.h"
#include "ui/settings/project_editor.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"
#include "ui/window/workspaces.h"

using namespace meshreel;
using namespace meshreel::testing;

class StudioUpgradeTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void init();
    void settingsAreTakenOver();
    void theLayoutIsThere();
    void theQueueGoesOn();
    void theProjectOpens();
    void whatCannotBeReadIsKeptAndNamed();

  private:
    /// All messages that are shown.
    [[nodiscard]] QString messages() const {
        QString all;
        for (const QLabel* words : m_window->banner().findChildren<QLabel*>(QStringLiteral("text")))
            all += words->text() + QLatin1Char('\n');
        return all;
    }
    [[nodiscard]] QDockWidget* dock(const char* name) const {
        return m_window->docks().findChild<QDockWidget*>(QLatin1String(name));
    }

    const std::filesystem::path m_left = testData() / "frozen" / "studio-1589ffd";
};

void StudioUpgradeTest::init() {
    m_window.reset();
    QSettings().clear();
    const QString settings = QSettings().fileName();
    QVERIFY(QFile::exists(QString::fromStdString((m_left / "settings.conf").string())));
    std::filesystem::create_directories(std::filesystem::path(settings.toStdString()).parent_path());
    std::filesystem::copy_file(m_left / "settings.conf", settings.toStdString(),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::create_directories(userDataFolder());
    std::filesystem::copy_file(m_left / "queue.json", userDataFolder() / "queue.json",
                               std::filesystem::copy_options::overwrite_existing);
    QSettings().sync();
    openWindow();
}

void StudioUpgradeTest::settingsAreTakenOver() {
    QVERIFY(m_window->panels().editor().showsAdvanced());
    QCOMPARE(m_window->files().recentFiles(), QStringList{QStringLiteral("/home/ann/films/fox.yaml")});
    const QHeaderView& columns = *m_window->panels().history().table().header();
    QCOMPARE(columns.visualIndex(RunHistoryModel::Note), 1);
    QVERIFY(columns.isSectionHidden(RunHistoryModel::Model));
    QVERIFY(!columns.isSectionHidden(RunHistoryModel::Seed));  // of which they did not know
    QVERIFY(columns.sectionSize(RunHistoryModel::Differs) > 0);
}

void StudioUpgradeTest::theLayoutIsThere() {
    // The workspaces begin as they are meant; the former layout is a choice.
    QCOMPARE(m_window->workspaces().current(), Workspace::Create);
    QVERIFY(dock("project")->isVisible() && dock("compare")->isHidden());
    QAction* earlier = action("Layout of the earlier version");
    QVERIFY(earlier != nullptr);
    earlier->trigger();
    QApplication::processEvents();
    QVERIFY(dock("compare")->isVisible());
    QCOMPARE(dock("compare")->geometry().right(), m_window->docks().rect().right());
    QVERIFY(m_window->docks().tabifiedDockWidgets(dock("result")).contains(dock("runs")));
    // It is kept as that of the workspace, and there is a way back.
    m_window->workspaces().show(Workspace::Runs);
    QVERIFY(dock("compare")->isHidden());
    m_window->workspaces().show(Workspace::Create);
    QVERIFY(dock("compare")->isVisible());
    m_window->workspaces().reset();
    QVERIFY(dock("compare")->isHidden());
}

void StudioUpgradeTest::theQueueGoesOn() {
    RunQueue& queue = m_window->queue();
    QVERIFY2(m_window->panels().queue().remark().isEmpty(), qPrintable(m_window->panels().queue().remark()));
    QCOMPARE(queue.rowCount(), 4);
    QCOMPARE(queue.waiting(), 3);  // what was running waits again
    QCOMPARE(queue.at(1).project.seed, Seed(8));
    QCOMPARE(queue.at(2).state, QueuedRun::State::Failed);
    QCOMPARE(queue.at(2).remark, std::string("no memory"));
    QCOMPARE(queue.at(3).project.numInferenceSteps, 6);
    QCOMPARE(queue.at(3).project.prompt, std::string("a red ball moving right on a white background"));
    QCOMPARE(queue.at(3).folder, std::string("/runs/20261126-081502-fox"));
}

void StudioUpgradeTest::theProjectOpens() {
    QVERIFY(m_window->files().load(QString::fromStdString((m_left / "project.yaml").string())));
    QVERIFY(!m_window->document().hasErrors());
    QCOMPARE(m_window->document().project().model, std::string("tiny-wan-t2v"));
    QVERIFY(!m_window->document().isModified());
}

void StudioUpgradeTest::whatCannotBeReadIsKeptAndNamed() {
    namespace fs = std::filesystem;
    const auto reopen = [this](const QByteArray& layout) {
        m_window->close();  // which keeps its layout
        m_window.reset();
        QSettings().setValue(QStringLiteral("window/create"), layout);
        openWindow();
    };
    QCOMPARE(messages(), QString());
    reopen("no layout");
    QVERIFY2(messages().contains(QLatin1String("Create")), qPrintable(messages()));
    QVERIFY(dock("project")->isVisible());
    reopen("none either");
    QCOMPARE(QSettings().value(QStringLiteral("window/create-unread-1")).toByteArray(),
             QByteArray("no layout"));
    QCOMPARE(QSettings().value(QStringLiteral("window/create-unread-2")).toByteArray(),
             QByteArray("none either"));
    reopen({});
    QVERIFY2(messages().isEmpty(), "what is told once is kept aside");

    m_window->close();
    m_window.reset();
    const fs::path settings = QSettings().fileName().toStdString();
    for (const char* aside : {".damaged", ".damaged-2"}) {
        std::ofstream(settings, std::ios::app) << "\n[half of a\n";
        QSettings().sync();
        openWindow();
        const fs::path copy = settings.string() + aside;
        QVERIFY2(messages().contains(QString::fromStdString(copy.filename().string())),
                 qPrintable(messages()));
        QVERIFY(fs::exists(copy));
        QVERIFY2(m_window->panels().editor().showsAdvanced(), "what can be read counts");
        m_window->close();
        m_window.reset();
    }

    const fs::path rates = ratesFile(MachineIdentity::ofThis());
    fs::create_directories(rates.parent_path());
    writeFileAtomically(rates, "{\"format\": 4");
    openWindow();
    QTRY_VERIFY2(messages().contains(QString::fromStdString(rates.stem().string())), qPrintable(messages()));
    QVERIFY(!fs::exists(rates));
}

MESHREEL_TEST_CLASS(StudioUpgradeTest)
#include "studio_upgrade_test.moc"
