// SPDX-License-Identifier: GPL-3.0-or-later
// Configs and command lines of MaxDiffusion become projects.
#include <QAbstractItemModelTester>
#include <QFile>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "tests/support/charts/test_classes.h"
#include "ui/library/import_dialog.h"
#include "ui/project/plan_watch.h"

using namespace meshreel;

namespace {

constexpr const char* config =
    "pretrained_model_name_or_path: 'Wan-AI/Wan2.1-T2V-14B-Diffusers'\n"
    "scan_layers: True\n"
    "height: 720\n"
    "width: 1280\n";

QString rowOf(const QAbstractItemModel& report, const QString& key) {
    for (int row = 0; row < report.rowCount(); ++row)
        if (report.index(row, ImportReportModel::Key).data().toString() == key)
            return report.index(row, ImportReportModel::Fate).data().toString() + QStringLiteral(": ") +
                   report.index(row, ImportReportModel::Meaning).data().toString();
    return {};
}

}  // namespace

class ImportTest : public QObject {
    Q_OBJECT

  private slots:
    void commandsAreSplitAsAShellDoes_data();
    void commandsAreSplitAsAShellDoes();
    void reportFollowsWhatIsPasted();
    void theModelIsThatOfTheConfigThatIsNamed();
    void configAndCommandTogether();
    void wordsThatSetNothingAreTold();
    void whatCannotBeReadIsTold();

  private:
    [[nodiscard]] QString configFile() const;

    QTemporaryDir m_folder;
};

QString ImportTest::configFile() const {
    QFile file(m_folder.filePath(QStringLiteral("base_wan_14b.yml")));
    if (!file.open(QIODevice::WriteOnly) || file.write(config) < 0)
        return {};
    return file.fileName();
}

void ImportTest::commandsAreSplitAsAShellDoes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("config");
    QTest::newRow("nothing") << QString() << QStringList() << QString();
    QTest::newRow("settings alone") << QStringLiteral("height=480\nwidth=832")
                                    << QStringList{QStringLiteral("height=480"), QStringLiteral("width=832")}
                                    << QString();
    QTest::newRow("quotes") << QStringLiteral("prompt=\"a 'red' ball\" output_dir='a b'")
                            << QStringList{QStringLiteral("prompt=a 'red' ball"),
                                           QStringLiteral("output_dir=a b")}
                            << QString();
    QTest::newRow("a whole command")
        << QStringLiteral(
               "LIBTPU_INIT_ARGS='--a=1 --b' HF_HOME=/x python src/generate_wan.py \\\n"
               "  src/configs/base_wan_14b.yml \\\n  attention=\"ulysses_ring\" --verbose")
        << QStringList{QStringLiteral("attention=ulysses_ring"), QStringLiteral("--verbose")}
        << QStringLiteral("src/configs/base_wan_14b.yml");
    QTest::newRow("words between the program and its config")
        << QStringLiteral("python -m run generate_wan.py --log base.yml seed=1 \"a cat\"")
        << QStringList{QStringLiteral("--log"), QStringLiteral("seed=1"), QStringLiteral("a cat")}
        << QStringLiteral("base.yml");
    QTest::newRow("an open quote") << QStringLiteral("prompt='a ball")
                                   << QStringList{QStringLiteral("prompt=a ball")} << QString();
}

void ImportTest::commandsAreSplitAsAShellDoes() {
    QFETCH(QString, text);
    QFETCH(QStringList, words);
    const MaxDiffusionCommand command = readPastedCommand(text);
    QStringList read;
    for (const std::string& word : command.words)
        read += QString::fromStdString(word);
    QCOMPARE(read, words);
    QTEST(QString::fromStdString(command.config), "config");
}

