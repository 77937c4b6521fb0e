// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/preset_projects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/atomic_file.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;

TEST(PresetProjects, AreSortedByModelAndTellWhatTheyAre) {
    const ::meshreel::testing::TemporaryFolder folder;
    const auto write = [&](const char* name, const std::string& text) {
        writeFileAtomically(folder.path() / name, text);
    };
    write("b.yaml",
          "# SPDX-License-Identifier: GPL-3.0-or-later\n# Wan, on two\n# devices.\n#\n# More of "
          "it.\nversion: 1\n"
          "prompt: a\npretrained_model_name_or_path: Wan-AI/Wan2.1-T2V-14B-Diffusers\n");
    write("c.yaml",
          "version: 1\nprompt: a\npretrained_model_name_or_path: Wan-AI/Wan2.1-VACE-1.3B-diffusers\n");
    write("a.yaml", "version: 1\nprompt: a\npretrained_model_name_or_path: Wan-AI/Wan2.1-T2V-14B\n");
    write("broken.yaml", "prompt: [");
    write("notes.txt", "version: 1\nprompt: a\n");
    const auto preset = [&](const char* name, const char* model, const char* description) {
        return AllOf(Field(&PresetProject::file, folder.path() / name), Field(&PresetProject::model, model),
                     Field(&PresetProject::description, description));
    };
    EXPECT_THAT(presetProjects(folder.path()),
                ElementsAre(preset("a.yaml", "Wan2.1-T2V-14B", ""),
                            preset("b.yaml", "Wan2.1-T2V-14B", "Wan, on two devices."),
                            preset("c.yaml", "Wan2.1-VACE-1.3B", "")));
    EXPECT_TRUE(presetProjects(folder.path() / "nowhere").empty());
}

TEST(PresetProjects, TheInstalledOnesAreAllThere) {
    const std::vector<PresetProject> presets = presetProjects(presetFolder());
    EXPECT_GE(presets.size(), 34U);
    for (const PresetProject& preset : presets)
        EXPECT_FALSE(preset.description.empty()) << preset.file;
}

}  // namespace
}  // namespace meshreel
