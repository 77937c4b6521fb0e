// SPDX-License-Identifier: GPL-3.0-or-later
// Noise levels of a project: numbers, drawing, and choosing a step.
#include <QLegendMarker>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_sheet.h"
#include "ui/noise/noise_panel.h"
#include "ui/noise/noise_view.h"
#include "ui/project/project_document.h"
#include "ui/widgets/panel_parts.h"

using namespace meshreel;

namespace {

Project extractProject(int steps, double shift) {
    Project project;
    project.prompt = "a red ball";
    project.numInferenceSteps = steps;
    project.flowShift = shift;
    return project;
}

/// As a model with two experts would be planned.
PlanPtr withTwoExperts(const RunPlan& plan, int highSteps) {
    RunTask task = plan;
    task.model.secondWeights = task.model.transformerWeights;
    task.model.boundaryRatio = 0.875;
    const int steps = task.loopSteps();
    task.experts = {{.expert = 1, .firstStep = 0, .endStep = highSteps},
                    {.expert = 2, .firstStep = highSteps, .endStep = steps}};
    return withPlacement(task, {.placement = plan.placement, .memory = plan.memory});
}

PlanPtr planOf(int steps, double shift) {
    return makeForecast(extractProject(steps, shift)).plan;
}

}  // namespace

class NoiseTest : public QObject {
    Q_OBJECT

  private slots:
    void levelsGoDownAsTheSchedulerSays();
    void theShiftKeepsNoiseHighForLonger();
    void twoExpertsShareTheSteps();
    void drawingStaysInsideAndFindsSteps();
    void panelTellsOfTheStepThatIsChosen();
    void chartIsExported();
};

void NoiseTest::levelsGoDownAsTheSchedulerSays() {
    const PlanPtr plan = planOf(10, 3);
    const NoiseLevels levels = computeNoiseLevels(*plan);
    const auto scheduler = plan->makeScheduler();
    QCOMPARE(levels.steps.size(), 10U);
    QVERIFY(std::ranges::is_sorted(levels.steps, std::greater<>(), &NoiseStep::level));
    for (std::size_t step = 0; step < levels.steps.size(); ++step) {
        QCOMPARE(levels.steps[step].level, scheduler->timesteps()[step] / 1000);
        QCOMPARE(levels.steps[step].sigma, static_cast<double>(scheduler->sigmas()[step]));
        QVERIFY(!levels.steps[step].shortened);
    }
    QVERIFY(!levels.boundary);
    QVERIFY2(noiseSentences(levels).contains(QLatin1String("steps 1 to 10")),
             qPrintable(noiseSentences(levels)));
}

void NoiseTest::theShiftKeepsNoiseHighForLonger() {
    const NoiseLevels levels = computeNoiseLevels(*planOf(12, 5));
    QCOMPARE(levels.unshifted.size(), levels.steps.size());
    for (std::size_t step = 1; step < levels.steps.size(); ++step)
        QVERIFY(levels.steps[step].level > levels.unshifted[step]);
    QVERIFY(computeNoiseLevels(*planOf(12, 1)).unshifted.empty());
}

void NoiseTest::twoExpertsShareTheSteps() {
    const NoiseLevels levels = computeNoiseLevels(*withTwoExperts(*planOf(10, 5), 4));
    QCOMPARE(levels.boundary.value(), 0.875);
    QCOMPARE(levels.steps[3].expert, 1);
    QCOMPARE(levels.steps[4].expert, 2);
    const QString sentences = noiseSentences(levels);
    QVERIFY2(sentences.contains(QLatin1String("1 to 4")), qPrintable(sentences));
    QVERIFY2(sentences.contains(QLatin1String("5 to 10")), qPrintable(sentences));
}

