// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever becomes of a file of a run folder, every command ends with a result or with sentences.
#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "engine/base/files.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::ProcessResult;
using testing::ProjectKeys;
using testing::smallRun;

enum class Damage { Gone, Empty, Cut, Zeroed };

constexpr std::array damages{std::pair{Damage::Gone, "gone"}, std::pair{Damage::Empty, "empty"},
                             std::pair{Damage::Cut, "cut"}, std::pair{Damage::Zeroed, "zeroed"}};

void inflict(Damage damage, const fs::path& file) {
    std::string bytes = readFile(file);
    switch (damage) {
        case Damage::Gone:
            fs::remove(file);
            return;
        case Damage::Empty:
            bytes.clear();
            break;
        case Damage::Cut:
            bytes.resize(bytes.size() / 2);
            break;
        case Damage::Zeroed:
            std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end(), '\0');
            break;
    }
    writeFileAtomically(file, bytes);
}

class DamagedRuns : public testing::RunnerTest {
  protected:
    /// A run of the shared project, finished or stopped by a signal after its first steps.
    void makeRun(const std::string& name, bool finished) const {
        ProjectKeys keys = smallRun();
        keys["num_inference_steps"] = finished ? "2" : "100";
        const std::vector<std::string> words{"run", project(keys), "--out", file(name).string()};
        if (finished) {
            ASSERT_EQ(meshreel(words).exitCode, 0);
            return;
        }
        testing::Process process(commandLine(words), options());
        ASSERT_TRUE(testing::waitUntil(process, [&] { return testing::stepRows(file(name)) >= 2; }));
        process.send(SIGKILL);
        process.wait();
    }

    /// For each file and damage a copy of the run, on which the command runs.
    template <typename Check>
    void forEachDamage(const std::string& name, const std::vector<std::string>& command,
                       const Check& check) const {
        for (const fs::directory_entry& entry : fs::directory_iterator(file(name)))
            for (const auto& [damage, text] : damages) {
                const std::string damaged = entry.path().filename().string();
                if (!entry.is_regular_file() || damaged == ".lock")
                    continue;
                SCOPED_TRACE(command.front() + " with " + damaged + " " + text);
                const fs::path copy = file("copy");
                fs::remove_all(copy);
                fs::copy(file(name), copy, fs::copy_options::recursive);
                inflict(damage, copy / damaged);
                std::vector<std::string> words = command;
                std::ranges::replace(words, std::string("RUN"), copy.string());
                std::ranges::replace(words, std::string("OUT"), file("out.svg").string());
                std::ranges::replace(words, std::string("PAGE"), file("out.html").string());
                const ProcessResult result = meshreel(words);
                EXPECT_EQ(result.signal, 0) << result.err;
                EXPECT_THAT(result.exitCode, ::testing::AnyOf(Done, BadProject, BadInput)) << result.err;
                EXPECT_TRUE(result.exitCode == Done || !result.err.empty());
                EXPECT_THAT(result.err, ::testing::Not(::testing::HasSubstr("download")))
                    << "nobody but the run ever had its files";
                check(copy, damaged, result);
            }
    }
};

TEST_F(DamagedRuns, AreReadOrRefusedByEveryCommandThatReads) {
    makeRun("run", true);
    const auto nothing = [](const fs::path&, const std::string&, const ProcessResult&) {};
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"compare", "RUN"}, {"inspect", "RUN"}})
        forEachDamage("run", command, nothing);
    if (!fs::exists(testing::programFolder() / "meshreel-render"))
        return;
    forEachDamage("run", {"chart", "RUN", "--kind", "steps", "-o", "OUT"}, nothing);
    forEachDamage("run", {"report", "RUN", "-o", "PAGE"}, nothing);
}

TEST_F(DamagedRuns, DecodeToTheSameFramesOrNotAtAll) {
    makeRun("run", true);
    const std::string frames = readFile(file("run") / "video.mp4");
    forEachDamage("run", {"decode", "RUN"},
                  [&](const fs::path& run, const std::string& damaged, const ProcessResult& result) {
                      if (result.exitCode == Done && damaged != "project.yaml") {
                          EXPECT_EQ(readFile(run / "video.mp4"), frames);
                      }
                  });
}

TEST_F(DamagedRuns, GoOnToTheSameLatentsOrNotAtAll) {
    makeRun("run", false);
    fs::copy(file("run"), file("whole"), fs::copy_options::recursive);
    ASSERT_EQ(meshreel({"run", "--resume", file("whole").string()}).exitCode, Done);
    const std::string latents = readFile(file("whole") / "latents.safetensors");
    forEachDamage("run", {"run", "--resume", "RUN"},
                  [&](const fs::path& run, const std::string&, const ProcessResult& result) {
                      if (result.exitCode == Done) {
                          EXPECT_EQ(readFile(run / "latents.safetensors"), latents);
                      }
                  });
}

}  // namespace
}  // namespace meshreel
