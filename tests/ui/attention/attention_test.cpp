// SPDX-License-Identifier: GPL-3.0-or-later
// The attention panel: its table of modes, and the tiles over the score matrix.
#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/attention/attention_settings.h"
#include "engine/measure/tile_tuning.h"
#include "engine/planning/run_plan.h"
#include "engine/project/block_presets.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "tests/support/charts/test_classes.h"
#include "ui/attention/attention_mode_model.h"
#include "ui/attention/attention_panel.h"
#include "ui/attention/tile_view.h"
#include "ui/project/project_document.h"
#include "ui/settings/plan_parts.h"

using namespace meshreel;

namespace {

Project projectWith(const char* mode) {
    Project project;
    project.prompt = "a red ball";
    project.attention = mode;
    return project;
}

TilePlan tilesOf(const Project& project) {
    const ProjectForecast forecast = makeForecast(project);
    Q_ASSERT(forecast.plan != nullptr);
    return makeTilePlan(*forecast.plan);
}

QAction* presetOf(const AttentionPanel& panel, const BlockPreset& preset) {
    for (QAction* action : panel.presets().actions())
        if (action->text() == QString::fromStdString(std::string(preset.name)))
            return action;
    qFatal("no preset");
}

}  // namespace

class AttentionTest : public QObject {
    Q_OBJECT

  private slots:
    void tilesCoverTheMatrix();
    void ringsTileOneShard();
    void scratchIsMeasuredAgainstTheLimit();
    void scratchIsMeasuredAgainstTheCachesWithoutALimit();
    void drawingKeepsProportions();
    void edgesNeverRunTogether();
    void modesTellWhyTheyDoNotRun();
    void whatADeviceHoldsIsReadWhole();
    void sentencesStandInSight_data();
    void sentencesStandInSight();
    void panelChangesTheProject();
    void presetIsOneStepOfUndoing();
    void presetsForOtherModesSayWhy();
    void tuningIsAskedFor();
    void whatWasLastLegalIsMarked();
    void aProjectThatCannotBePlannedHasItsModeAndNoTiles();
};

void AttentionTest::tilesCoverTheMatrix() {
    Project project = projectWith("flash");
    project.blockQ = 48;
    project.blockKv = 50;
    project.blockKvCompute = 25;
    const TilePlan tiles = tilesOf(project);  // 5 x 4 x 4 tokens
    QCOMPARE(tiles.queries, 80);
    QCOMPARE(tiles.keys, 80);
    QCOMPARE(tiles.rows(), 2);
    QCOMPARE(tiles.columns(), 2);
    QCOMPARE(tiles.padding(), 1 - 80.0 * 80.0 / (96.0 * 100.0));
    QVERIFY(!tiles.scratchShare());
}

void AttentionTest::ringsTileOneShard() {
    Project project = projectWith("tokamax_ring");
    project.devices = 4;
    const TilePlan ring = tilesOf(project);
    QCOMPARE(ring.queries, 20);
    QCOMPARE(ring.keys, 20);
    project.attention = "ulysses";
    QCOMPARE(tilesOf(project).queries, 80);
    project.attention = "flash";  // gathers the keys
    QCOMPARE(tilesOf(project).queries, 20);
    QCOMPARE(tilesOf(project).keys, 80);
}

void AttentionTest::scratchIsMeasuredAgainstTheLimit() {
    Project project = projectWith("ulysses_custom");
    const TilePlan unlimited = tilesOf(project);
    QVERIFY(unlimited.scratchBytes > 0);
    QVERIFY(!unlimited.hasScratchLimit());
    project.vmemLimitBytes = 2 * unlimited.scratchBytes;
    QCOMPARE(tilesOf(project).scratchShare().value_or(0), 0.5);
}

void AttentionTest::scratchIsMeasuredAgainstTheCachesWithoutALimit() {
    Project project = projectWith("ulysses_custom");
    const TilePlan unlimited = tilesOf(project);
    QCOMPARE(unlimited.cacheBytes, workerCacheBytes());
    QCOMPARE(unlimited.scratchShare().value_or(0),
             static_cast<double>(unlimited.scratchBytes) / static_cast<double>(workerCacheBytes()));
    QVERIFY2(tileSentences(unlimited).contains(QLatin1String("this machine's caches")),
             qPrintable(tileSentences(unlimited)));
    project.vmemLimitBytes = 2 * unlimited.scratchBytes;
    QVERIFY(tileSentences(tilesOf(project)).contains(QLatin1String("50 % of the limit")));
}

void AttentionTest::drawingKeepsProportions() {
    TilePlan tiles{.mode = findAttentionMode("flash"), .queries = 900, .keys = 1700, .blocks = {}};
    tiles.blocks = {.blockQ = 300, .blockKv = 400, .blockKvCompute = 200};
    const QRectF area(10, 20, 500, 400);
    const TileDrawing drawing = drawTiles(tiles, area);
    QVERIFY(area.contains(drawing.tiles));
    QCOMPARE(drawing.matrix.height(), drawing.tiles.height());  // 3 x 300 rows: nothing sticks out
    QVERIFY(std::abs(drawing.matrix.width() / drawing.tiles.width() - 1700.0 / 2000.0) < 1e-9);
    QCOMPARE(drawing.rowEdges.size(), 2U);
    QCOMPARE(drawing.columnEdges.size(), 4U);
    QCOMPARE(drawing.computeEdges.size(), 1U);
}

