// SPDX-License-Identifier: GPL-3.0-or-later
// Models that are put together of files, by several threads at once.
#include "engine/catalogue/model_assembly.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <latch>
#include <string>
#include <thread>

#include "engine/base/paths.h"
#include "engine/project/project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

class ModelAssembly : public ::testing::Test {
  protected:
    ModelAssembly() {
        if (const char* before = std::getenv("XDG_CACHE_HOME"))
            m_before = before;
    }
    ~ModelAssembly() override {
        if (m_before.empty())
            unsetenv("XDG_CACHE_HOME");
        else
            setenv("XDG_CACHE_HOME", m_before.c_str(), 1);
    }

    /// An empty cache.
    void useCache(int number) { setenv("XDG_CACHE_HOME", (m_folder / std::to_string(number)).c_str(), 1); }

  private:
    testing::TemporaryFolder m_folder;
    std::string m_before;
};

TEST_F(ModelAssembly, ThreadsThatPutOneTogetherGetTheWholeOfIt) {
    Project project;
    project.vaeFile =
        (resourceFolder() / "models" / "tiny-wan-t2v" / "vae" / "diffusion_pytorch_model.safetensors")
            .string();
    constexpr int rounds = 40;
    for (int round = 0; round < rounds; ++round) {
        useCache(round);
        std::latch together(2);
        std::array<std::string, 2> made;
        const auto assemble = [&](std::string& result) {
            together.arrive_and_wait();
            try {
                const fs::path folder = prepareModelFolder(project);
                const bool whole = fs::exists(folder / "model_index.json") &&
                                   fs::exists(folder / "vae" / "diffusion_pytorch_model.safetensors") &&
                                   fs::exists(folder / "scheduler" / "scheduler_config.json");
                result = whole ? folder.string() : "half of it";
            } catch (const std::exception& failure) {
                result = failure.what();
            }
        };
        std::thread other([&] { assemble(made[1]); });
        assemble(made[0]);
        other.join();
        ASSERT_EQ(made[0], made[1]);
        ASSERT_TRUE(fs::exists(made[0])) << made[0];
        const fs::directory_iterator left{fs::path(made[0]).parent_path()};
        ASSERT_EQ(std::distance(begin(left), end(left)), 1) << "a temporary folder stays";
    }
}

}  // namespace
}  // namespace meshreel