void ImportTest::reportFollowsWhatIsPasted() {
    ImportDialog dialog;
    auto* report = dialog.findChild<ImportReportModel*>();
    const QAbstractItemModelTester tester(report, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto* open = dialog.findChild<QPushButton*>(QStringLiteral("open"));
    QVERIFY(!open->isEnabled());
    dialog.setCommand(
        QStringLiteral("python generate_wan.py base_wan_14b.yml ici_ring_parallelism=2 "
                       "ici_ulysses_parallelism=4 learning_rate=1 no_such_key=1"));
    QVERIFY(open->isEnabled());
    QVERIFY(!dialog.asksForModel());
    QCOMPARE(dialog.imported().project.iciContextParallelism, 8);
    QCOMPARE(dialog.imported().project.ulyssesShards, 4);
    QCOMPARE(rowOf(*report, QStringLiteral("ici_ring_parallelism")),
             QStringLiteral("translated: ici_context_parallelism: 8"));
    QVERIFY(rowOf(*report, QStringLiteral("learning_rate")).startsWith(QLatin1String("ignored: ")));
    QVERIFY(rowOf(*report, QStringLiteral("no_such_key")).startsWith(QLatin1String("refused: ")));
    QCOMPARE(report->index(0, ImportReportModel::Fate).data().toString(), QStringLiteral("refused"));
    QVERIFY2(dialog.summary().contains(QLatin1String("1 refused, 1 ignored, 3 translated")),
             qPrintable(dialog.summary()));
    QVERIFY2(dialog.summary().contains(QLatin1String("base_wan_14b.yml")), qPrintable(dialog.summary()));
    dialog.setCommand({});
    QCOMPARE(report->rowCount(), 0);
    QVERIFY(!open->isEnabled());
}

void ImportTest::theModelIsThatOfTheConfigThatIsNamed() {
    ImportDialog dialog;
    dialog.setCommand(QStringLiteral("python generate_wan.py base_wan_27b.yml height=720 width=1280"));
    QCOMPARE(dialog.imported().project.model, "Wan-AI/Wan2.2-T2V-A14B-Diffusers");
    const auto* ready = dialog.findChild<QPushButton*>(QStringLiteral("open"));
    QVERIFY2(!dialog.asksForModel() && ready->isEnabled(), "a release is known");
    QVERIFY2(dialog.summary().contains(QLatin1String("Wan-AI/Wan2.2-T2V-A14B-Diffusers")),
             qPrintable(dialog.summary()));
    dialog.setCommand(QStringLiteral("python generate_wan.py base_wan_99b.yml height=720 width=1280"));
    QCOMPARE(dialog.imported().project.model, "base_wan_99b");
    QVERIFY2(dialog.summary().contains(QLatin1String("base_wan_99b")), qPrintable(dialog.summary()));
    const auto* open = dialog.findChild<QPushButton*>(QStringLiteral("open"));
    QVERIFY2(dialog.asksForModel() && !open->isEnabled(), "nobody says which model it is for");
    const ProjectForecast forecast = makeForecast(dialog.imported().project);
    QVERIFY(std::ranges::any_of(forecast.problems, [](const Problem& problem) {
        return problem.key == "pretrained_model_name_or_path" && problem.severity == Severity::Error;
    }));
    dialog.chooseModel(QStringLiteral("Wan-AI/Wan2.1-T2V-14B-Diffusers"));
    QVERIFY(!dialog.asksForModel() && open->isEnabled());
    QCOMPARE(dialog.imported().project.model, "Wan-AI/Wan2.1-T2V-14B-Diffusers");
}

void ImportTest::configAndCommandTogether() {
    ImportDialog dialog;
    dialog.setConfig(configFile());
    QCOMPARE(dialog.imported().project.width, 1280);
    QCOMPARE(dialog.origin(), QStringLiteral("base_wan_14b"));
    dialog.setCommand(QStringLiteral("width=832"));
    QCOMPARE(dialog.imported().project.width, 832);
    QCOMPARE(dialog.imported().project.height, 720);
}

void ImportTest::wordsThatSetNothingAreTold() {
    ImportDialog dialog;
    auto* report = dialog.findChild<ImportReportModel*>();
    const auto* open = dialog.findChild<QPushButton*>(QStringLiteral("open"));
    dialog.setCommand(QStringLiteral("--prompt=\"a cat\" --seed=5"));
    QVERIFY2(rowOf(*report, QStringLiteral("--prompt=a cat")).startsWith(QLatin1String("ignored: ")),
             qPrintable(dialog.summary()));
    QVERIFY2(dialog.summary().contains(QLatin1String("2 ignored")), qPrintable(dialog.summary()));
    QVERIFY2(!open->isEnabled(), "nothing of it would be in the project");
    dialog.setCommand(QStringLiteral("prompt=a cat"));
    QVERIFY(rowOf(*report, QStringLiteral("cat")).startsWith(QLatin1String("ignored: ")));
    QVERIFY2(!open->isEnabled(), "no config and no model is named");
    dialog.chooseModel(QStringLiteral("tiny-wan-t2v"));
    QVERIFY(open->isEnabled());
}

void ImportTest::whatCannotBeReadIsTold() {
    ImportDialog dialog;
    dialog.setConfig(m_folder.filePath(QStringLiteral("none.yml")));
    QVERIFY2(dialog.summary().contains(QLatin1String("none.yml")), qPrintable(dialog.summary()));
    QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("open"))->isEnabled());
}

MESHREEL_TEST_CLASS(ImportTest)
#include "import_test.moc"
