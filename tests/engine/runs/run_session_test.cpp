// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/media/frame_source.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "tests/support/random_adapter.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Stops the run after a step, as a user who presses Cancel then.
class Stopper {
  public:
    explicit Stopper(int step) : m_step(step) {}
    void operator()(const RunEvent& event) {
        handle(event, [this](const StepRecord& record) {
            if (record.step == m_step)
                source.request_stop();
        });
    }

    StopSource source;

  private:
    int m_step;
};

const RunOptions twoWorkers{.workers = 2};

RunOutcome runInto(const fs::path& folder, const Project& project = testing::smallProject()) {
    return runProject({project, folder, twoWorkers}, ignoreEvent, {});
}

void cancelAfter(int step, const fs::path& folder, const Project& project = testing::smallProject()) {
    Stopper stopper(step);
    try {
        runProject({project, folder, twoWorkers}, std::ref(stopper), stopper.source.get_token());
        ADD_FAILURE() << "was not cancelled";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Cancelled);
    }
}

RunOutcome resume(const fs::path& folder, RunOptions options = {}) {
    return resumeRun(folder, options, ignoreEvent, {});
}

std::string latentsOf(const fs::path& folder) {
    return readFile(folder / run_file::latents);
}

nlohmann::json makeJson(const fs::path& file) {
    return nlohmann::json::parse(readFile(file));
}

/// Those in devices.csv.
std::vector<int> stepsOfDevices(const fs::path& folder) {
    std::vector<int> steps;
    for (const StepDeviceTimes& times : RunFolder::open(folder).deviceTimes())
        steps.push_back(times.step);
    return steps;
}

void changeJson(const fs::path& file, const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json json = makeJson(file);
    change(json);
    writeFileAtomically(file, json.dump());
}

/// The warnings that come as a list, by their ids.
std::vector<std::string> idsListed(const std::function<void(const EventSink&)>& work) {
    std::vector<std::string> ids;
    work([&](const RunEvent& event) {
        handle(event, [&](const ProblemsFound& found) {
            for (const ListedProblem& problem : found.problems) {
                EXPECT_EQ(problem.severity, Severity::Warning);
                EXPECT_TRUE(problem.fixes.empty()) << "a run keeps its keys";
                ids.push_back(problem.id);
            }
        });
    });
    return ids;
}

TEST(RunSession, ListsItsWarningsWithTheirIdsWheneverItWorks) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    RunRequest request{
        .project = testing::smallProject(), .outFolder = folder, .options = {.workers = availableCpus() + 1}};
    const std::vector<std::string> expected{"cpus-oversubscribed"};
    StopSource stop;
    EXPECT_EQ(idsListed([&](const EventSink& hear) {
                  EXPECT_THROW(runProject(
                                   request,
                                   [&](const RunEvent& event) {
                                       hear(event);
                                       if (std::holds_alternative<StepRecord>(event))
                                           stop.request_stop();
                                   },
                                   stop.get_token()),
                               Error);
              }),
              expected);
    EXPECT_EQ(idsListed([&](const EventSink& hear) { resumeRun(folder, request.options, hear, {}); }),
              expected);
    EXPECT_EQ(idsListed([&](const EventSink& hear) { decodeAgain(folder, request.options, hear, {}); }),
              expected);
    EXPECT_THAT(readFile(folder / run_file::log), HasSubstr("workers share"));
}

