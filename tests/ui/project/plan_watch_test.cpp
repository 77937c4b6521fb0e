// SPDX-License-Identifier: GPL-3.0-or-later
// The forecast of a document: when it is on its way, what it remembers, and what it looks at again.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <new>
#include <string>

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
constexpr std::chrono::milliseconds soon{20};

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

/// A planner whose answers come when a test lets them: each question waits until its number is let go.
class HeldPlanner {
  public:
    /// Everything still held is let go, as threads wait for it.
    ~HeldPlanner() { letGo(allQuestions); }

    [[nodiscard]] PlanWatch::Planner planner() {
        return [this](const Project& project, const ForecastOptions&, OpenedFiles&) {
            std::unique_lock lock(m_mutex);
            const int number = ++m_asked;
            m_letGo.wait(lock, [&] { return number <= m_free; });
            ProjectForecast forecast;
            forecast.problems.push_back({.id = "memory-short",
                                         .severity = Severity::Error,
                                         .key = "memory_budget",
                                         .message = std::to_string(project.seed.value_or(0))});
            return forecast;
        };
    }
    /// The questions up to this number are answered, those behind it wait.
    void letGo(int number) {
        const std::scoped_lock lock(m_mutex);
        m_free = number;
        m_letGo.notify_all();
    }
    [[nodiscard]] int asked() {
        const std::scoped_lock lock(m_mutex);
        return m_asked;
    }

    static constexpr int allQuestions = 1000;

  private:
    std::mutex m_mutex;
    std::condition_variable m_letGo;
    int m_asked = 0;
    int m_free = 0;
};

/// Of the project that the forecast was made of, by a HeldPlanner.
std::string seedIn(const PlanWatch& watch) {
    return watch.forecast().problems.empty() ? std::string()
                                             : watch.forecast().problems.front().message.text();
}

void setSeed(ProjectDocument& document, int seed) {
    document.setText(*findProjectKey("seed"), QString::number(seed));
}

}  // namespace

class PlanWatchTest : public QObject {
    Q_OBJECT

  private slots:
    void isPendingUntilTheForecastComes();
    void thePlanBeforeIsRememberedInTheSameProject();
    void aModelThatComesIsSeen();
    void brokenWeightsAreNamedWithFileAndTensor();
    void anOlderAnswerNeverReplacesANewerOne();
    void errorsAreNotLookedAtAgainWhileAQuestionIsOpen();
    void whatComesOfALookBehindAnEditIsDropped();
    void aLookThatFailsBehindAnEditIsTheLast();
    void aPlannerThatFailsIsTold();
    void aForecastIsWaitedForNoLongerThanAsked();
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

void PlanWatchTest::anOlderAnswerNeverReplacesANewerOne() {
    HeldPlanner held;
    ProjectDocument document;
    PlanWatch watch(document);
    watch.setPlanner(held.planner());
    setSeed(document, 1);
    QTRY_COMPARE_WITH_TIMEOUT(held.asked(), 1, comingMilliseconds);
    QSignalSpy told(&watch, &PlanWatch::forecastChanged);
    setSeed(document, 2);
    held.letGo(1);  // the answer to the first question comes while the second waits
    QTRY_COMPARE_WITH_TIMEOUT(held.asked(), 2, comingMilliseconds);
    QVERIFY(watch.isPending());
    QCOMPARE(told.count(), 0);
    held.letGo(2);
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QCOMPARE(seedIn(watch), "2");
    QCOMPARE(told.count(), 1);
}

void PlanWatchTest::errorsAreNotLookedAtAgainWhileAQuestionIsOpen() {
    HeldPlanner held;
    held.letGo(1);
    ProjectDocument document;
    PlanWatch watch(document);
    watch.setPlanner(held.planner());
    setSeed(document, 1);
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);  // with an error: it will look again
    setSeed(document, 2);
    watch.setPatience(10 * soon);
    QTRY_COMPARE_WITH_TIMEOUT(held.asked(), 2, comingMilliseconds);
    constexpr int longerThanALook = 1000;
    QVERIFY(!QTest::qWaitFor([&held] { return held.asked() != 2; }, longerThanALook));
    QVERIFY(watch.isPending());
    held.letGo(2);
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QCOMPARE(seedIn(watch), "2");
}

void PlanWatchTest::whatComesOfALookBehindAnEditIsDropped() {
    HeldPlanner held;
    held.letGo(1);
    ProjectDocument document;
    PlanWatch watch(document);
    watch.setPatience(soon);
    watch.setPlanner(held.planner());
    setSeed(document, 1);
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(held.asked(), 2, comingMilliseconds);  // the look
    setSeed(document, 3);
    QVERIFY(watch.isPending());
    held.letGo(HeldPlanner::allQuestions);
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QCOMPARE(seedIn(watch), "3");
}

void PlanWatchTest::aLookThatFailsBehindAnEditIsTheLast() {
    HeldPlanner held;
    held.letGo(1);
    std::atomic<int> plans = 0;
    ProjectDocument document;
    PlanWatch watch(document);
    watch.setPatience(soon);
    watch.setPlanner([&, first = held.planner()](const Project& project, const ForecastOptions& options,
                                                 OpenedFiles& files) -> ProjectForecast {
        if (project.seed != Seed(1)) {
            ++plans;
            return makeForecast(project, options, files);
        }
        const ProjectForecast error = first(project, options, files);
        if (held.asked() > 1)
            throw std::bad_alloc();
        return error;
    });
    document.adopt(legalProject(), {});
    setSeed(document, 1);
    QTRY_COMPARE_WITH_TIMEOUT(held.asked(), 2, comingMilliseconds);  // the look, which waits
    setSeed(document, 2);
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QVERIFY(watch.forecast().plan != nullptr);
    const int told = plans;
    held.letGo(HeldPlanner::allQuestions);
    QVERIFY2(!QTest::qWaitFor([&] { return plans != told; }, 500), "there is no error to look at again");
}

void PlanWatchTest::aPlannerThatFailsIsTold() {
    ProjectDocument document;
    PlanWatch watch(document);
    watch.setPlanner([](const Project&, const ForecastOptions&, OpenedFiles&) -> ProjectForecast {
        throw std::bad_alloc();
    });
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), comingMilliseconds);
    QVERIFY(watch.forecast().obstacle);
    QVERIFY(watch.forecast().plan == nullptr);
}

void PlanWatchTest::aForecastIsWaitedForNoLongerThanAsked() {
    HeldPlanner held;
    ProjectDocument document;
    PlanWatch watch(document);
    watch.setPlanner(held.planner());
    setSeed(document, 1);
    QVERIFY(!watch.settle(std::chrono::milliseconds(1)));
    QVERIFY(watch.isPending());
    held.letGo(1);
    QSignalSpy told(&watch, &PlanWatch::forecastChanged);
    QVERIFY(watch.settle(std::chrono::milliseconds(comingMilliseconds)));
    QCOMPARE(seedIn(watch), "1");
    QCOMPARE(told.count(), 1);
    QVERIFY(!QTest::qWaitFor([&told] { return told.count() != 1; }, 100));
}

MESHREEL_TEST_CLASS(PlanWatchTest)
#include "plan_watch_test.moc"