void NoiseTest::drawingStaysInsideAndFindsSteps() {
    const NoiseLevels levels = computeNoiseLevels(*withTwoExperts(*planOf(30, 5), 11));
    const QRectF plot(40, 20, 500, 200);
    const NoiseDrawing drawing = drawNoise(levels, plot);
    QCOMPARE(drawing.points.size(), 30U);
    for (std::size_t step = 0; step < drawing.points.size(); ++step) {
        QVERIFY(plot.adjusted(-1, -1, 1, 1).contains(drawing.points[step]));
        QCOMPARE(drawing.stepAt(drawing.points[step].x()), static_cast<int>(step));
    }
    QCOMPARE(drawing.stepAt(plot.left() - 1), -1);
    QCOMPARE(drawing.stepAt(plot.right() + 1), -1);
    QCOMPARE(drawing.stretches.size(), 2U);
    QCOMPARE(drawing.stretches[0].area.right(), drawing.stretches[1].area.left());
    QCOMPARE(drawing.boundary, plot.bottom() - 0.875 * plot.height());
}

void NoiseTest::panelTellsOfTheStepThatIsChosen() {
    ProjectDocument document;
    document.adopt(extractProject(8, 3), {});
    NoisePanel panel(document);
    panel.resize(700, 400);
    panel.show();
    QVERIFY(!panel.detailText().isEmpty());  // before anything is planned
    panel.showForecast(makeForecast(document.project()));
    QVERIFY(panel.detailText().contains(QLatin1String("flow shift 3")));
    panel.view().setFocus();
    QTest::keyClick(&panel.view(), Qt::Key_End);
    QCOMPARE(panel.view().chosenStep(), 7);
    QVERIFY2(panel.detailText().startsWith(QLatin1String("Step 8 of 8")), qPrintable(panel.detailText()));
    QCOMPARE(panel.view().accessibleDescription(), panel.detailText());
    QTest::mouseMove(&panel.view(), panel.view().drawing().points[2].toPoint());
    QTRY_COMPARE(panel.view().chosenStep(), 2);
    panel.showForecast(makeForecast(extractProject(2, 3)));
    QCOMPARE(panel.view().chosenStep(), -1);
    QVERIFY(!panel.view().grab().isNull());
    document.undoStack().clear();
}

void NoiseTest::chartIsExported() {
    const QTemporaryDir folder;
    const auto file = [&](const char* name) { return folder.filePath(QLatin1String(name)).toStdString(); };
    ProjectDocument document;
    document.adopt(extractProject(8, 3), {});
    NoisePanel panel(document);
    const auto* button = panel.findChild<ExportButton*>();
    QVERIFY(!button->isEnabled());
    QVERIFY_THROWS_EXCEPTION(Error, panel.exportTo(file("nothing.csv")));
    panel.showForecast(makeForecast(document.project()));
    QVERIFY(button->isEnabled());
    for (const ChartFormat& format : chartFormats())
        panel.exportTo(file("noise.") + std::string(format.extension));
    QVERIFY(readFile(file("noise.svg")).find(">Noise at each step<") != std::string::npos);
    const std::string text = readFile(file("noise.csv"));
    CsvReader csv(text, "noise.csv", {});
    std::vector<double> levels;
    while (csv.next())
        levels.push_back(csv.number<double>(1));
    QCOMPARE(levels.size(), 8U);
    QCOMPARE(levels[2], computeNoiseLevels(*planOf(8, 3)).steps[2].level);

    const auto chart = noiseSheet(computeNoiseLevels(*withTwoExperts(*planOf(10, 5), 4))).draw();
    QStringList entries;
    const QList<QLegendMarker*> markers = chart->legend()->markers();
    for (const QLegendMarker* marker : markers)
        entries += marker->label();
    QCOMPARE(entries, QStringList({QStringLiteral("high noise"), QStringLiteral("low noise"),
                                   QStringLiteral("without the flow shift"), QStringLiteral("boundary")}));
    document.undoStack().clear();
}

MESHREEL_TEST_CLASS(NoiseTest)
#include "noise_test.moc"