TEST(RunSession, WritesEveryFile) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    const RunOutcome outcome = runInto(folder);
    for (const std::string_view name :
         {run_file::project, run_file::environment, run_file::status, run_file::steps, run_file::devices,
          run_file::checkpoint, run_file::timings, run_file::trace, run_file::summary, run_file::latents,
          run_file::preview, run_file::log, run_file::sources})
        EXPECT_GT(fs::file_size(folder / name), 0U) << name;

    EXPECT_EQ(outcome.folder, folder);
    EXPECT_EQ(outcome.video.filename(), "video.mp4");
    EXPECT_EQ(makeJson(folder / run_file::status).at("status"), "done");
    EXPECT_EQ(RunFolder::open(folder).steps().size(), 4U);
    EXPECT_EQ(stepsOfDevices(folder), (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(RunFolder::open(folder).project(), testing::smallProject());

    const auto environment = makeJson(folder / run_file::environment);
    EXPECT_EQ(environment.at("workers_per_device"), 2);
    EXPECT_EQ(environment.at("attention").at("self"), "flash");
    EXPECT_THAT(environment.at("libraries").at("openblas").get<std::string>(), HasSubstr("OpenBLAS"));
    EXPECT_THAT(environment.at("libraries").at("onednn").get<std::string>(), HasSubstr("oneDNN"));
    EXPECT_THAT(readFile(folder / run_file::summary), HasSubstr("  TIMING SUMMARY\n"));
    EXPECT_FALSE(makeJson(folder / run_file::trace).at("traceEvents").empty());
}

TEST(RunSession, TheVideoCarriesItsProject) {
    const testing::TemporaryFolder temporary;
    const RunOutcome outcome = runInto(temporary / "run");
    const std::string stored = readProjectFromMedia(outcome.video);
    EXPECT_EQ(parseProject(stored, "video").project, testing::smallProject());
    const VideoInfo info = probeVideo(outcome.video);
    EXPECT_EQ(info.frames, 5);
    EXPECT_EQ(info.metadata.at("title"), testing::smallProject().prompt);
}

TEST(RunSession, EqualRunsGiveEqualLatentsAndVideos) {
    const testing::TemporaryFolder temporary;
    const RunOutcome a = runInto(temporary / "a");
    const RunOutcome b = runInto(temporary / "b");
    EXPECT_EQ(latentsOf(a.folder), latentsOf(b.folder));
    EXPECT_EQ(readFile(a.video), readFile(b.video));
}

TEST(RunSession, ACancelledRunContinuesBitIdentically) {
    const testing::TemporaryFolder temporary;
    runInto(temporary / "straight");
    const fs::path folder = temporary / "cancelled";
    cancelAfter(1, folder);
    EXPECT_EQ(makeJson(folder / run_file::status).at("status"), "cancelled");
    EXPECT_EQ(RunFolder::open(folder).steps().size(), 2U);
    EXPECT_FALSE(fs::exists(folder / run_file::latents));

    const RunOutcome outcome = resume(folder);
    EXPECT_FALSE(outcome.nothingToDo);
    EXPECT_EQ(latentsOf(folder), latentsOf(temporary / "straight"));
    EXPECT_EQ(readFile(outcome.video), readFile(temporary / "straight/video.mp4"));
    EXPECT_EQ(outcome.steps.size(), 4U);
    EXPECT_EQ(stepsOfDevices(folder), (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(makeJson(folder / run_file::status).at("resumes"), 1);
    EXPECT_EQ(outcome.resumedFrom, std::vector{2});
    EXPECT_EQ(readRunRecord(folder).resumedFrom, std::vector{2});
    EXPECT_FALSE(makeJson(folder / run_file::status).at("different_machine"));
}

TEST(RunSession, AKillBetweenCheckpointAndRowLosesNothing) {
    const testing::TemporaryFolder temporary;
    runInto(temporary / "straight");
    const fs::path folder = temporary / "killed";
    cancelAfter(2, folder);
    changeJson(folder / run_file::status, [](auto& status) { status["status"] = "running"; });
    auto steps = RunFolder::open(folder).steps();
    const StepRecord lost = steps.back();
    steps.pop_back();
    writeFileAtomically(folder / run_file::steps, stepCsv(steps));
    EXPECT_EQ(RunFolder::open(folder).state().status, RunStatus::Crashed);

    const RunOutcome outcome = resume(folder);
    EXPECT_EQ(latentsOf(folder), latentsOf(temporary / "straight"));
    ASSERT_EQ(outcome.steps.size(), 4U);
    EXPECT_EQ(outcome.steps[2], lost);
}

TEST(RunSession, ARunKilledBeforeItsFirstStepStartsAgain) {
    const testing::TemporaryFolder temporary;
    runInto(temporary / "straight");
    const fs::path folder = temporary / "killed";
    cancelAfter(0, folder);
    fs::remove(folder / run_file::checkpoint);
    fs::remove(folder / run_file::steps);
    EXPECT_EQ(stepsOfDevices(folder), std::vector{0});
    resume(folder);
    EXPECT_EQ(latentsOf(folder), latentsOf(temporary / "straight"));
    EXPECT_EQ(stepsOfDevices(folder), (std::vector{0, 1, 2, 3})) << "the first step is there once";
}

TEST(RunSession, AFinishedRunIsLeftAlone) {
    const testing::TemporaryFolder temporary;
    runInto(temporary / "run");
    const std::string status = readFile(temporary / "run/status.json");
    const std::optional<RunOutline> outline = RunFolder::open(temporary / "run").state().outline;
    ASSERT_TRUE(outline);
    EXPECT_EQ(outline->width, testing::smallProject().width);
    EXPECT_EQ(outline->model, testing::smallProject().model);
    const RunOutcome outcome = resume(temporary / "run");
    EXPECT_TRUE(outcome.nothingToDo);
    EXPECT_FALSE(outcome.note.empty());
    EXPECT_EQ(readFile(temporary / "run/status.json"), status);
}

TEST(RunSession, ARunOfAnotherMachineAsksFirst) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    cancelAfter(1, folder);
    changeJson(folder / run_file::environment, [](auto& environment) { environment["isa"] = "pdp11"; });
    try {
        resume(folder);
        FAIL() << "was continued";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Input);
        EXPECT_THAT(failure.what(), HasSubstr("pdp11"));
        EXPECT_THAT(failure.what(), HasSubstr("--allow-different-machine"));
    }
    EXPECT_EQ(RunFolder::open(folder).state().status, RunStatus::Cancelled);

    resume(folder, {.allowDifferentMachine = true});
    EXPECT_TRUE(makeJson(folder / run_file::status).at("different_machine"));
    const auto resumes = makeJson(folder / run_file::environment).at("resumes");
    ASSERT_EQ(resumes.size(), 1U);
    EXPECT_EQ(resumes[0].at("from_step"), 2);
}

TEST(RunSession, ARunWhoseAdapterWentIntoBothExpertsIsNotContinuedWithOne) {
    const testing::TemporaryFolder temporary;
    testing::makeTinyModel(temporary / "model", testing::tinyModelOf("wan2.2-t2v-a14b"));
    const fs::path adapter = temporary / "style_high_noise.safetensors";
    testing::writeRandomAdapter(adapter, Checkpoint::open(temporary / "model" / "transformer"));
    Project project = testing::smallProject();
    project.model = (temporary / "model").string();
    project.lora = {{.file = adapter.string()}};
    const fs::path folder = temporary / "run";
    Stopper stopper(0);
    EXPECT_THROW(runProject({project, folder, twoWorkers}, std::ref(stopper), stopper.source.get_token()),
                 Error);
    changeJson(folder / run_file::environment, [](auto& environment) {
        auto& adapters = environment["adapters"];
        ASSERT_EQ(adapters.size(), 1U) << "the name says one expert";
        std::string identity = adapters[0];
        adapters.push_back(identity.replace(identity.find('1'), 1, "2"));
    });
    for (const bool allowed : {false, true})
        try {
            resume(folder, {.allowDifferentMachine = allowed});
            ADD_FAILURE() << "was continued";
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::Input);
            EXPECT_THAT(failure.what(), AllOf(HasSubstr("transformer 1, transformer 2"),
                                              HasSubstr("expert: all"), HasSubstr("meshreel run ")));
        }
    EXPECT_EQ(RunFolder::open(folder).state().status, RunStatus::Cancelled);
}

