// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/estimates/prediction.h"
#include "engine/film/storyboard.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"

namespace meshreel {

/// What is left to do of a shot.
enum class ShotState {
    Missing,  ///< all of it
    Changed,  ///< all of it; there is a run of the same name that was made before it changed
    Begun,    ///< its run was interrupted, and goes on
    Made,     ///< nothing
};

/// A shot with where its run is and what it takes.
struct PlannedShot {
    std::string name;
    Project project;       ///< continue_from is the folder of the shot that it continues
    std::string identity;  ///< of what decides its video: settings, inputs, weights, and the identity of what
                           ///< it continues
    std::filesystem::path folder;  ///< of its run, whether it is there or not; empty where it is not known
    std::filesystem::path former = {};  ///< for ShotState::Changed: the latest run before
    ShotState state = ShotState::Missing;
    PlanPtr plan;                               ///< null where the shot cannot be made
    std::optional<PredictedSeconds> time = {};  ///< of all of it; nothing where it cannot be predicted
    std::int64_t sharedFrames = 0;              ///< of the shot before: the film shows them there
    std::int64_t blendedFrames = 0;             ///< the last of those, in which the film passes over

    [[nodiscard]] std::int64_t shownFrames() const { return project.numFrames - sharedFrames; }
};

struct FilmPlan {
    std::filesystem::path storyboard;
    std::filesystem::path folder;
    std::vector<PlannedShot> shots;
    std::vector<Problem> problems = {};  ///< each at its shot's line; none after planFilm()

    /// Returns how many are still to make, or to end.
    [[nodiscard]] std::size_t left() const;
    /// Returns what the shots take that are still to make; nothing where one is not known.
    [[nodiscard]] std::optional<PredictedSeconds> timeLeft() const;
    /// Returns the bytes that the largest of them takes.
    [[nodiscard]] std::uint64_t memoryBytes() const;
    /// Returns the frames that the film shows.
    [[nodiscard]] std::int64_t shownFrames() const;
    /// Returns how much of what is to make is done, in [0, 1], when all shots before this one are made and it
    /// is made to this part itself: by predicted seconds, else by frames and steps. What was there when the
    /// film was planned does not count.
    [[nodiscard]] double share(std::size_t shot, double part) const;
};

/// Plans every shot, examined as for a run (`options`), and finds those whose run is in the folder already.
/// Throws ProjectError with what is wrong with the storyboard or any of them, each at its shot's line.
FilmPlan planFilm(const Storyboard& storyboard, const std::filesystem::path& folder,
                  const ForecastOptions& options);

/// planFilm() of a storyboard that is being edited: what is wrong is in `problems`, where those of the
/// storyboard are not repeated. A shot that has errors of its own, or goes on from one whose run is not
/// known, has no folder; what all shots share being wrong, none has. Without a folder no run is looked for.
FilmPlan examineFilm(const Storyboard& storyboard, const std::filesystem::path& folder,
                     const ForecastOptions& options);

/// Returns a table of the shots and their cost, and the sums.
std::string filmPlanText(const FilmPlan& plan);

/// Returns whether the folder holds a finished run with its video.
bool isMade(const std::filesystem::path& shotFolder);

// Exposed for tests.

/// Returns the frames of a shot that shows `seconds` behind `shared` frames of another one: a multiple of 4,
/// plus 1, and not shorter.
std::int64_t framesOfShot(double seconds, double fps, std::int64_t shared);

}  // namespace meshreel
