// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "engine/base/files.h"
#include "engine/media/video_reader.h"
#include "engine/project/project_file.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::smallRun;

class RunFolderOnDisk : public testing::RunnerTest {};

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

nlohmann::json makeJson(const fs::path& file) {
    return nlohmann::json::parse(readFile(file));
}

/// The timing summary, byte for byte but for the figures.
const std::string summaryPattern = [] {
    const std::string rule(50, '=');
    std::string thin;
    for (int i = 0; i < 40; ++i)
        thin += "─";
    return "\\n" + rule + "\\n  TIMING SUMMARY\\n" + rule +
           "\\n"
           "  Load \\(checkpoint\\):   [ \\d]{5}\\.\\ds\\n"
           "  Compile:             [ \\d]{5}\\.\\ds\\n"
           "  Inference:           [ \\d]{5}\\.\\ds\\n"
           "  " +
           thin +
           "\\n"
           "  Conditioning:        [ \\d]{5}\\.\\ds\\n"
           "    - VAE Encode:      [ \\d]{5}\\.\\ds\\n"
           "  Denoise Total:       [ \\d]{5}\\.\\ds\\n"
           "  VAE Decode:          [ \\d]{5}\\.\\ds\\n"
           "    - Compute:         [ \\d]{5}\\.\\ds\\n"
           "    - Host Formatting: [ \\d]{5}\\.\\ds\\n" +
           rule + "\\n";
}();

TEST_F(RunFolderOnDisk, HoldsEverythingAndTheSameSeedGivesTheSameLatents) {
    const std::string yaml = project(smallRun());
    const fs::path run = file("deep") / "new" / "run";  // parents are made
    const ProcessResult first = meshreel({"run", yaml, "--out", run.string()});
    ASSERT_EQ(first.exitCode, 0) << first.err;
    EXPECT_EQ(first.err, "");

    for (const char* name : {"project.yaml", "environment.json", "status.json", "steps.csv", "devices.csv",
                             "checkpoint.safetensors", "timings.json", "trace.json", "summary.txt",
                             "latents.safetensors", "video.mp4", "preview.png", "log.txt"})
        EXPECT_GT(fs::exists(run / name) ? fs::file_size(run / name) : 0, 0U) << name;
    for (const fs::directory_entry& entry : fs::directory_iterator(run))
        EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << "left over: " << entry.path();

    EXPECT_EQ(makeJson(run / "status.json").at("status"), "done");
    const nlohmann::json trace = makeJson(run / "trace.json");
    EXPECT_FALSE((trace.is_array() ? trace : trace.at("traceEvents")).empty());
    EXPECT_THAT(makeJson(run / "environment.json").dump(), HasSubstr("attention"));

    const std::vector<std::string> steps = linesOf(readFile(run / "steps.csv"));
    ASSERT_EQ(steps.size(), 5U);
    EXPECT_EQ(steps.front(), "step,timestep,sigma,seconds,min,max,mean,expert,work");
    EXPECT_THAT(steps, ::testing::Contains(::testing::StartsWith("3,")));

    const std::string summary = readFile(run / "summary.txt");
    std::smatch block;
    ASSERT_TRUE(std::regex_search(summary, block, std::regex(summaryPattern))) << summary;
    EXPECT_THAT(first.out, HasSubstr(block.str()));

    const ProcessResult second = meshreel({"run", yaml, "--out", file("again").string()});
    ASSERT_EQ(second.exitCode, 0) << second.err;
    for (const char* name : {"latents.safetensors", "video.mp4", "preview.png"})
        EXPECT_EQ(readFile(run / name), readFile(file("again") / name)) << name;
}

// However the heads and tokens are shared out, a head of a pass counts once.
TEST_F(RunFolderOnDisk, SaysHowManyHeadsRanOnTheBoundOfFixedM) {
    testing::ProjectKeys keys = smallRun();
    const auto counts = [&](const char* mode, const char* devices, const char* shards) {
        keys["attention"] = mode;
        keys["ici_context_parallelism"] = devices;
        keys["ulysses_shards"] = shards;
        const fs::path run = file(fmt::format("{}-{}", mode, devices));
        const ProcessResult result =
            meshreel({"run", project(keys), "--oversubscribe", "--out", run.string()});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        EXPECT_THAT(result.out, HasSubstr("heads ran on the bound"));
        EXPECT_THAT(readFile(run / "summary.txt"), HasSubstr("  Fixed m: "));
        return makeJson(run / "timings.json").at("fixed_m");
    };
    const nlohmann::json alone = counts("ulysses_custom_fixed_m", "1", "-1");
    EXPECT_GT(alone.at("bounded_heads"), 0);
    EXPECT_GT(alone.at("bounded_blocks"), 0);
    const int heads = alone.at("bounded_heads").get<int>() + alone.at("fallback_heads").get<int>();
    for (const char* mode : {"ulysses_ring_custom_fixed_m", "ulysses_ring_custom_fixed_m_per_q_block"}) {
        const nlohmann::json sharded = counts(mode, "4", "2");
        EXPECT_EQ(sharded.at("bounded_heads").get<int>() + sharded.at("fallback_heads").get<int>(), heads);
    }
    keys["attention"] = "flash";
    keys["ici_context_parallelism"] = "1";
    const fs::path run = file("flash");
    ASSERT_EQ(meshreel({"run", project(keys), "--out", run.string()}).exitCode, 0);
    EXPECT_FALSE(makeJson(run / "timings.json").contains("fixed_m"));
}