TEST(RunSession, ContinuingRemovesWhatAKillLeftHalfWritten) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    cancelAfter(1, folder);
    const fs::path left = folder / ".checkpoint.4711.part.safetensors";
    const fs::path mine = folder / ".my.part";
    writeFileAtomically(left, "half a check");
    writeFileAtomically(mine, "notes");
    fs::create_directory(folder / ".video.4711.part");
    resume(folder);
    EXPECT_FALSE(fs::exists(left));
    EXPECT_FALSE(fs::exists(folder / ".video.4711.part"));
    EXPECT_TRUE(fs::exists(mine));
}

TEST(RunSession, ContinuingWritesThroughNoLink) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    cancelAfter(1, folder);
    writeFileAtomically(temporary / "outside", "mine");
    fs::remove(folder / run_file::log);
    fs::create_symlink(temporary / "outside", folder / run_file::log);
    try {
        resume(folder);
        FAIL() << "was continued";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Input);
        EXPECT_EQ(failure.where(), (folder / run_file::log).string());
    }
    EXPECT_EQ(readFile(temporary / "outside"), "mine");
    fs::remove(folder / run_file::log);
    EXPECT_NO_THROW(resume(folder));
}

TEST(RunSession, OtherWorkersCountAsAnotherMachine) {
    const testing::TemporaryFolder temporary;
    cancelAfter(1, temporary / "run");
    EXPECT_THROW(resume(temporary / "run", {.workers = 1}), Error);
    EXPECT_NO_THROW(resume(temporary / "run", {.workers = 2}));
}

