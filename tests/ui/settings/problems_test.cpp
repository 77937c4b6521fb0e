// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a project, and its fixes.
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>

#include "engine/base/files.h"
#include "engine/base/strings.h"
#include "engine/catalogue/model_library.h"
#include "engine/media/video_writer.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/random_adapter.h"
#include "tests/support/studio/editor_test_case.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/settings/problem_panel.h"
#include "ui/values/engine_texts.h"

using namespace meshreel;
using namespace meshreel::testing;

class ProblemsTest : public EditorTestCase {
    Q_OBJECT

  private slots:
    void fixesEndProblems_data();
    void fixesEndProblems();
    void blocksAreSmallerBeforeTheLimitIsLarger_data();
    void blocksAreSmallerBeforeTheLimitIsLarger();
    void tooLittleMemoryIsMendedWithOneClick();
    void problemPanelMendsWithOneClick();
    void whatThePlanWarnsOfIsAProblem();
    void aMissingModelIsAProblem();
    void aReleasedModelIsPlannedBeforeItIsThere();
    void whatDoesNotFitIsPlannedAsItWasRefused_data();
    void whatDoesNotFitIsPlannedAsItWasRefused();
    void whatAdaptersChangeIsNoted();
    void anInputThatCannotBeReadIsAProblem();
    void aVideoOfAnotherRateIsNoted();
    void aPromptThatIsCutIsAProblem();
};

void ProblemsTest::fixesEndProblems_data() {
    struct Row {
        const char* name;
        const char* yaml;
        const char* key;
        const char* typed;
        std::vector<const char*> labels;
    };
    QTest::addColumn<QString>("yaml");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QStringList>("labels");
    for (const Row& row :
         {Row{"frames", "", "num_frames", "19", {"Set Frames to 17", "Set Frames to 21"}},
          Row{"width", "", "width", "5000", {"Set Width to 4096"}},
          Row{"ulysses",
              "devices: 4\nattention: ulysses_ring\nulysses_shards: 1\n",
              "ulysses_shards",
              "3",
              {"Set Ulysses shards to 2", "Set Ulysses shards to 4"}},
          Row{"block",
              "flash_block_sizes: {block_kv: 512}\n",
              "flash_block_sizes.block_kv_compute",
              "300",
              {}},
          Row{"picture for a model of texts", "", "image", PICTURE, {"Set Model to tiny-wan-i2v"}},
          Row{"scratch",
              "attention: ulysses_custom\n",
              "flash_block_sizes.vmem_limit_bytes",
              "300000",
              {}}}) {
        QStringList labels;
        for (const char* label : row.labels)
            labels += QLatin1String(label);
        QTest::newRow(row.name) << QString::fromLatin1(row.yaml) << QString::fromLatin1(row.key)
                                << QString::fromLatin1(row.typed) << labels;
    }
}

void ProblemsTest::fixesEndProblems() {
    QFETCH(QString, yaml);
    QFETCH(QString, key);
    QFETCH(QString, typed);
    QFETCH(QStringList, labels);
    m_document->setYaml(QStringLiteral("version: 1\nprompt: a ball\n") + yaml);
    m_document->setText(*findProjectKey(key.toStdString()), typed);
    const ProjectForecast forecast = makeForecast(m_document->project());
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(
        diagnoses, [&](const Diagnosis& diagnosis) { return diagnosis.problem.key == key.toStdString(); });
    QVERIFY(found != diagnoses.end());
    QVERIFY(!found->fixes.empty());
    QStringList offered;
    for (const std::vector<KeyText>& fix : found->fixes)
        offered += fixLabel(fix);
    for (const QString& label : labels)
        QVERIFY2(offered.contains(label), qPrintable(offered.join(QLatin1Char('|'))));
    if (key.endsWith(QLatin1String("vmem_limit_bytes")))
        QVERIFY2(std::ranges::any_of(found->fixes,
                                     [](const std::vector<KeyText>& fix) {
                                         return fix.front().key->name.starts_with("flash_block_sizes.block");
                                     }),
                 "no smaller blocks are offered, only more scratch");
    for (const std::vector<KeyText>& fix : found->fixes) {
        m_document->setTexts(fixLabel(fix), fix);
        QVERIFY2(!m_document->hasErrors(), qPrintable(fixLabel(fix)));
        QVERIFY(makeForecast(m_document->project()).plan != nullptr);
        m_document->undoStack().undo();
        QVERIFY(m_document->text(*findProjectKey(key.toStdString())) == typed);
    }
}