void AttentionTest::edgesNeverRunTogether() {
    TilePlan tiles{.mode = findAttentionMode("flash"), .queries = 75600, .keys = 75600, .blocks = {}};
    tiles.blocks = {.blockQ = 16, .blockKv = 64, .blockKvCompute = 1};
    const TileDrawing drawing = drawTiles(tiles, QRectF(0, 0, 300, 300));
    QVERIFY(drawing.rowsPerEdge > 1);
    for (const std::vector<double>* edges : {&drawing.rowEdges, &drawing.columnEdges})
        for (std::size_t i = 1; i < edges->size(); ++i)
            QVERIFY((*edges)[i] - (*edges)[i - 1] >= 5);
}

void AttentionTest::modesTellWhyTheyDoNotRun() {
    AttentionModeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    Project project = projectWith("tokamax_ring");
    project.devices = 9;  // eight heads are not enough for nine devices
    const ProjectForecast forecast = makeForecast(project);
    QVERIFY(forecast.plan != nullptr);
    model.setPlan(*forecast.plan);
    const auto cell = [&](const char* mode, int column, int role) {
        return model.indexOf(findAttentionMode(mode)).siblingAtColumn(column).data(role).toString();
    };
    QVERIFY(cell("tokamax_ring", AttentionModeModel::Cost, Qt::DisplayRole) != QLatin1String("not here"));
    QCOMPARE(cell("ulysses", AttentionModeModel::Cost, Qt::DisplayRole), QStringLiteral("not here"));
    QVERIFY(cell("ulysses", AttentionModeModel::Name, Qt::ToolTipRole).contains(QLatin1String("8 heads")));
    for (int row = 0; row < model.rowCount(); ++row)
        QVERIFY(!model.index(row, AttentionModeModel::Holds).data().toString().isEmpty() ||
                !AttentionModeModel::mode(model.index(row, 0)).runs());
}

namespace {

constexpr QSize smallPanel{808, 355};  ///< in a window of 1280 x 800

}  // namespace

void AttentionTest::whatADeviceHoldsIsReadWhole() {
    ProjectDocument document;
    document.adopt(projectWith("ulysses_ring_custom_fixed_m"), {});
    AttentionPanel panel(document);
    panel.resize(smallPanel);
    panel.show();
    panel.showForecast(makeForecast(document.project()));
    auto& table = *panel.findChild<QTableView*>();
    const QAbstractItemView& items = table;
    const int column = AttentionModeModel::Holds;
    QTRY_VERIFY(items.sizeHintForColumn(column) <= table.columnWidth(column));
    QVERIFY(table.columnViewportPosition(column) + items.sizeHintForColumn(column) <=
            table.viewport()->width());
    constexpr QSize largePanel{1600, 800};
    panel.resize(largePanel);
    QTRY_COMPARE(table.horizontalHeader()->length(), table.viewport()->width());
    document.setText(*findProjectKey("attention"), QStringLiteral("flash"));
    panel.showForecast(makeForecast(document.project()));  // measures the columns anew
    QTRY_COMPARE(table.horizontalHeader()->length(), table.viewport()->width());
    for (int row = 0; row < panel.modes().rowCount(); ++row) {
        const QModelIndex cell = panel.modes().index(row, column);
        QVERIFY2(cell.data(Qt::ToolTipRole)
                     .toString()
                     .contains(QLatin1String("While it computes, a device holds")),
                 qPrintable(cell.data(Qt::ToolTipRole).toString()));
    }
}

void AttentionTest::sentencesStandInSight_data() {
    QTest::addColumn<QString>("mode");
    QTest::newRow("without tiles") << "dot_product";
    QTest::newRow("tiles") << "flash";
    QTest::newRow("tiles and scratch") << "ulysses_custom";
}

void AttentionTest::sentencesStandInSight() {
    QFETCH(QString, mode);
    ProjectDocument document;
    document.adopt(projectWith(qPrintable(mode)), {});
    AttentionPanel panel(document);
    panel.resize(smallPanel);
    panel.show();
    panel.showForecast(makeForecast(document.project()));
    const auto isFacts = [&](const QLabel* label) { return label->text() == panel.tileText(); };
    const QList<QLabel*> labels = panel.findChildren<QLabel*>();
    const auto facts = std::ranges::find_if(labels, isFacts);
    QVERIFY(facts != labels.end());
    QTRY_COMPARE((*facts)->visibleRegion().boundingRect(), (*facts)->rect());
    QVERIFY((*facts)->height() >= (*facts)->heightForWidth((*facts)->width()));
    for (const QScrollArea* area : panel.findChildren<QScrollArea*>())
        QCOMPARE(area->verticalScrollBar()->maximum(), 0);
}

