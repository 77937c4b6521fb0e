// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {

/// Exit codes of the runner.
enum Code { Done = 0, Defect = 1, BadProject = 2, BadInput = 3, NoResources = 4, Mismatched = 6 };

}  // namespace meshreel

namespace meshreel::testing {

/// Keys of a project file; a value is written as it stands.
using ProjectKeys = std::map<std::string, std::string>;

/// The embedded model, 32x32, 5 frames, 4 steps: a fraction of a second.
ProjectKeys smallRun();

/// The embedded model at what it was trained for: 64x64, 17 frames.
ProjectKeys trainedRun(const std::string& prompt);

std::string projectText(const ProjectKeys& keys);

/// Runs the real `meshreel` in a home of its own.
class RunnerTest : public ::testing::Test {
  protected:
    RunnerTest();

    [[nodiscard]] std::filesystem::path file(const std::string& name) const { return m_folder / name; }

    /// Writes a project file; returns its path.
    [[nodiscard]] std::string project(const ProjectKeys& keys,
                                      const std::string& name = "project.yaml") const;

    [[nodiscard]] ProcessResult meshreel(const std::vector<std::string>& arguments) const {
        return meshreel(arguments, m_options);
    }
    [[nodiscard]] static ProcessResult meshreel(const std::vector<std::string>& arguments,
                                                const ProcessOptions& options);
    [[nodiscard]] static std::vector<std::string> commandLine(const std::vector<std::string>& arguments);

    /// The ids of the problems that `validate --json` or `plan --json` finds with these arguments, in their
    /// order.
    [[nodiscard]] std::vector<std::string> faultsIn(std::vector<std::string> arguments) const;

    [[nodiscard]] const ProcessOptions& options() const { return m_options; }

  private:
    TemporaryFolder m_folder;
    ProcessOptions m_options;
};

/// Waits until `condition` holds; false when the process ended or 60 s passed before.
bool waitUntil(Process& process, const std::function<bool()>& condition);

/// Rows below the header of steps.csv; 0 without the file.
std::size_t stepRows(const std::filesystem::path& run);

/// "status" of status.json.
std::string statusOf(const std::filesystem::path& run);

}  // namespace meshreel::testing