TEST(RunSession, ARunThatIsWorkedOnIsNotContinued) {
    const testing::TemporaryFolder temporary;
    cancelAfter(1, temporary / "run");
    RunFolder busy = RunFolder::open(temporary / "run");
    busy.lock();
    EXPECT_THROW(resume(temporary / "run"), Error);
}

TEST(RunSession, AFailureKeepsWhatWasWritten) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    cancelAfter(1, folder);
    fs::create_directories(folder / run_file::latents / "in the way");
    EXPECT_THROW(resume(folder), Error);
    const RunState state = RunFolder::open(folder).state();
    EXPECT_EQ(state.status, RunStatus::Failed);
    EXPECT_THAT(state.why, HasSubstr("latents.safetensors"));
    EXPECT_EQ(RunFolder::open(folder).steps().size(), 4U);

    fs::remove_all(folder / run_file::latents);
    EXPECT_EQ(resume(folder).steps.size(), 4U);
}

TEST(RunSession, AVideoThatCannotBeWrittenEndsTheDecodingAndLeavesWhatWasThere) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    Project project = testing::smallProject();
    project.videoFormat = "png";
    const fs::path holiday = folder / run_file::videoStem / "holiday.jpg";
    const EventSink putPicture = [&](const RunEvent& event) {
        handle(event, [&](const LatentsReady&) {
            fs::create_directories(holiday.parent_path());
            writeFileAtomically(holiday, "a picture");
        });
    };
    try {
        runProject({project, folder, twoWorkers}, putPicture, {});
        FAIL() << "other files were replaced";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Input);
        EXPECT_EQ(failure.where(), holiday.parent_path().string());
    }
    EXPECT_EQ(RunFolder::open(folder).state().status, RunStatus::Failed);
    EXPECT_EQ(readFile(holiday), "a picture");
    fs::remove(holiday);
    EXPECT_EQ(probeVideo(decodeAgain(folder, twoWorkers, ignoreEvent, {}).video).frames, project.numFrames);
}

TEST(RunSession, ACancelledDecodingLeavesNothingOfItsVideo) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    StopSource source;
    bool decoded = false;
    const EventSink cancel = [&](const RunEvent& event) {
        handle(event, [&](const Progress& progress) {
            if (progress.phase == Phase::Decode && progress.decoded > 0) {
                decoded = true;
                source.request_stop();
            }
        });
    };
    EXPECT_THROW(runProject({testing::smallProject(), folder, twoWorkers}, cancel, source.get_token()),
                 Error);
    EXPECT_TRUE(decoded);
    EXPECT_EQ(RunFolder::open(folder).state().status, RunStatus::Cancelled);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        EXPECT_FALSE(name.starts_with(run_file::videoStem) || isTemporaryName(name)) << name;
    }
}

TEST(RunSession, NothingIsMadeForAProjectThatCannotRun) {
    const testing::TemporaryFolder temporary;
    Project project = testing::smallProject();
    project.model = "no-such-model";
    EXPECT_THROW(runInto(temporary / "run", project), Error);
    EXPECT_FALSE(fs::exists(temporary / "run"));
}