void ProblemsTest::blocksAreSmallerBeforeTheLimitIsLarger_data() {
    QTest::addColumn<QString>("blocks");
    QTest::addColumn<qsizetype>("changes");
    QTest::newRow("one block") << QStringLiteral("{block_q: 8192, vmem_limit_bytes: 1000000}")
                               << qsizetype{1};
    QTest::newRow("two blocks") << QStringLiteral(
                                       "{block_q: 4096, block_kv: 4096, vmem_limit_bytes: 1000000}")
                                << qsizetype{2};
}

void ProblemsTest::blocksAreSmallerBeforeTheLimitIsLarger() {
    QFETCH(QString, blocks);
    QFETCH(qsizetype, changes);
    m_document->setYaml(QStringLiteral("version: 1\nprompt: a ball\nattention: tokamax_ring_custom\n"
                                       "flash_block_sizes: %1\n")
                            .arg(blocks));
    const ProjectForecast forecast = makeForecast(m_document->project());
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(diagnoses, [](const Diagnosis& diagnosis) {
        return diagnosis.problem.key == "flash_block_sizes.vmem_limit_bytes";
    });
    QVERIFY(found != diagnoses.end());
    QVERIFY(found->fixes.size() >= 2);
    const auto limit = std::ranges::find_if(found->fixes, [](const std::vector<KeyText>& fix) {
        return fix.front().key->name == "flash_block_sizes.vmem_limit_bytes";
    });
    QVERIFY2(limit == found->fixes.end() || limit == found->fixes.end() - 1, "a larger limit comes last");
    QCOMPARE(static_cast<qsizetype>(found->fixes.front().size()), changes);
    for (const std::vector<KeyText>& fix : found->fixes) {
        m_document->setTexts(fixLabel(fix), fix);
        QVERIFY2(makeForecast(m_document->project()).plan != nullptr, qPrintable(fixLabel(fix)));
        m_document->undoStack().undo();
    }
}

void ProblemsTest::tooLittleMemoryIsMendedWithOneClick() {
    m_document->setYaml(
        QStringLiteral("version: 1\nprompt: a ball\nwidth: 4096\nheight: 4096\nnum_frames: 1001\n"));
    const ProjectForecast forecast = makeForecast(m_document->project());
    QVERIFY2(forecast.plan != nullptr, "what it would be is told all the same");
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(
        diagnoses, [](const Diagnosis& diagnosis) { return isShortOfMemory(diagnosis.problem); });
    QVERIFY(found != diagnoses.end());
    QVERIFY(!found->fixes.empty());
    const auto smaller = std::ranges::find_if(
        found->fixes, [](const std::vector<KeyText>& fix) { return fix.front().key->name == "height"; });
    if (smaller != found->fixes.end())
        QVERIFY2(smaller->size() == 2 && smaller->back().key->name == "width",
                 qPrintable(fixLabel(*smaller)));
    for (const std::vector<KeyText>& fix : found->fixes) {
        m_document->setTexts(fixLabel(fix), fix);
        const std::vector<Problem> left = makeForecast(m_document->project()).problems;
        QVERIFY2(std::ranges::none_of(left, isShortOfMemory), qPrintable(fixLabel(fix)));
        m_document->undoStack().undo();
    }
}

void ProblemsTest::problemPanelMendsWithOneClick() {
    m_document->setText(*findProjectKey("num_frames"), QStringLiteral("18"));
    ProblemPanel panel;
    panel.showFindings(diagnose(*m_document, {}, nullptr));
    connect(&panel, &ProblemPanel::fixRequested, this,
            [this](const std::vector<KeyText>& fix) { m_document->setTexts(fixLabel(fix), fix); });
    QSignalSpy goTo(&panel, &ProblemPanel::goToRequested);
    const QList<QPushButton*> buttons = panel.findChildren<QPushButton*>();
    QVERIFY(buttons.size() >= 2);
    buttons.last()->click();
    QCOMPARE(goTo.takeFirst().first().toString(), QStringLiteral("num_frames"));
    buttons.first()->click();
    QCOMPARE(m_document->project().numFrames, 17);
    QVERIFY(!m_document->hasErrors());
}

