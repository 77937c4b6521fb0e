// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel::testing {

/// Plans on tiny models of each family.
class TaskPlans : public ::testing::Test {
  protected:
    static constexpr std::uint64_t plentyForEstimates = std::uint64_t{1} << 40U;
    static constexpr double f32 = 4;  ///< bytes of a number

    [[nodiscard]] Project projectOn(std::string_view family) const {
        const std::filesystem::path folder = m_folder.path() / family;
        if (!std::filesystem::exists(folder))
            makeTinyModel(folder, tinyModelOf(family));
        Project project = smallProject();
        project.model = folder.string();
        project.height = project.width = 64;
        project.numFrames = 9;
        return project;
    }

    [[nodiscard]] std::string input(std::string_view name) const { return (m_folder.path() / name).string(); }

    [[nodiscard]] Project animation() const {
        Project project = projectOn("wan2.2-animate");
        project.image = input("character.png");
        project.poseVideo = input("pose.mp4");
        project.faceVideo = input("face.mp4");
        project.segmentFrameLength = 5;
        return project;
    }

    static PlanPtr plan(const Project& project) {
        return makePlan(project, {.workers = 1, .memoryBytes = plentyForEstimates});
    }

    /// What a plan of the project is refused for.
    static std::vector<Problem> refusals(const Project& project) {
        try {
            static_cast<void>(plan(project));
        } catch (const ProjectError& refused) {
            return refused.problems();
        }
        return {};
    }

    TemporaryFolder m_folder;
};

}  // namespace meshreel::testing