void AttentionTest::panelChangesTheProject() {
    ProjectDocument document;
    document.adopt(projectWith("flash"), {});
    document.setText(*findProjectKey("flash_block_sizes.block_q"), QStringLiteral("64"));
    AttentionPanel panel(document);
    panel.resize(900, 500);
    panel.show();
    panel.showForecast(makeForecast(document.project()));
    QVERIFY2(panel.tileText().contains(QLatin1String("64 queries")), qPrintable(panel.tileText()));
    auto* table = panel.findChild<QAbstractItemView*>();
    emit table->activated(panel.modes().indexOf(findAttentionMode("tokamax_ring")));
    QCOMPARE(document.project().attention, std::string("tokamax_ring"));
    panel.showForecast(makeForecast(document.project()));
    QVERIFY(!panel.grab().isNull());
}

void AttentionTest::presetIsOneStepOfUndoing() {
    const Project before = projectWith("ulysses_ring_custom");
    ProjectDocument document;
    document.adopt(before, {});
    document.undoStack().clear();
    AttentionPanel panel(document);
    for (const BlockPreset& preset : blockPresets()) {
        QAction* action = presetOf(panel, preset);
        if (!action->isEnabled() || preset.source.empty())
            continue;
        action->trigger();
        QCOMPARE(attentionSettings(document.project()).blocks, preset.sizes);
        QVERIFY(action->isChecked());
        presetOf(panel, blockPresets().front())->trigger();
        QCOMPARE(attentionSettings(document.project()).blocks, FlashBlockSizes{});
        QCOMPARE(document.undoStack().count(), 2);
        document.undoStack().undo();
        QCOMPARE(attentionSettings(document.project()).blocks, preset.sizes);
        document.undoStack().undo();
        QCOMPARE(document.project(), before);
        QVERIFY(!action->isChecked());
    }
}

void AttentionTest::presetsForOtherModesSayWhy() {
    ProjectDocument document;
    document.adopt(projectWith("flash"), {});
    AttentionPanel panel(document);
    for (const AttentionMode& mode : attentionModes()) {
        if (!mode.runs())
            continue;
        document.setText(*findProjectKey("attention"), QString::fromStdString(std::string(mode.name)));
        int enabled = 0;
        for (const BlockPreset& preset : blockPresets()) {
            const QAction* action = presetOf(panel, preset);
            QCOMPARE(action->isEnabled(), preset.suits(mode));
            enabled += action->isEnabled() ? 1 : 0;
            if (!action->isEnabled())
                QCOMPARE(action->toolTip(), QString::fromStdString(std::string(preset.otherwise)));
            else if (!preset.source.empty())
                QVERIFY(action->toolTip().contains(QString::number(preset.sizes.blockQ)));
        }
        QCOMPARE(enabled == 0, mode.kernel == AttentionKernel::DotProduct);
    }
}

void AttentionTest::tuningIsAskedFor() {
    ProjectDocument document;
    AttentionPanel panel(document);
    QSignalSpy asked(&panel, &AttentionPanel::tuneRequested);
    for (QPushButton* button : panel.findChildren<QPushButton*>())
        if (button->text().startsWith(QLatin1String("Tune")))
            QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(asked.count(), 1);
}

void AttentionTest::whatWasLastLegalIsMarked() {
    ProjectDocument document;
    document.adopt(projectWith("flash"), {});
    AttentionPanel panel(document);
    panel.show();
    panel.showForecast(makeForecast(document.project()));
    const QString tiles = panel.tileText();
    const auto* mark = panel.findChild<LastPlanMark*>();
    QVERIFY(!mark->isMarked());
    document.setText(*findProjectKey("height"), QStringLiteral("80"));
    document.setText(*findProjectKey("ici_tensor_parallelism"), QStringLiteral("7"));
    ProjectForecast illegal = makeForecast(document.project());
    QVERIFY(illegal.plan == nullptr);
    illegal.hadPlan = true;
    panel.showForecast(illegal);
    QVERIFY(mark->isMarked());
    QCOMPARE(panel.tileText(), tiles);
}

void AttentionTest::aProjectThatCannotBePlannedHasItsModeAndNoTiles() {
    ProjectDocument document;
    document.adopt(projectWith("flash"), {});
    AttentionPanel panel(document);
    panel.show();
    panel.showForecast(makeForecast(document.project()));
    Project other = projectWith("ulysses_custom");
    other.model = "no-such-model";
    document.adopt(other, QStringLiteral("another"));
    panel.showForecast(makeForecast(document.project()));
    QVERIFY2(panel.tileText().contains(QLatin1String("no-such-model")), qPrintable(panel.tileText()));
    const QModelIndex mode = panel.modes().indexOf(findAttentionMode("ulysses_custom"));
    QCOMPARE(panel.findChild<QTableView*>()->currentIndex().row(), mode.row());
    QVERIFY(panel.modes().data(mode, Qt::FontRole).value<QFont>().bold());
    const QModelIndex cost = mode.siblingAtColumn(AttentionModeModel::Cost);
    QVERIFY2(panel.modes().data(cost).toString().isEmpty(), "costs of the project before");
}

MESHREEL_TEST_CLASS(AttentionTest)
#include "attention_test.moc"
