// SPDX-License-Identifier: GPL-3.0-or-later
// Charts and comparisons of runs from a terminal.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "runner.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using ::testing::StartsWith;

class Charts : public testing::RunnerTest {
  protected:
    /// Makes a run on `devices` devices; returns its folder.
    std::string run(int devices) {
        testing::ProjectKeys keys = testing::smallRun();
        keys["ici_context_parallelism"] = std::to_string(devices);
        keys["attention"] = devices == 1 ? "flash" : "ulysses";
        return runPrefix(keys, "run" + std::to_string(devices));
    }

    std::string runPrefix(const testing::ProjectKeys& keys, const std::string& name) {
        const std::string folder = file(name).string();
        const ProcessResult result = meshreel({"run", project(keys), "--out", folder});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return folder;
    }
};

TEST_F(Charts, EveryKindAndFormat) {
    const std::string folder = run(2);
    for (const char* kind : {"steps", "stages", "scaling", "tiles", "lanes", "memory"})
        for (const char* extension : {"png", "svg", "pdf", "csv", "json"}) {
            const std::string target = file(std::string(kind) + "." + extension).string();
            const ProcessResult chart = meshreel({"chart", folder, "--kind", kind, "-o", target});
            EXPECT_EQ(chart.exitCode, 0) << kind << " " << extension << ": " << chart.err;
            EXPECT_GT(std::filesystem::file_size(target), 0U) << target;
        }
    EXPECT_THAT(readFile(file("lanes.csv")),
                StartsWith("step,device,computing,exchanging,waiting,received,gpu\n1,0,"));
    EXPECT_THAT(readFile(file("steps.csv")), StartsWith("run,step,timestep,sigma,seconds,expert\nrun2,1,"));
}

TEST_F(Charts, AReportShowsNoPictureOfAFileBehindALink) {
    namespace fs = std::filesystem;
    const fs::path mine = run(1);
    const fs::path his = file("his");
    const auto pictures = [&](const char* page) {
        const ProcessResult result = meshreel({"report", his.string(), "-o", file(page).string()});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        const std::string text = readFile(file(page));
        std::size_t count = 0;
        for (std::size_t at = text.find("data:image/jpeg"); at != std::string::npos;
             at = text.find("data:image/jpeg", at + 1))
            ++count;
        return count;
    };
    fs::copy(mine, his, fs::copy_options::recursive);
    const std::size_t all = pictures("all.html");
    fs::remove(his / "video.mp4");
    const std::size_t none = pictures("none.html");
    EXPECT_GT(all, none);
    fs::create_symlink(mine / "video.mp4", his / "video.mp4");
    EXPECT_EQ(pictures("linked.html"), none);
    fs::remove(his / "video.mp4");
    fs::create_directory(his / "video");
    fs::create_symlink(file("frame.png"), his / "video" / "frame_00001.png");
    fs::copy(mine / "preview.png", file("frame.png"));
    EXPECT_EQ(pictures("frames.html"), none);
    fs::remove_all(his / "video");
    ASSERT_EQ(::mkfifo((his / "video.mp4").c_str(), 0600), 0);
    EXPECT_EQ(pictures("pipe.html"), none);
}

TEST_F(Charts, CompareTellsSpeedAgainstTheFirst) {
    const std::string one = run(1);
    const std::string two = run(2);
    const ProcessResult text = meshreel({"compare", one, two, "--summaries"});
    EXPECT_EQ(text.exitCode, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("TIMING SUMMARY"));
    const ProcessResult json = meshreel({"compare", one, two, "--json"});
    const auto rows = nlohmann::json::parse(json.out);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["speed"], 1.0);
    EXPECT_EQ(rows[1]["attention"], "ulysses");
    EXPECT_EQ(rows[1]["devices"], 2);
}

TEST_F(Charts, TilesAreThoseOfASearch) {
    const std::string file = project(testing::smallRun());
    const std::string folder = this->file("search").string();
    const ProcessResult tune =
        meshreel({"tune", file, "--mode", "full", "--step", "128", "--max-configs", "2", "--iters", "1",
                  "--warmup", "1", "--dry-run", "--out-dir", folder});
    ASSERT_EQ(tune.exitCode, 0) << tune.err;
    const std::string target = this->file("tiles.csv").string();
    for (const std::string& source : {folder, folder + "/tile_size_grid_search.csv"}) {
        const ProcessResult chart = meshreel({"chart", source, "--kind", "tiles", "-o", target});
        EXPECT_EQ(chart.exitCode, 0) << chart.err;
        EXPECT_THAT(readFile(target), StartsWith("block_q,block_kv,seconds\n"));
    }
    EXPECT_EQ(meshreel({"chart", folder, "--kind", "steps", "-o", target}).exitCode, 2);
    EXPECT_EQ(meshreel({"compare", folder}).exitCode, 3);
}

