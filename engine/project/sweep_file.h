// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/project/project.h"

namespace meshreel {

/// Settings that are tried together, under a name.
struct SweepStrategy {
    std::string name;
    std::vector<std::string> settings;  ///< "key=value"
};

/// One project key with the values that it takes in turn.
struct SweepAxis {
    std::string key;
    std::vector<std::string> values;
};

/// A grid of settings, each of which is timed: strategies × axes × batches.
struct SweepFile {
    std::string name;
    std::string architecture;                ///< shape of a model with random weights; empty: that of the
                                             ///< project's model
    std::int64_t layers = 1;                 ///< blocks of the transformer that run
    int repeats = 3;                         ///< passes of each cell that count
    std::optional<std::int64_t> traceBatch;  ///< cells of this batch leave a trace
    Project base;                            ///< what all cells have in common
    std::vector<SweepStrategy> strategies;   ///< at least one
    std::vector<SweepAxis> axes;             ///< without the batch
    std::vector<std::int64_t> batches = {1};
    std::vector<Error> leftOut = {};     ///< strategies and values of the file that no project can have
    std::vector<Problem> warnings = {};  ///< texts of the file that may be cut short, with their lines
    std::filesystem::path file = {};     ///< that it was loaded from; empty: from none
    bool oversubscribe = false;          ///< not of the file: allow more devices than deviceOverload() does
};

/// One place of the grid.
struct SweepCell {
    std::string strategy;
    std::vector<std::pair<std::string, std::string>> values;  ///< values of the axes, in their order
    std::int64_t batch = 1;
    Project project;

    /// Tells the cell from all others of its file: "ring, height=480, batch 2".
    [[nodiscard]] std::string name() const;
};

/// Reads `version`, `name`, `arch`, `layers`, `repeats`, `trace_batch`, `base` (keys of a project),
/// `strategies` (maps with a name and keys of a project) and `vary` (lists by key; `batch` is one). A
/// strategy or value that no project can have is left out, as long as another one stays. Throws ProjectError
/// naming file and line of everything else that is wrong.
SweepFile readSweep(const std::string& text, const std::string& fileName);
SweepFile loadSweep(const std::filesystem::path& file);

/// Returns a sweep of the project as the text of a file: every mode that its mesh can share tokens with as a
/// strategy, the project's own first. To be opened, run, and edited.
std::string newSweepText(const Project& project);

/// Returns every cell; batches change slowest and strategies fastest, so that neighbours differ in the
/// strategy.
std::vector<SweepCell> sweepCells(const SweepFile& sweep);

}  // namespace meshreel
