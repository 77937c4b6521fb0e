// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/input_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/project/number_list.h"
#include "engine/project/project_keys.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const InputKey& references() {
    return *findInputKey("reference_images");
}

TEST(InputFiles, EveryInputIsAKeyOfTheProject) {
    for (const InputKey& key : inputKeys()) {
        const ProjectKey* row = findProjectKey(key.name);
        ASSERT_NE(row, nullptr) << key.name;
        EXPECT_EQ(std::get<std::string Project::*>(row->member), key.member);
    }
    EXPECT_EQ(findInputKey("prompt"), nullptr);
}

TEST(InputFiles, SeveralAreSeparatedByCommas) {
    Project project;
    EXPECT_THAT(inputFiles(project, references()), IsEmpty());
    project.referenceImages = " a.png,b c.png ,, d.png";
    EXPECT_THAT(inputFiles(project, references()), ElementsAre("a.png", "b c.png", "d.png"));
    setInputFiles(project, references(), {"x", "y"});
    EXPECT_EQ(project.referenceImages, "x, y");
    project.image = "one, two.png";
    EXPECT_THAT(inputFiles(project, *findInputKey("image")), ElementsAre("one, two.png"));
}

TEST(InputFiles, ThoseOfAFileStartAtItsFolderAndOverridesWhereThePersonIs) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder.path() / "project.yaml";
    std::ofstream(file) << "version: 1\nprompt: a cat\nimage: pictures/cat.png\nvideo: /data/clip.mp4\n";
    const std::vector<std::string> overrides{"last_image=dog.png"};
    const Project project = loadProject(file, overrides).project;
    EXPECT_EQ(project.image, (folder.path() / "pictures/cat.png").string());
    EXPECT_EQ(project.video, "/data/clip.mp4");
    EXPECT_EQ(project.lastImage, (fs::current_path() / "dog.png").string());
}

TEST(InputFiles, APathThatIsNotUtf8IsAProblem) {
    const testing::TemporaryFolder folder;
    const fs::path place = folder.path() / "caf\xe9";
    fs::create_directory(place);
    const fs::path file = place / "project.yaml";
    std::ofstream(file) << "version: 1\nprompt: a cat\nimage: cat.png\nmag_ratios_file: curve.json\n";
    std::ofstream(place / "cat.png") << "picture";
    const std::vector<ProjectProblem> problems = pathProblems(loadProject(file).project);
    ASSERT_THAT(problems, SizeIs(2));
    for (const ProjectProblem& problem : problems) {
        EXPECT_THAT(problem.message, HasSubstr("caf\ufffd/"));
        EXPECT_THAT(problem.message, HasSubstr("is not UTF-8"));
    }
}

TEST(NumberList, OfNoiseLevelsDescends) {
    Project project;
    EXPECT_THAT(givenSigmas(project), IsEmpty());
    project.timesteps = "1000, 750, 500,250";
    EXPECT_THAT(givenSigmas(project), ElementsAre(1.0, 0.75, 0.5, 0.25));
    EXPECT_THAT(numberListProblems(project), IsEmpty());
    project.sigmas = "1, 0.5";
    EXPECT_EQ(numberListProblems(project).front().key, "timesteps");
    project.timesteps.clear();
    for (const char* wrong : {"0.5, 1", "1, 0", "2", "1; 0.5", "one", "1,,0.5"}) {
        project.sigmas = wrong;
        ASSERT_THAT(numberListProblems(project), SizeIs(1)) << wrong;
        EXPECT_EQ(numberListProblems(project).front().key, "sigmas") << wrong;
    }
    project.sigmas.clear();
    project.conditioningScale = "";
    EXPECT_EQ(numberListProblems(project).front().key, "conditioning_scale");
}

}  // namespace
}  // namespace meshreel
