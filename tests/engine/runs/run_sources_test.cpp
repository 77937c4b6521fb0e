// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/files.h"
#include "engine/base/version.h"
#include "engine/catalogue/model_library.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_session.h"
#include "engine/runs/run_sources.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const transformerWeights = "transformer/diffusion_pytorch_model.safetensors";

/// The warnings of a run that goes on.
std::vector<std::string> warningsOfResuming(const fs::path& run) {
    std::vector<std::string> warnings;
    resumeRun(run, {},
              [&](const RunEvent& event) {
                  handle(event, [&](const RunMessage& message) {
                      if (message.level == MessageLevel::Warning)
                          warnings.push_back(message.text);
                  });
              },
              {});
    return warnings;
}

TEST(NextClip, TakesTheLatentsOfItsOwnVaeAndTheVideoOfAnyRun) {
    const testing::TemporaryFolder folder;
    const fs::path model = folder / "model";
    fs::copy(findModel("tiny-wan-t2v"), model, fs::copy_options::recursive);
    Project project = testing::smallProject();
    project.model = model.string();
    runProject({project, folder / "first", {.workers = 1}}, ignoreEvent, {});
    project.continueFrom = (folder / "first").string();
    project.continueFrames = 1;
    const fs::path kept = fs::path("inputs") / "continue_from" / run_file::latents;
    runProject({project, folder / "same", {.workers = 1}}, ignoreEvent, {});
    EXPECT_TRUE(readFile(folder / "same" / kept) == readFile(folder / "first" / run_file::latents));
    EXPECT_TRUE(fs::exists(folder / "same" / "inputs" / "continue_from" / "video.mp4"));

    // Another VAE: what its latents mean is not known.
    const fs::path config = model / "vae" / "config.json";
    writeFileAtomically(config, readFile(config) + "\n");
    runProject({project, folder / "other", {.workers = 1}}, ignoreEvent, {});
    EXPECT_FALSE(fs::exists(folder / "other" / kept));
    EXPECT_TRUE(fs::exists(folder / "other" / "inputs" / "continue_from" / "video.mp4"));
}

/// A run of a model of its own, which was stopped after its first step.
class StoppedRun : public ::testing::Test {
  protected:
    StoppedRun() : m_model(m_folder / "model"), m_run(m_folder / "run") {
        fs::copy(findModel("tiny-wan-t2v"), m_model, fs::copy_options::recursive);
        m_project = testing::smallProject();
        m_project.model = m_model.string();
        StopSource source;
        const auto stopAfterStep = [&](const RunEvent& event) {
            if (std::holds_alternative<StepRecord>(event))
                source.request_stop();
        };
        EXPECT_THROW(runProject({m_project, m_run, {.workers = 2}}, stopAfterStep, source.get_token()),
                     Error);
    }

    /// The refusal of resuming it.
    [[nodiscard]] Error refusal() const {
        try {
            resumeRun(m_run, {}, ignoreEvent, {});
        } catch (const Error& refused) {
            EXPECT_EQ(RunFolder::open(m_run).state().status, RunStatus::Cancelled);
            return refused;
        }
        ADD_FAILURE() << "was continued";
        return {ErrorKind::Internal, "was continued"};
    }

    void expectContinuedAsIfNeverStopped() const {
        EXPECT_THAT(warningsOfResuming(m_run), Not(::testing::Contains(HasSubstr("sources.json"))));
        Project project = testing::smallProject();
        runProject({project, m_folder / "straight", {.workers = 2}}, ignoreEvent, {});
        EXPECT_EQ(readFile(m_run / run_file::latents), readFile(m_folder / "straight" / run_file::latents));
    }

    static void changeByte(const fs::path& file, std::size_t fromEnd) {
        std::string bytes = readFile(file);
        bytes.at(bytes.size() - fromEnd) ^= 1;
        writeFileAtomically(file, bytes);
    }

    void setKey(const std::string& key, const std::string& value) const {
        Project project = loadProject(m_run / run_file::project).project;
        setFromText(project, *findProjectKey(key), value);
        writeFileAtomically(m_run / run_file::project, resolvedYaml(project));
    }

    testing::TemporaryFolder m_folder;
    fs::path m_model;
    fs::path m_run;
    Project m_project;
};