void ProblemsTest::whatThePlanWarnsOfIsAProblem() {
    m_document->setYaml(QStringLiteral("version: 1\nprompt: a ball\nworkers: 1000\n"));
    const ProjectForecast forecast = makeForecast(m_document->project());
    QVERIFY(forecast.plan != nullptr);
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(
        diagnoses, [](const Diagnosis& diagnosis) { return diagnosis.problem.key == "workers"; });
    QVERIFY(found != diagnoses.end());
    QCOMPARE(found->problem.severity, Severity::Warning);
    QVERIFY(found->fixes.empty());  // none can be tried without this machine
}

void ProblemsTest::aMissingModelIsAProblem() {
    const std::string key = "pretrained_model_name_or_path";
    const QString installed = m_document->text(*findProjectKey(key));
    m_document->setText(*findProjectKey(key), QStringLiteral("no-such-model"));
    const ProjectForecast forecast = makeForecast(m_document->project());
    QVERIFY(forecast.obstacle.has_value());
    const std::vector<Diagnosis> diagnoses = diagnose(*m_document, forecast.problems, forecast.model.get());
    const auto found = std::ranges::find_if(
        diagnoses, [&key](const Diagnosis& diagnosis) { return diagnosis.problem.key == key; });
    QVERIFY(found != diagnoses.end());
    QVERIFY(found->problem.message == forecast.obstacle->message);
    QVERIFY(std::ranges::any_of(
        found->fixes, [&](const std::vector<KeyText>& fix) { return fix.front().text == installed; }));
}

void ProblemsTest::aReleasedModelIsPlannedBeforeItIsThere() {
    m_document->setYaml(
        QStringLiteral("version: 1\nprompt: a ball\nwidth: 1280\nheight: 720\n"
                       "pretrained_model_name_or_path: Wan-AI/Wan2.1-T2V-14B-Diffusers\n"
                       "attention: ulysses_custom\nici_context_parallelism: 8\n"));
    const ProjectForecast forecast = makeForecast(m_document->project());
    QVERIFY(forecast.plan != nullptr);
    QCOMPARE(forecast.plan->layout.devices(), 8);
    QVERIFY(forecast.plan->tokens > 10'000);
    const auto missing =
        std::ranges::find(forecast.problems, std::string("pretrained_model_name_or_path"), &Problem::key);
    QVERIFY(missing != forecast.problems.end());
    QCOMPARE(missing->severity, Severity::Warning);
    QVERIFY(forecast.obstacle.has_value());  // to a run
    QVERIFY(!missing->fixes.empty());
    // The project asks for a video of a text, which the other embedded model does not make.
    QCOMPARE(missing->fixes.front().changes.front().value, std::string("tiny-wan-t2v"));
}

void ProblemsTest::whatDoesNotFitIsPlannedAsItWasRefused_data() {
    QTest::addColumn<QString>("budget");
    QTest::newRow("machine") << QString();
    QTest::newRow("budget") << QStringLiteral("memory_budget: 1\n");
}

/// The bar's memory is the one that the problem tells: not of both experts at once, which nobody would keep.
void ProblemsTest::whatDoesNotFitIsPlannedAsItWasRefused() {
    QFETCH(QString, budget);
    m_document->setYaml(
        QStringLiteral("version: 1\nprompt: a ball\nwidth: 4096\nheight: 4096\nnum_frames: 1001\n"
                       "pretrained_model_name_or_path: Wan-AI/Wan2.2-T2V-A14B-Diffusers\n") +
        budget);
    const ProjectForecast forecast = makeForecast(m_document->project());
    const auto tooLittle = std::ranges::find(forecast.problems, std::string("memory_budget"), &Problem::key);
    QVERIFY(tooLittle != forecast.problems.end());
    QVERIFY(forecast.plan != nullptr);
    QVERIFY(!forecast.plan->placement.keepsBothExperts());
    const std::string told = tooLittle->message.text();
    QVERIFY2(told.find(formatBytes(forecast.plan->memory.peak())) != std::string::npos, told.c_str());
}

void ProblemsTest::whatAdaptersChangeIsNoted() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("half.safetensors"));
    writeRandomAdapter(file.toStdString(),
                       Checkpoint::open(findModel(m_document->project().model) / "transformer"));
    m_document->setText(*findProjectKey("lora"), file);
    const std::vector<Problem> found = makeForecast(m_document->project()).problems;
    const auto half = std::ranges::find(found, "lora", &Problem::key);
    QVERIFY(half != found.end());
    QCOMPARE(half->severity, Severity::Warning);
    QVERIFY(half->id == ProblemId("adapter-partly-fits"));

    m_document->setText(*findProjectKey("lora"), QStringLiteral("[]"));
    m_document->setText(*findProjectKey("preset"), QStringLiteral("distill-4"));
    const ProjectForecast distilled = makeForecast(m_document->project());
    QCOMPARE(distilled.notes.size(), 1U);
    QCOMPARE(distilled.notes.front().key, std::string("preset"));
    ProblemPanel panel;
    panel.showFindings({}, distilled.notes);
    panel.show();
    const QString told = QString::fromStdString(distilled.notes.front().message);
    QVERIFY(std::ranges::any_of(panel.findChildren<QLabel*>(), [&](const QLabel* label) {
        return label->isVisible() && label->text().contains(told);
    }));
    QSignalSpy goTo(&panel, &ProblemPanel::goToRequested);
    panel.findChild<QPushButton*>()->click();
    QCOMPARE(goTo.takeFirst().first().toString(), QStringLiteral("preset"));

    m_document->resetKey(*findProjectKey("preset"));
    m_document->setText(*findProjectKey("lora"), folder.filePath(QStringLiteral("gone.safetensors")));
    const std::vector<Problem> gone = makeForecast(m_document->project()).problems;
    const auto missing = std::ranges::find(gone, "lora", &Problem::key);
    QVERIFY(missing != gone.end());
    QCOMPARE(missing->severity, Severity::Error);
}