TEST_F(Charts, MemoryStandsBesideItsPlan) {
    const std::string target = file("memory.json").string();
    const ProcessResult chart = meshreel({"chart", run(1), "--kind", "memory", "-o", target});
    ASSERT_EQ(chart.exitCode, 0) << chart.err;
    const auto rows = nlohmann::json::parse(readFile(target));
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0]["phase"], "Load");
    for (const auto& row : rows)
        EXPECT_GT(row["peak_bytes"].get<std::uint64_t>(), 0U);
}

TEST_F(Charts, AReportIsOnePage) {
    const std::string one = run(1);
    const std::string two = run(2);
    const std::string page = file("report.html").string();
    const ProcessResult html = meshreel({"report", one, two, "-o", page});
    ASSERT_EQ(html.exitCode, 0) << html.err;
    const std::string text = readFile(page);
    EXPECT_THAT(text, StartsWith("<!DOCTYPE html>"));
    for (const char* part : {"run1", "run2", "<svg", "data:image/jpeg", "TIMING SUMMARY", "ulysses"})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_THAT(text, Not(HasSubstr("src=\"http")));
    const ProcessResult pdf = meshreel({"report", one, two, "-o", file("report.pdf").string()});
    ASSERT_EQ(pdf.exitCode, 0) << pdf.err;
    EXPECT_THAT(readFile(file("report.pdf")), StartsWith("%PDF-"));
    const ProcessResult format = meshreel({"report", one, "-o", file("report.doc").string()});
    EXPECT_EQ(format.exitCode, 2);
    EXPECT_THAT(format.err, HasSubstr(".html"));
    EXPECT_EQ(meshreel({"report", file("none").string(), "-o", page}).exitCode, 3);
}

TEST_F(Charts, NoSessionIsNeededAndNothingIsSaidAboutIt) {
    testing::ProcessOptions lonely = options();
    for (const char* variable : {"XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"})
        lonely.environment[variable] = "";
    const std::string target = file("steps.svg").string();
    testing::Process process(commandLine({"chart", run(1), "--kind", "steps", "-o", target}), lonely);
    const ProcessResult chart = process.wait();
    EXPECT_EQ(chart.exitCode, 0);
    EXPECT_EQ(chart.err, "");
}

TEST_F(Charts, WithoutTheRendererTheErrorNamesThePackages) {
    const std::string alone = file("meshreel").string();
    std::filesystem::copy_file(commandLine({}).front(), alone);
    for (const char* command : {"chart", "report"}) {
        testing::Process process({alone, command, ".", "-o", file("x.pdf").string()}, options());
        const ProcessResult result = process.wait();
        EXPECT_EQ(result.exitCode, 3);
        EXPECT_THAT(result.err, HasSubstr("qt6-charts-dev"));
    }
}

TEST_F(Charts, TheBestConfigurationsAreAMarkdownTable) {
    const ProcessResult table = meshreel({"compare", run(1), run(2), "--markdown"});
    EXPECT_EQ(table.exitCode, 0) << table.err;
    EXPECT_THAT(table.out, StartsWith("| video"));
    EXPECT_THAT(table.out, HasSubstr("| ulysses   | 2 | 1 |"));
    EXPECT_EQ(std::ranges::count(table.out, '\n'), 4);
}