TEST_F(StoppedRun, IsNotContinuedWithOtherWeightsOfAnyPart) {
    for (const auto& [file, named] :
         {std::pair{transformerWeights, "transformer: diffusion_pytorch_model.safetensors"},
          std::pair{"vae/diffusion_pytorch_model.safetensors", "vae: diffusion_pytorch_model.safetensors"},
          std::pair{"text_encoder/model.safetensors", "text_encoder: model.safetensors"}}) {
        changeByte(m_model / file, 5);
        const Error refused = refusal();
        EXPECT_EQ(refused.kind(), ErrorKind::Input);
        EXPECT_THAT(refused.what(), HasSubstr(named));
        changeByte(m_model / file, 5);
    }
    expectContinuedAsIfNeverStopped();
}

TEST_F(StoppedRun, IsNotContinuedWithAnotherConfigOrTokenizer) {
    const fs::path config = m_model / "transformer/config.json";
    const std::string before = readFile(config);
    writeFileAtomically(config, before + "\n");
    EXPECT_THAT(refusal().what(), HasSubstr("transformer: config.json had"));
    writeFileAtomically(config, before);

    const fs::path folder = m_model / "tokenizer";
    const char* name = fs::exists(folder / "tokenizer.json") ? "tokenizer.json" : "spiece.model";
    const std::string tokenizer = readFile(folder / name);
    writeFileAtomically(folder / name, tokenizer + (folder / name).extension().string());
    EXPECT_EQ(refusal().kind(), ErrorKind::Input);
}

TEST_F(StoppedRun, GoesOnWithACopyOfItsModelElsewhere) {
    fs::copy(m_model, m_folder / "moved", fs::copy_options::recursive);
    fs::remove_all(m_model);
    setKey("pretrained_model_name_or_path", (m_folder / "moved").string());
    setKey("video_quality", "50");
    expectContinuedAsIfNeverStopped();
}

TEST_F(StoppedRun, IsNotContinuedWithOtherSettingsAndNamesThemWithBothValues) {
    setKey("prompt", "a red ball moving left on a black background");
    setKey("seed", "8");
    Error refused = refusal();
    EXPECT_EQ(refused.kind(), ErrorKind::Project);
    EXPECT_THAT(refused.problem(), testing::Names("seed", "\"7\"", "\"8\"", "prompt"));
    EXPECT_THAT(refused.what(),
                AllOf(HasSubstr("moving right"), HasSubstr("moving left"), Not(HasSubstr("data"))));

    changeByte(m_model / transformerWeights, 5);
    refused = refusal();
    EXPECT_EQ(refused.kind(), ErrorKind::Input);
    EXPECT_THAT(refused.problem(), testing::Names("seed", "\"7\"", "\"8\""));
    EXPECT_THAT(refused.what(), HasSubstr("transformer:"));
}

TEST_F(StoppedRun, SaysThatTheSettingsHaveChangedWhereTheyMakeNoPlan) {
    setKey("pretrained_model_name_or_path", "no-such-model");
    const Error refused = refusal();
    EXPECT_EQ(refused.kind(), ErrorKind::Project);
    EXPECT_THAT(refused.what(), HasSubstr("is \"no-such-model\""));
}

TEST_F(StoppedRun, OfAnEarlierVersionGoesOnWithAWarning) {
    fs::remove(m_run / run_file::sources);
    EXPECT_THAT(warningsOfResuming(m_run), ::testing::Contains(HasSubstr("sources.json")));
}

TEST_F(StoppedRun, WithADamagedRecordIsRefused) {
    writeFileAtomically(m_run / run_file::sources, R"({"settings": {}, "files": [{"part": 1}]})");
    EXPECT_THAT(refusal().what(), AllOf(HasSubstr("sources.json"), HasSubstr("damaged")));
}

TEST(RunSources, FramesAndReferencesAreComparedOneByOne) {
    const testing::TemporaryFolder folder;
    fs::create_directory(folder / "frames");
    writeFileAtomically(folder / "frames/0001.png", "one");
    writeFileAtomically(folder / "frames/0002.png", "two");
    writeFileAtomically(folder / "a.png", "a");
    Project project;
    project.video = (folder / "frames").string();
    project.referenceImages = fmt::format("{0}, {0}", (folder / "a.png").string());
    const RunSources was{.settings = {}, .files = inputSources(project, {})};
    EXPECT_EQ(was.files.size(), 4U);

    writeFileAtomically(folder / "frames/0002.png", "too");
    writeFileAtomically(folder / "frames/0003.png", "three");
    const SourceDifferences found =
        sourceDifferences(was, {.settings = {}, .files = inputSources(project, {})});
    EXPECT_THAT(found.files,
                ElementsAre(testing::Names("video", "0002.png"), testing::Names("video", "0003.png")));
    EXPECT_NE(testing::patternOf(found.files[0]), testing::patternOf(found.files[1]));
}

