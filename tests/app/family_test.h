// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "engine/models/families/model_family.h"
#include "runner.h"

namespace meshreel::testing {

/// The real runner on tiny random models of every family.
class FamilyTest : public RunnerTest {
  protected:
    /// A project on a model of the family in file("model"), beside two pictures (first.png, last.png), a clip
    /// of five (clip) and a second of sound (voice.wav).
    [[nodiscard]] ProjectKeys projectOn(std::string_view family) const;

    /// The same with the inputs that the task needs or, where it needs none, takes.
    [[nodiscard]] ProjectKeys projectOn(std::string_view family, WanTask task) const;

    /// One colour; green and blue are 0.
    void writePicture(const std::string& name, std::int64_t height, std::int64_t width, int red) const;

    /// Runs the project into file(name), which it returns.
    std::filesystem::path run(const ProjectKeys& keys, const std::string& name) const;
};

}  // namespace meshreel::testing