void ProblemsTest::anInputThatCannotBeReadIsAProblem() {
    const QString file = m_folder.filePath(QStringLiteral("text.png"));
    writeFileAtomically(file.toStdString(), "this is no picture");
    m_document->setText(*findProjectKey("pretrained_model_name_or_path"), QStringLiteral("tiny-wan-i2v"));
    m_document->setText(*findProjectKey("image"), file);
    const std::shared_ptr<OpenedFiles> files = noOpenedFiles();
    const ProjectForecast forecast = makeForecast(m_document->runnableProject(), {}, *files);
    QVERIFY(forecast.plan != nullptr);
    const auto found = std::ranges::find(forecast.problems, std::string("image"), &Problem::key);
    QVERIFY(found != forecast.problems.end());
    QCOMPARE(found->severity, Severity::Error);
    QVERIFY(!found->hint().empty());

    std::filesystem::remove(file.toStdString());
    std::filesystem::copy_file(PICTURE, file.toStdString());
    const ProjectForecast mended = makeForecast(m_document->runnableProject(), {}, *files);
    QVERIFY(std::ranges::find(mended.problems, std::string("image"), &Problem::key) == mended.problems.end());
}

void ProblemsTest::aVideoOfAnotherRateIsNoted() {
    VideoOptions options;
    options.fps = 60;
    const std::filesystem::path clip = writeVideo(m_folder.filePath(QStringLiteral("clip")).toStdString(),
                                                  Tensor::zeros({90, 32, 32, 3}, DType::U8), options)
                                           .file;
    m_document->setText(*findProjectKey("video"), QString::fromStdString(clip.string()));
    const ProjectForecast forecast = makeForecast(m_document->runnableProject());
    QCOMPARE(forecast.notes.size(), 1U);
    QCOMPARE(forecast.notes.front().key, std::string("video"));
    QVERIFY(forecast.notes.front().id == ProblemId("input-sampled"));
}

void ProblemsTest::aPromptThatIsCutIsAProblem() {
    m_document->setText(*findProjectKey("prompt"), QStringLiteral("a red ball ").repeated(200));
    const std::vector<Problem> found = makeForecast(m_document->runnableProject()).problems;
    const auto cut = std::ranges::find(found, std::string("prompt"), &Problem::key);
    QVERIFY(cut != found.end());
    QCOMPARE(cut->severity, Severity::Warning);
    QVERIFY(cut->id == ProblemId("prompt-cut"));
}

MESHREEL_TEST_CLASS(ProblemsTest)
#include "problems_test.moc"
