// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the studies: block sizes are found and written into the project, sweeps run and go on.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QFile>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/project/project_keys.h"
#include "ui/models/project_document.h"
#include "ui/sweep/sweep_model.h"
#include "ui/sweep/sweep_panel.h"
#include "ui/tune/tune_panel.h"

using namespace meshreel;

namespace {

constexpr int patience = 60000;  ///< milliseconds

/// The embedded model at a small size.
void setSmall(ProjectDocument& document) {
    Project project;
    project.width = project.height = 32;
    project.numFrames = 5;
    document.adopt(project, QStringLiteral("small"));
}

TileTuningOptions fewSizes() {
    return {
        .mode = TileGridMode::Full, .step = 128, .mostChoices = 2, .timing = {.iterations = 2, .warmUp = 1}};
}

/// A cell runs, and one does not: U = 3 divides neither the devices nor the heads.
constexpr const char* smallSweep =
    "version: 1\n"
    "name: small\n"
    "repeats: 2\n"
    "base: {width: 32, height: 32, num_frames: 5, devices: 2, workers: 1}\n"
    "strategies:\n"
    "  - {name: ring, attention: tokamax_ring}\n"
    "  - {name: hybrid, attention: ulysses_ring, ulysses_shards: 3}\n"
    "vary:\n"
    "  height: [32, 64]\n";

}  // namespace

class StudiesTest : public QObject {
    Q_OBJECT

  private slots:
    void tuningFindsSizesAndWritesThem();
    void tuningTellsWhatCannotBeTuned();
    void tuningIsCancelled();
    void nothingIsMeasuredBesideARun();
    void sweepRunsAndGoesOn();
    void sweepsOfOtherFilesAreRefused();

  private:
    [[nodiscard]] std::filesystem::path writeSweep(const char* name, const std::string& text) const {
        const std::filesystem::path file = m_folder.filePath(QLatin1String(name)).toStdString();
        writeFileAtomically(file, text);
        return file;
    }

    QTemporaryDir m_folder;
};

void StudiesTest::tuningFindsSizesAndWritesThem() {
    ProjectDocument document;
    setSmall(document);
    TunePanel panel(document);
    panel.setOptions(fewSizes());
    QCOMPARE(panel.options().mostChoices, 2U);
    QSignalSpy planned(&panel.tuner(), &TileTuner::planned);
    QSignalSpy finished(&panel.tuner(), &TileTuner::finished);
    panel.start();
    QVERIFY(panel.tuner().isBusy());
    QVERIFY(finished.wait(patience));
    QCOMPARE(planned.size(), 1);
    const auto task = planned.first().first().value<TuneTask>();
    QCOMPARE(task.passes, (task.choices + 1) * 3);
    QVERIFY(panel.verdict().contains(QLatin1String("block_q")));
    const auto result = finished.first().first().value<TuneResult>();
    QVERIFY(result.fastest() != nullptr);

    panel.exportTo(m_folder.filePath(QStringLiteral("tiles.csv")).toStdString());
    QFile table(m_folder.filePath(QStringLiteral("tiles.csv")));
    QVERIFY(table.open(QIODevice::ReadOnly));
    QCOMPARE(table.readAll().count('\n'), static_cast<qsizetype>(task.choices) + 1);

    panel.writeToProject();
    QCOMPARE(document.project().blockQ, result.fastest()->blocks.blockQ);
    QCOMPARE(document.project().blockKvCompute, result.fastest()->blocks.blockKvCompute);
    document.undoStack().undo();
    QCOMPARE(document.project().blockQ, 0);
    QCOMPARE(document.project().blockKvCompute, 0);
}

void StudiesTest::tuningTellsWhatCannotBeTuned() {
    ProjectDocument document;
    setSmall(document);
    document.setText(*findProjectKey("attention"), QStringLiteral("dot_product"));
    TunePanel panel(document);
    QSignalSpy troubled(&panel, &TunePanel::troubled);
    panel.start();
    QVERIFY(troubled.wait(patience));
    QVERIFY(panel.words().contains(QLatin1String("dot_product")));
    QVERIFY(!panel.tuner().isBusy());
    panel.writeToProject();
    QCOMPARE(document.project().blockQ, 0);
}