TEST(RunSources, OfARunThatIsContinuedOnlyItsVideoAndLatentsCount) {
    const testing::TemporaryFolder folder;
    for (const char* name : {"video.mp4", "latents.safetensors", "status.json", "run.log"})
        writeFileAtomically(folder / name, name);
    Project project;
    project.continueFrom = folder.path().string();
    const std::vector<SourceFile> was = inputSources(project, {});
    EXPECT_EQ(was.size(), 2U);
    writeFileAtomically(folder / "run.log", "more");
    EXPECT_EQ(inputSources(project, {}), was);
    writeFileAtomically(folder / "latents.safetensors", "others");
    EXPECT_NE(inputSources(project, {}), was);
}

TEST(RunSources, AKeyframeMayHaveAnotherPathAndNoOtherPlace) {
    const auto differences = [](const std::string& is) {
        const RunSources was{.settings = {{"keyframes", "[{frame: 4, image: a.png}]"}}, .files = {}};
        return sourceDifferences(was, {.settings = {{"keyframes", is}}, .files = {}}).settings;
    };
    EXPECT_THAT(differences("[{frame: 4, image: b.png}]"), ::testing::IsEmpty());
    EXPECT_THAT(differences("[{frame: 8, image: a.png}]"), ElementsAre(testing::Names("keyframes")));
}

TEST(RunSources, LongTextsAreShownWhereTheyDiffer) {
    const std::string long1 = std::string(200, 'a') + "ä" + std::string(200, 'b');
    const std::string long2 = std::string(200, 'a') + "ö" + std::string(200, 'b');
    const SourceDifferences found = sourceDifferences({.settings = {{"prompt", long1}}, .files = {}},
                                                      {.settings = {{"prompt", long2}}, .files = {}});
    ASSERT_EQ(found.settings.size(), 1U);
    EXPECT_THAT(found.settings[0].text(), AllOf(HasSubstr("\"…aaa"), HasSubstr("äb"), HasSubstr("öb")));
    EXPECT_LT(found.settings[0].text().size(), 250U);
}

TEST(RunSources, AKeyThatIsNewerThanTheRecordHadItsDefault) {
    const RunSources was;
    EXPECT_TRUE(sourceDifferences(was, {.settings = {{"seed", "0"}}, .files = {}}).empty());
    EXPECT_FALSE(sourceDifferences(was, {.settings = {{"seed", "1"}}, .files = {}}).empty());
}

using ::testing::IsEmpty;

nlohmann::json builtFrom(const std::string& commit, const std::string& buildId) {
    return {{"meshreel", {{"commit", commit}, {"build_id", buildId}}}, {"isa", "avx2"}};
}

TEST(Environment, ProgramsOfOneCleanCommitAreTheSame) {
    EXPECT_THAT(environmentDifferences(builtFrom("abc", "1"), builtFrom("abc", "2")), IsEmpty());
    EXPECT_THAT(environmentDifferences(builtFrom("abc", "1"), builtFrom("def", "1")),
                ElementsAre(HasSubstr("commit")));
}

TEST(Environment, BuildsOfAChangedTreeAreToldApart) {
    for (const std::string commit : {"abc-dirty", "unknown"}) {
        EXPECT_THAT(environmentDifferences(builtFrom(commit, "1"), builtFrom(commit, "1")), IsEmpty());
        EXPECT_THAT(environmentDifferences(builtFrom(commit, "1"), builtFrom(commit, "2")),
                    ElementsAre(HasSubstr("build_id")));
    }
}

TEST(Environment, EncodersOfAnEarlierRecordWereWhereTheOthersWere) {
    const auto recorded = [](const nlohmann::json& gpu) {
        nlohmann::json environment = builtFrom("abc", "1");
        environment["gpu"] = gpu;
        return environment;
    };
    const nlohmann::json was = recorded({{"vae", true}, {"encoders", false}});
    EXPECT_THAT(
        environmentDifferences(
            was,
            recorded({{"vae", true}, {"encoders", false}, {"vae_encoder", true}, {"image_encoder", false}})),
        IsEmpty());
    EXPECT_THAT(
        environmentDifferences(was, recorded({{"vae", false}, {"encoders", false}, {"vae_encoder", false}})),
        ElementsAre(HasSubstr("vae_encoder")));
}

TEST(Environment, TheProgramHasABuildId) {
    EXPECT_THAT(programBuildId(), ::testing::MatchesRegex("([0-9a-f][0-9a-f]){8,32}"));
}

}  // namespace

}  // namespace meshreel