TEST(RunSession, DecodesAgain) {
    const testing::TemporaryFolder temporary;
    const RunOutcome first = runInto(temporary / "run");
    const std::string video = readFile(first.video);
    fs::remove(first.video);
    fs::remove(first.folder / run_file::preview);
    const RunOutcome again = decodeAgain(first.folder, twoWorkers, ignoreEvent, {});
    EXPECT_EQ(readFile(again.video), video);
    EXPECT_TRUE(fs::exists(first.folder / run_file::preview));
    EXPECT_EQ(RunFolder::open(first.folder).state().status, RunStatus::Done);

    cancelAfter(1, temporary / "unfinished");
    EXPECT_THROW(decodeAgain(temporary / "unfinished", twoWorkers, ignoreEvent, {}), Error);
}

/// With two of four steps shortened.
Project cachedProject() {
    Project project = testing::smallProject();
    project.useMagcache = true;
    project.magRatiosBase = "1, 1, 1, 1, 1, 1, 1, 1";
    project.retentionRatio = 0;
    return project;
}

TEST(RunSession, TellsWhatAStepCacheSavedAndHowFarItIsFromTheUncachedRun) {
    const testing::TemporaryFolder temporary;
    runInto(temporary / "full");
    Project project = cachedProject();
    project.compareWith = (temporary / "full").string();
    const RunOutcome outcome = runInto(temporary / "cached", project);

    const std::vector<StepRecord> steps = RunFolder::open(outcome.folder).steps();
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(steps[0].work, StepWork::Everything);
    EXPECT_EQ(steps[1].work, StepWork::NoBlocks);
    EXPECT_EQ(steps[2].work, StepWork::NoBlocks);
    EXPECT_EQ(steps[3].work, StepWork::Everything);
    const nlohmann::json timings = makeJson(outcome.folder / run_file::timings);
    EXPECT_EQ(timings.at("shortened_steps"), (std::vector<int>{1, 2}));
    EXPECT_GE(timings.at("saved_seconds").get<double>(), 0);
    const nlohmann::json& comparison = timings.at("comparison");
    EXPECT_EQ(comparison.at("with"), (temporary / "full").string());
    EXPECT_GT(comparison.at("psnr").get<double>(), 5);
    EXPECT_LT(comparison.at("ssim").get<double>(), 1);
    EXPECT_THAT(readFile(outcome.folder / run_file::summary),
                ::testing::AllOf(HasSubstr("2 of 4"), HasSubstr("PSNR")));
}

TEST(RunSession, ARunIsTheSameAsItself) {
    const testing::TemporaryFolder temporary;
    runInto(temporary / "first");
    Project project = testing::smallProject();
    project.compareWith = (temporary / "first").string();
    const RunOutcome outcome = runInto(temporary / "second", project);
    const nlohmann::json comparison = makeJson(outcome.folder / run_file::timings).at("comparison");
    EXPECT_TRUE(comparison.at("psnr").is_null());
    EXPECT_DOUBLE_EQ(comparison.at("ssim").get<double>(), 1);
    EXPECT_THAT(readFile(outcome.folder / run_file::summary), HasSubstr("the same frames"));
}

TEST(RunSession, ComparesWithFinishedRunsOfOneSizeOnly) {
    const testing::TemporaryFolder temporary;
    runInto(temporary / "small");
    Project project = testing::smallProject();
    project.compareWith = (temporary / "small").string();
    project.width = 48;
    EXPECT_THROW(runInto(temporary / "wide", project), Error);
    EXPECT_FALSE(fs::exists(temporary / "wide"));
    project = testing::smallProject();
    project.compareWith = (temporary / "none").string();
    EXPECT_THROW(runInto(temporary / "other", project), Error);
}

TEST(RunSession, ACachedRunContinuesBitIdentically) {
    const testing::TemporaryFolder temporary;
    runInto(temporary / "straight", cachedProject());
    Stopper stopper(1);  // its blocks were left out, and those of the next step will be
    EXPECT_THROW(runProject({cachedProject(), temporary / "stopped", twoWorkers}, std::ref(stopper),
                            stopper.source.get_token()),
                 Error);
    resume(temporary / "stopped");
    EXPECT_EQ(latentsOf(temporary / "stopped"), latentsOf(temporary / "straight"));
}