void StudiesTest::tuningIsCancelled() {
    ProjectDocument document;
    setSmall(document);
    TunePanel panel(document);
    TileTuningOptions options = fewSizes();
    options.timing.iterations = 10000;
    panel.setOptions(options);
    QSignalSpy planned(&panel.tuner(), &TileTuner::planned);
    QSignalSpy cancelled(&panel.tuner(), &TileTuner::cancelled);
    panel.start();
    QVERIFY(planned.wait(patience));
    panel.tuner().cancel();
    QVERIFY(cancelled.wait(patience));
    QVERIFY(!panel.tuner().isBusy());
    panel.start();  // again, and the panel goes away in the middle
    QVERIFY(planned.wait(patience));
}

void StudiesTest::nothingIsMeasuredBesideARun() {
    SweepPanel sweeps;
    QSignalSpy opened(&sweeps, &SweepPanel::opened);
    sweeps.open(writeSweep("busy.yaml", smallSweep));
    QVERIFY(opened.wait(patience));
    QVERIFY(sweeps.actions().start->isEnabled());
    sweeps.setEngineBusy(true);
    QVERIFY(!sweeps.actions().start->isEnabled());
    sweeps.setEngineBusy(false);
    QVERIFY(sweeps.actions().start->isEnabled());
}

void StudiesTest::sweepRunsAndGoesOn() {
    const std::filesystem::path file = writeSweep("small.yaml", smallSweep);
    {
        SweepPanel panel;
        const QAbstractItemModelTester tester(&panel.model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy opened(&panel, &SweepPanel::opened);
        QSignalSpy cancelled(&panel.runner(), &SweepRunner::cancelled);
        QSignalSpy finished(&panel.runner(), &SweepRunner::finished);
        panel.open(file);
        QVERIFY(opened.wait(patience));
        QCOMPARE(panel.model().rowCount(), 4);
        QVERIFY(!std::filesystem::exists(sweepFolderOf(file)));  // looking leaves nothing behind
        connect(&panel.runner(), &SweepRunner::rowAdded, &panel.runner(), [&panel](const SweepRow& row) {
            if (row.refusal.empty())
                panel.runner().cancel();
        });
        panel.start();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.runner().isBusy(), patience);
        QCOMPARE(cancelled.size() + finished.size(), 1);
        QVERIFY(!panel.model().passes().empty());
    }
    SweepPanel panel;
    QSignalSpy opened(&panel, &SweepPanel::opened);
    QSignalSpy finished(&panel.runner(), &SweepRunner::finished);
    panel.open(file);
    QVERIFY(opened.wait(patience));
    QVERIFY(!panel.model().passes().empty());
    panel.start();
    QVERIFY(finished.wait(patience));
    QCOMPARE(panel.model().endedCells(), 4);
    QCOMPARE(panel.model().passes().size(), 2U * 2U + 2U);
    using State = SweepModel::CellState;
    int refused = 0;
    for (int row = 0; row < panel.model().rowCount(); ++row)
        refused += panel.model().stateOf(row) == State::Refused ? 1 : 0;
    QCOMPARE(refused, 2);
    QVERIFY(!panel.actions().start->isEnabled());
    panel.exportTo(m_folder.filePath(QStringLiteral("all.csv")).toStdString());
    QCOMPARE(readFile(m_folder.filePath(QStringLiteral("all.csv")).toStdString()),
             readFile(sweepFolderOf(file) / "sweep.csv"));
}

void StudiesTest::sweepsOfOtherFilesAreRefused() {
    const std::filesystem::path file = writeSweep("other.yaml", "version: 1\nstrategies: 3\n");
    SweepPanel panel;
    QSignalSpy troubled(&panel, &SweepPanel::troubled);
    panel.open(file);
    QVERIFY(troubled.wait(patience));
    QCOMPARE(panel.model().rowCount(), 0);
    QCOMPARE(panel.model().columnCount(), 0);
}

QTEST_MAIN(StudiesTest)
#include "studies_test.moc"