TEST_F(Charts, RunsOfOtherWorkAreNeitherRepeatsNorRivals) {
    const testing::ProjectKeys keys = testing::smallRun();
    testing::ProjectKeys unguided = keys;
    unguided["guidance_scale"] = "1";
    testing::ProjectKeys batch = keys;
    batch["batch_seeds"] = "1,2";
    testing::ProjectKeys otherSeed = keys;
    otherSeed["seed"] = "7";
    const std::vector<std::string> runs{runPrefix(keys, "usual"), runPrefix(unguided, "unguided"),
                                        runPrefix(batch, "batch"), runPrefix(otherSeed, "repeat")};
    const auto parseCommand = [&](const std::string& command, const std::vector<std::string>& options) {
        std::vector<std::string> words{command};
        words.insert(words.end(), runs.begin(), runs.end());
        words.insert(words.end(), options.begin(), options.end());
        return words;
    };
    const ProcessResult chart =
        meshreel(parseCommand("chart", {"--kind", "scaling", "-o", file("scaling.json").string()}));
    ASSERT_EQ(chart.exitCode, 0) << chart.err;
    const auto points = nlohmann::json::parse(readFile(file("scaling.json")));
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[0]["repeats"], 2) << "another seed is the same work";
    EXPECT_EQ(points[1]["repeats"], 1);
    EXPECT_EQ(points[0]["settings"], nullptr);
    EXPECT_THAT(points[1]["settings"].get<std::string>(), HasSubstr("guidance_scale off"));
    EXPECT_THAT(points[2]["settings"].get<std::string>(), HasSubstr("videos 2"));
    const ProcessResult best = meshreel(parseCommand("compare", {"--best", "--json"}));
    EXPECT_EQ(nlohmann::json::parse(best.out).size(), 3U) << best.out;
    const ProcessResult tiles =
        meshreel(parseCommand("chart", {"--kind", "tiles", "-o", file("tiles.csv").string()}));
    EXPECT_EQ(tiles.exitCode, 2);
    EXPECT_THAT(tiles.err, HasSubstr("guidance_scale off"));
}

TEST_F(Charts, PrintedSummariesAreReadBackWithTheirNames) {
    const ProcessResult printed = meshreel({"compare", run(1), run(2), "--summaries"});
    ASSERT_EQ(printed.exitCode, 0) << printed.err;
    writeFileAtomically(file("x.txt"), "The TIMING SUMMARY of each run:\n" + printed.out);
    const ProcessResult again = meshreel({"compare", file("x.txt").string(), "--json"});
    ASSERT_EQ(again.exitCode, 0) << again.err;
    const auto rows = nlohmann::json::parse(again.out);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["run"], "run1");
    EXPECT_EQ(rows[1]["run"], "run2");
}

TEST_F(Charts, APasteWithoutStepsIsLeftOutByName) {
    const std::string ours = run(1);
    writeFileAtomically(file("review.txt"), meshreel({"compare", ours, "--summaries"}).out);
    const std::string target = file("steps.csv").string();
    const ProcessResult both =
        meshreel({"chart", ours, file("review.txt").string(), "--kind", "steps", "-o", target});
    EXPECT_EQ(both.exitCode, 0) << both.err;
    EXPECT_THAT(both.err, HasSubstr("run1"));  // by the name in its text
    EXPECT_EQ(std::ranges::count(both.err, '\n'), 1) << "the paste alone: " << both.err;
    const ProcessResult alone =
        meshreel({"chart", file("review.txt").string(), "--kind", "steps", "-o", target});
    EXPECT_EQ(alone.exitCode, 2) << alone.err;
}

TEST_F(Charts, ADamagedPasteIsNamedByItsFileAndBlock) {
    writeFileAtomically(file("review.txt"), "TIMING SUMMARY (2D Ring)\n  Compile:   1.0s\n");
    const ProcessResult result = meshreel({"compare", file("review.txt").string()});
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_THAT(result.err, HasSubstr("review: TIMING SUMMARY (2D Ring)"));
}

TEST_F(Charts, RefusalsTellWhatToDo) {
    const std::string target = file("x.png").string();
    const ProcessResult kind = meshreel({"chart", ".", "--kind", "pie", "-o", target});
    EXPECT_EQ(kind.exitCode, 2);
    EXPECT_THAT(kind.err, HasSubstr("steps, stages, scaling, tiles, lanes, memory"));
    const ProcessResult folder = meshreel({"chart", file("none").string(), "-o", target});
    EXPECT_EQ(folder.exitCode, 3) << folder.err;
    const ProcessResult format = meshreel({"chart", run(1), "-o", file("x.bmp").string()});
    EXPECT_EQ(format.exitCode, 2);
    EXPECT_THAT(format.err, HasSubstr(".svg"));
    EXPECT_FALSE(std::filesystem::exists(target));
}

}  // namespace
}  // namespace meshreel