TEST(RunSession, ACurveFileGoesIntoTheRun) {
    const testing::TemporaryFolder temporary;
    Project project = cachedProject();
    const std::string curve = project.magRatiosBase;
    project.magRatiosBase.clear();
    project.magRatiosFile = (temporary / "curve.json").string();
    writeFileAtomically(project.magRatiosFile, "{\"mag_ratios_base\": [" + curve + "]}");
    const RunOutcome outcome = runInto(temporary / "run", project);
    const Project stored = RunFolder::open(outcome.folder).project();
    EXPECT_TRUE(stored.magRatiosFile.empty());
    EXPECT_EQ(stored.magRatiosBase, curve);
    writeFileAtomically(project.magRatiosFile, "{\"mag_ratios_base\": [1]}");
    EXPECT_THROW(runInto(temporary / "odd", project), Error);
}

TEST(RunSession, ABatchWritesAVideoForEachPromptAndSeed) {
    const testing::TemporaryFolder temporary;
    Project batch = testing::smallProject();
    batch.batchPrompts = "a red ball moving right\n\n a blue box on a green background \n";
    batch.batchSeeds = "7, 8";
    const RunOutcome outcome = runInto(temporary / "batch", batch);
    EXPECT_THAT(outcome.note, HasSubstr("4 videos"));
    std::vector<BatchItem> found;
    for (const char* name : {"video.mp4", "video-2.mp4", "video-3.mp4", "video-4.mp4"}) {
        const Project own = parseProject(readProjectFromMedia(outcome.folder / name), name).project;
        EXPECT_TRUE(own.batchPrompts.empty() && own.batchSeeds.empty());
        found.push_back({.prompt = own.prompt, .seed = own.seed});
    }
    EXPECT_EQ(found, batchItems(batch));
    EXPECT_TRUE(fs::exists(outcome.folder / "preview.png"));
    EXPECT_TRUE(fs::exists(outcome.folder / "preview-4.png"));

    // A video of a batch has the bits of a run of its own.
    const Tensor latents = RunFolder::open(outcome.folder).latents();
    ASSERT_EQ(latents.extent(0), 4);
    const RunOutcome alone = runInto(temporary / "alone", extractProject(batch, found[2]));
    const Tensor own = RunFolder::open(alone.folder).latents();
    const Tensor third = latents.slice(2, 3);
    EXPECT_TRUE(std::ranges::equal(third.data<float>(), own.data<float>()));
    EXPECT_EQ(readFile(outcome.folder / "video-3.mp4"), readFile(alone.video));
}

TEST(RunSession, ABatchContinuesBitIdentically) {
    const testing::TemporaryFolder temporary;
    Project batch = testing::smallProject();
    batch.batchSeeds = "1, 2, 3";
    runInto(temporary / "straight", batch);
    Stopper stopper(2);
    EXPECT_THROW(
        runProject({batch, temporary / "stopped", twoWorkers}, std::ref(stopper), stopper.source.get_token()),
        Error);
    resume(temporary / "stopped");
    EXPECT_EQ(latentsOf(temporary / "stopped"), latentsOf(temporary / "straight"));
}

/// Frames of one grey each.
Tensor greyClip(std::int64_t frames) {
    constexpr std::uint8_t lighter = 4;
    Tensor clip = Tensor::empty({frames, 32, 32, 3}, DType::U8);
    for (std::int64_t frame = 0; frame < frames; ++frame)
        std::ranges::fill(clip.slice(frame, frame + 1).data<std::uint8_t>(),
                          static_cast<std::uint8_t>(lighter * frame));
    return clip;
}

fs::path writeClip(const fs::path& place, const Tensor& frames, VideoFormat format, double fps) {
    VideoOptions options;
    options.format = format;
    options.fps = fps;
    return writeVideo(place, frames, options).file;
}

Project projectWithVideo(const fs::path& video) {
    Project project = testing::smallProject();
    project.video = video.string();
    return project;
}