TEST_F(RunFolderOnDisk, VideoTellsItsProjectAndRunsAgain) {
    testing::ProjectKeys keys = smallRun();
    keys["prompt"] = "\"ein roter Ball – 红球: #1\"";
    keys["seed"] = "12345";
    const fs::path run = file("run");
    const ProcessResult generated = meshreel({"run", project(keys), "--out", run.string()});
    ASSERT_EQ(generated.exitCode, 0) << generated.err;

    const VideoInfo info = probeVideo(run / "video.mp4");
    EXPECT_EQ(info.codec, "h264");
    EXPECT_EQ(info.pixelFormat, "yuv420p");
    EXPECT_EQ(info.frames, 5);
    EXPECT_DOUBLE_EQ(info.fps, 16.0);

    const std::string stored = readProjectFromMedia(run / "video.mp4");
    EXPECT_EQ(stored, readFile(run / "project.yaml"));
    const ProcessResult inspected = meshreel({"inspect", (run / "video.mp4").string()});
    EXPECT_EQ(inspected.exitCode, 0) << inspected.err;
    EXPECT_THAT(inspected.out, HasSubstr(stored));
    EXPECT_THAT(inspected.out, HasSubstr("红球"));

    writeFileAtomically(file("restored.yaml"), stored);
    const ProcessResult again =
        meshreel({"run", file("restored.yaml").string(), "--out", file("again").string()});
    ASSERT_EQ(again.exitCode, 0) << again.err;
    EXPECT_EQ(readFile(run / "latents.safetensors"), readFile(file("again") / "latents.safetensors"));
}

TEST_F(RunFolderOnDisk, ARandomSeedIsRecordedAndRepeatsTheVideo) {
    testing::ProjectKeys keys = smallRun();
    keys["seed"] = "-1";
    const std::string yaml = project(keys);
    EXPECT_EQ(meshreel({"validate", yaml}).exitCode, 0);
    EXPECT_THAT(meshreel({"plan", yaml}).out, HasSubstr("a random seed for each run"));

    const auto seedOf = [this](const char* run) {
        return parseProject(readFile(file(run) / "project.yaml"), run).project.seed;
    };
    ASSERT_EQ(meshreel({"run", yaml, "--out", file("run").string()}).exitCode, 0);
    ASSERT_EQ(meshreel({"run", yaml, "--out", file("other").string()}).exitCode, 0);
    ASSERT_TRUE(seedOf("run"));
    EXPECT_NE(seedOf("run"), seedOf("other"));
    EXPECT_EQ(readProjectFromMedia(file("run") / "video.mp4"), readFile(file("run") / "project.yaml"));

    const std::string record = (file("run") / "project.yaml").string();
    ASSERT_EQ(meshreel({"run", record, "--out", file("again").string()}).exitCode, 0);
    EXPECT_EQ(seedOf("again"), seedOf("run"));
    EXPECT_EQ(readFile(file("again") / "latents.safetensors"), readFile(file("run") / "latents.safetensors"));
    EXPECT_NE(readFile(file("other") / "latents.safetensors"), readFile(file("run") / "latents.safetensors"));
}

TEST_F(RunFolderOnDisk, SeedsOf64BitsAreKeptToTheLastDigit) {
    testing::ProjectKeys keys = smallRun();
    keys["num_inference_steps"] = "1";
    keys["batch_seeds"] = "18446744073709551614, 18446744073709551615";
    const ProcessResult result = meshreel({"run", project(keys), "--out", file("run").string()});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(readProjectFromMedia(file("run") / "video-2.mp4"),
                HasSubstr("\nseed: 18446744073709551615\n"));
    EXPECT_NE(readFile(file("run") / "preview.png"), readFile(file("run") / "preview-2.png"));
}

