// SPDX-License-Identifier: GPL-3.0-or-later
// The forecast of a document: when it is on its way, what it remembers, and what it looks at again.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "engine/catalogue/model_library.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/values/engine_texts.h"

using namespace meshreel;

namespace {

constexpr int comingMilliseconds = 30'000;  ///< more than a forecast takes on a busy machine

Project legalProject() {
    Project project;
    project.prompt = "a red ball";
    return project;
}

Project illegalProject() {
    Project project = legalProject();
    project.devices = 7;
    project.iciDataParallelism = 3;
    return project;
}

}  // namespace

class PlanWatchTest : public QObject {
    Q_OBJECT

  private slots:
    void isPendingUntilTheForecastComes();
    void thePlanBeforeIsRememberedInTheSameProject();
    void aModelThatComesIsSeen();
    void brokenWeightsAreNamedWithFileAndTensor();
};

void PlanWatchTest::isPendingUntilTheForecastComes() {
    ProjectDocument document;
    const PlanWatch watch(document);
    QVERIFY(watch.isPending());
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QVERIFY(watch.forecast().plan != nullptr);
    document.setText(*findProjectKey("num_inference_steps"), QStringLiteral("7"));
    QVERIFY(watch.isPending());
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QCOMPARE(watch.forecast().plan->project.numInferenceSteps, 7);
}

void PlanWatchTest::thePlanBeforeIsRememberedInTheSameProject() {
    ProjectDocument document;
    const PlanWatch watch(document);
    document.adopt(legalProject(), QStringLiteral("legal"));
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QVERIFY(watch.forecast().hadPlan);
    document.setTexts(QStringLiteral("devices"),
                      {{findProjectKey("devices"), QStringLiteral("7")},
                       {findProjectKey("ici_data_parallelism"), QStringLiteral("3")}});
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QVERIFY(watch.forecast().plan == nullptr);
    QVERIFY(watch.forecast().hadPlan);
    document.adopt(illegalProject(), QStringLiteral("illegal"));
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QVERIFY(watch.forecast().plan == nullptr);
    QVERIFY2(!watch.forecast().hadPlan, "the plan was another project's");
}

void PlanWatchTest::aModelThatComesIsSeen() {
    const QTemporaryDir models;
    qputenv("MESHREEL_MODELS", models.path().toLocal8Bit());
    ProjectDocument document;
    const PlanWatch watch(document);
    Project project = legalProject();
    project.model = "comes-later";
    document.adopt(project, QStringLiteral("later"));
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QVERIFY(watch.forecast().plan == nullptr);
    std::filesystem::copy(findModel("tiny-wan-t2v"),
                          models.filePath(QStringLiteral("comes-later")).toStdString(),
                          std::filesystem::copy_options::recursive);
    QTRY_VERIFY_WITH_TIMEOUT(watch.forecast().plan != nullptr, comingMilliseconds);
    qunsetenv("MESHREEL_MODELS");
}

void PlanWatchTest::brokenWeightsAreNamedWithFileAndTensor() {
    const QTemporaryDir models;
    const std::filesystem::path folder = std::filesystem::path(models.path().toStdString()) / "broken";
    std::filesystem::copy(findModel("tiny-wan-t2v"), folder, std::filesystem::copy_options::recursive);
    const std::filesystem::path weights = folder / "vae" / "diffusion_pytorch_model.safetensors";
    std::filesystem::resize_file(weights, std::filesystem::file_size(weights) - 4);
    qputenv("MESHREEL_MODELS", models.path().toUtf8());
    Project project = legalProject();
    project.model = "broken";
    const ProjectForecast forecast = makeForecast(project);
    qunsetenv("MESHREEL_MODELS");
    QCOMPARE(forecast.problems.size(), 1U);
    const QString told = sentenceText(forecast.problems.front().message);
    QVERIFY2(told.contains(QStringLiteral("vae/diffusion_pytorch_model.safetensors")), qPrintable(told));
    QVERIFY2(told.contains(QStringLiteral("tensor '")), qPrintable(told));
}

MESHREEL_TEST_CLASS(PlanWatchTest)
#include "plan_watch_test.moc"