TEST(RunSession, OfAFolderOnlyTheFramesAreKept) {
    const testing::TemporaryFolder temporary;
    const fs::path clip = writeClip(temporary / "clip", greyClip(5), VideoFormat::Png, 16);
    writeFileAtomically(clip / "secret.txt", "mine");
    fs::create_directory(clip / "more");
    writeFileAtomically(clip / "more" / "frame_00001.png", "not of the video");
    const fs::path folder = clip / "run";  // within its own input
    runInto(folder, projectWithVideo(clip));
    std::vector<std::string> kept;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder / run_file::inputs))
        kept.push_back(entry.path().lexically_relative(folder / run_file::inputs).string());
    std::ranges::sort(kept);
    EXPECT_THAT(kept, ::testing::ElementsAre("video", "video/frame_00001.png", "video/frame_00002.png",
                                             "video/frame_00003.png", "video/frame_00004.png",
                                             "video/frame_00005.png"));
}

TEST(RunSession, AnInputThatCannotBeUsedIsRefusedBeforeAnythingIsWritten) {
    const testing::TemporaryFolder temporary;
    fs::create_directories(temporary / "home" / "keys");
    writeFileAtomically(temporary / "home" / "keys" / "id", "PRIVATE");
    writeFileAtomically(temporary / "text.png", "no picture");
    fs::create_directory(temporary / "links");
    writeFileAtomically(temporary / "outside.png", "PRIVATE");
    fs::create_symlink("../outside.png", temporary / "links" / "frame_00001.png");
    for (const char* name : {"home", "text.png", "links"}) {
        EXPECT_THROW(runInto(temporary / "run", projectWithVideo(temporary / name)), ProjectError) << name;
        EXPECT_FALSE(fs::exists(temporary / "run")) << name;
    }
}

TEST(RunSession, AnInputThatIsExchangedForALinkAfterTheRunWasOpenedIsNotRead) {
    const testing::TemporaryFolder temporary;
    const fs::path folder = temporary / "run";
    cancelAfter(1, folder,
                projectWithVideo(writeClip(temporary / "clip", greyClip(5), VideoFormat::Mp4, 16)));
    const fs::path others = writeClip(temporary / "others", greyClip(5), VideoFormat::Mp4, 16);
    const fs::path inputs = folder / run_file::inputs;
    const auto exchangeFile = [&] {
        fs::remove(inputs / "video.mp4");
        fs::create_symlink(others, inputs / "video.mp4");
    };
    const auto exchangeFolder = [&] {
        fs::rename(inputs, folder / "before");
        fs::create_directory_symlink(temporary.path(), inputs);
        fs::copy_file(others, temporary / "video.mp4");
    };
    const std::string mine = readFile(inputs / "video.mp4");
    for (const std::function<void()>& exchange :
         std::vector<std::function<void()>>{exchangeFile, exchangeFolder}) {
        const auto onceItIsPlanned = [&](const RunEvent& event) {
            handle(event, [&](const Planned&) { exchange(); });
        };
        try {
            resumeRun(folder, {}, onceItIsPlanned, {});
            FAIL() << "read it";
        } catch (const ProjectError& refused) {
            EXPECT_EQ(refused.problems().front().id, ProblemId("path-not-trusted"));
            EXPECT_EQ(refused.problems().front().key, "video");
        }
        fs::remove(inputs / "video.mp4");
        writeFileAtomically(inputs / "video.mp4", mine);
    }
    fs::remove(inputs);
    fs::rename(folder / "before", inputs);
    EXPECT_NO_THROW(resume(folder));
}

TEST(RunSession, AVideoOfAnotherRateIsSampledAndTheLogSaysSo) {
    const testing::TemporaryFolder temporary;
    const fs::path clip = writeClip(temporary / "clip", greyClip(30), VideoFormat::Mp4, 60);
    runInto(temporary / "sampled", projectWithVideo(clip));
    EXPECT_THAT(readFile(temporary / "sampled" / run_file::log),
                AllOf(HasSubstr("clip.mp4"), HasSubstr("60"), HasSubstr("16")));
    const Tensor frames = readFrames(clip, {.fps = 16, .frames = 5});
    const fs::path sampled = writeClip(temporary / "frames", frames, VideoFormat::Png, 16);
    runInto(temporary / "folder", projectWithVideo(sampled));
    EXPECT_EQ(latentsOf(temporary / "sampled"), latentsOf(temporary / "folder"));
}

}  // namespace
}  // namespace meshreel