TEST_F(RunFolderOnDisk, AProjectWhoseNameIsNotUtf8RunsUnderACleanedName) {
    const std::string yaml = project(smallRun(), "caf\xe9.yaml");
    EXPECT_EQ(meshreel({"validate", yaml}).exitCode, 0);
    for (const char* events : {"", "--json-events"}) {
        const fs::path run = file(std::string("run") + events);
        std::vector<std::string> line{"run", yaml, "--out", run.string(), "--set", "num_inference_steps=1"};
        if (*events != '\0')
            line.emplace_back(events);
        const ProcessResult result = meshreel(line);
        ASSERT_EQ(result.exitCode, 0) << result.err;
        EXPECT_THAT(readFile(run / "project.yaml"), HasSubstr("\nrun_name: caf\ufffd\n"));
    }
}

TEST_F(RunFolderOnDisk, EveryVideoFormatIsWritten) {
    // At less an animated WebP keeps frames that are nearly alike as one.
    constexpr const char* allFrames = "video_quality=100";
    const std::map<std::string, std::string> videos{
        {"webm", "video.webm"}, {"gif", "video.gif"}, {"webp", "video.webp"}, {"png", "video"}};
    for (const auto& [format, name] : videos) {
        const fs::path run = file(format);
        const ProcessResult result =
            meshreel({"run", project(smallRun()), "--out", run.string(), "--set", "video_format=" + format,
                      "--set", "num_inference_steps=2", "--set", allFrames});
        ASSERT_EQ(result.exitCode, 0) << result.err;
        EXPECT_EQ(probeVideo(run / name).frames, 5) << format;
        EXPECT_THAT(readProjectFromMedia(run / name), HasSubstr("video_format: " + format));
        const ProcessResult inspected = meshreel({"inspect", (run / name).string()});
        EXPECT_EQ(inspected.exitCode, 0) << inspected.err;
        EXPECT_THAT(inspected.out, HasSubstr("video_format: " + format));
    }
}

TEST_F(RunFolderOnDisk, WithoutOutItLiesInTheRunsFolder) {
    const ProcessResult result =
        meshreel({"run", project(smallRun(), "lantern.yaml"), "--set", "num_inference_steps=1"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(options().environment.at("MESHREEL_RUNS")))
        names.push_back(entry.path().filename());
    EXPECT_THAT(names, ElementsAre(::testing::MatchesRegex("[0-9-]+-lantern")));
    EXPECT_THAT(result.out, HasSubstr(names.front()));
}

TEST_F(RunFolderOnDisk, PathsUnderHomeAreStoredWithATilde) {
    const fs::path home = options().environment.at("HOME");
    const fs::path model = home / "models" / "mine";
    fs::create_directories(model.parent_path());
    fs::copy(testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v", model,
             fs::copy_options::recursive);
    testing::ProjectKeys keys = smallRun();
    keys["pretrained_model_name_or_path"] = model.string();
    keys["num_inference_steps"] = "1";
    const ProcessResult result = meshreel({"run", project(keys), "--out", file("run").string()});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(readFile(file("run") / "project.yaml"), HasSubstr("~/models/mine"));
    for (const char* name : {"project.yaml", "environment.json", "video.mp4", "latents.safetensors"})
        EXPECT_THAT(readFile(file("run") / name), ::testing::Not(HasSubstr(home.string()))) << name;
}

TEST_F(RunFolderOnDisk, DecodingAgainGivesTheSameVideo) {
    const fs::path run = file("run");
    ASSERT_EQ(meshreel({"run", project(smallRun()), "--out", run.string()}).exitCode, 0);
    const std::string before = readFile(run / "video.mp4");
    fs::remove(run / "video.mp4");
    const ProcessResult decoded = meshreel({"decode", run.string()});
    EXPECT_EQ(decoded.exitCode, 0) << decoded.err;
    EXPECT_EQ(readFile(run / "video.mp4"), before);
}

TEST_F(RunFolderOnDisk, JsonEventsAreOneObjectALine) {
    const ProcessResult result =
        meshreel({"run", project(smallRun()), "--out", file("run").string(), "--json-events"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    std::map<std::string, int> counts;
    std::vector<std::string> phases;
    for (const std::string& line : linesOf(result.out)) {
        const nlohmann::json event = nlohmann::json::parse(line);
        ++counts[event.at("event").get<std::string>()];
        if (event.at("event") == "phase_finished")
            phases.push_back(event.at("phase").get<std::string>());
    }
    EXPECT_THAT(phases, ElementsAre("Load", "Compile", "Conditioning", "Denoise", "Decode", "Format"));
    EXPECT_EQ(counts["phase_started"], 6);
    EXPECT_EQ(counts["frames"], 0) << "only with --previews";
    EXPECT_EQ(counts["step"], 4);
    EXPECT_EQ(counts["devices"], 4);
    EXPECT_EQ(counts["video"], 1);
    EXPECT_EQ(counts["finished"], 1);
}

}  // namespace
}  // namespace meshreel
