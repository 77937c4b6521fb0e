// SPDX-License-Identifier: GPL-3.0-or-later
// The queue on disk.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <limits>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/queue/queue_store.h"

using namespace meshreel;

namespace {

Project seededProject(int seed) {
    Project project;
    project.prompt = "a \"ball\": # no comment";
    project.seed = seed;
    return project;
}

Project withPreset(Project project, const char* preset) {
    setFromText(project, *findProjectKey("preset"), preset);
    return project;
}

/// One after another they differ in everything that changes can be made of.
std::vector<QueuedRun> differentRuns() {
    Project described = seededProject(std::numeric_limits<int>::max());
    described.prompt = "two\nlines = of Ünïcode \xe7\x8c\xb4,\ttabs ";
    described.batchSeeds = "1, 2, 3";
    described.flowShift = 1.0 / 3;
    described.transformerFile = "models/a=b.safetensors";
    described.lora = {{.file = "a, b.safetensors", .strength = -0.7, .expert = ExpertChoice::High},
                      {.file = "c.safetensors"}};
    Project distilled = withPreset(described, "distill-4");
    Project guided = distilled;
    guided.preset = "none";  // with the values of the preset
    Project bare;
    bare.prompt = "rain";
    bare.useBase2Exp = false;
    bare.vmemLimitBytes = std::int64_t{1} << 40;
    std::vector<QueuedRun> runs;
    for (const Project& project : {seededProject(1), seededProject(2), seededProject(2), described, distilled,
                                   guided, distilled, bare})
        runs.push_back({.project = project});
    runs[1].state = QueuedRun::State::Failed;
    runs[1].remark = QStringLiteral("no memory");
    runs[2].folder = QStringLiteral("/runs/two");
    runs[2].varied = {"seed", "prompt"};
    return runs;
}

}  // namespace

class QueueFileTest : public QObject {
    Q_OBJECT

  private slots:
    void everyProjectComesBack();
    void readsFilesOfWholeProjects();
    void changesOfNoKeyAreNotRead_data();
    void changesOfNoKeyAreNotRead();
    void oneUnreadableRunLeavesTheOthers();
    void longQueuesHoldOneWholeProject();

  private:
    [[nodiscard]] std::filesystem::path file() const {
        return m_folder.filePath(QStringLiteral("kept/queue.json")).toStdString();
    }

    QTemporaryDir m_folder;
};

void QueueFileTest::everyProjectComesBack() {
    const std::vector<QueuedRun> runs = differentRuns();
    writeQueue(file(), runs);
    const std::vector<QueuedRun> read = readQueue(file()).runs;
    QCOMPARE(read.size(), runs.size());
    for (std::size_t row = 0; row < runs.size(); ++row)
        QVERIFY2(read[row] == runs[row], qPrintable(QString::number(row)));
}

// As they were written once, and as they are where changes do not tell a project.
void QueueFileTest::readsFilesOfWholeProjects() {
    QJsonArray array;
    for (const QueuedRun& run : differentRuns())
        array += QJsonObject{{QStringLiteral("project"), QString::fromStdString(resolvedYaml(run.project))}};
    const QJsonObject json{{QStringLiteral("runs"), array}};
    std::filesystem::create_directories(file().parent_path());
    writeFileAtomically(file(), QJsonDocument(json).toJson().toStdString());
    const std::vector<QueuedRun> read = readQueue(file()).runs;
    const std::vector<QueuedRun> runs = differentRuns();
    QCOMPARE(read.size(), runs.size());
    for (std::size_t row = 0; row < runs.size(); ++row)
        QVERIFY2(read[row].project == runs[row].project, qPrintable(QString::number(row)));
}

void QueueFileTest::changesOfNoKeyAreNotRead_data() {
    QTest::addColumn<QString>("change");
    QTest::newRow("no such key") << QStringLiteral("sead=1");
    QTest::newRow("no value") << QStringLiteral("seed");
    QTest::newRow("not its value") << QStringLiteral("seed=many");
    QTest::newRow("nothing") << QString();
}

void QueueFileTest::changesOfNoKeyAreNotRead() {
    QFETCH(QString, change);
    const QJsonObject run{{QStringLiteral("changes"), QJsonArray{change}}};
    const QJsonObject json{{QStringLiteral("runs"), QJsonArray{run}}};
    std::filesystem::create_directories(file().parent_path());
    writeFileAtomically(file(), QJsonDocument(json).toJson().toStdString());
    const KeptQueue kept = readQueue(file());
    QVERIFY(kept.runs.empty());
    QCOMPARE(kept.unread.size(), std::size_t{1});
    QVERIFY(!kept.unread.front().reason.isEmpty());
}

void QueueFileTest::oneUnreadableRunLeavesTheOthers() {
    const auto whole = [](const QString& text) { return QJsonObject{{QStringLiteral("project"), text}}; };
    const QJsonObject change{{QStringLiteral("changes"), QJsonArray{QStringLiteral("seed=7")}}};
    const QString good = QString::fromStdString(resolvedYaml(seededProject(1)));
    const QJsonArray array{whole(good),  whole(good + QStringLiteral("key_of_a_later_version: 3\n")),
                           change,       whole(good),
                           change,       5,
                           QJsonObject()};
    std::filesystem::create_directories(file().parent_path());
    writeFileAtomically(file(),
                        QJsonDocument(QJsonObject{{QStringLiteral("runs"), array}}).toJson().toStdString());
    const KeptQueue kept = readQueue(file());
    QCOMPARE(kept.runs.size(), std::size_t{3});
    QVERIFY(kept.runs[0].project == seededProject(1));
    QVERIFY(kept.runs[2].project == seededProject(7));
    std::vector<int> unread;
    for (const UnreadRun& run : kept.unread)
        unread.push_back(run.number);
    QCOMPARE(unread, (std::vector{2, 3, 6, 7}));
    QVERIFY2(kept.unread[0].reason.contains(QLatin1String("key_of_a_later_version")),
             qPrintable(kept.unread[0].reason));
}

void QueueFileTest::longQueuesHoldOneWholeProject() {
    constexpr int rows = 1700;
    std::vector<QueuedRun> runs;
    for (int seed = 0; seed < rows; ++seed)
        runs.push_back({.project = seededProject(seed)});
    writeQueue(file(), runs);
    QVERIFY(readQueue(file()).runs == runs);
    QFile written(QString::fromStdString(file().string()));
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readAll().count("\"project\""), 1);
}

MESHREEL_TEST_CLASS_WITHOUT_WINDOWS(QueueFileTest)

#include "queue_file_test.moc"
