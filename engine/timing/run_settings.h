// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

namespace meshreel {

/// Keys of the project file, or of environment.json, with their values; values of the same effect are spelled
/// the same.
using SettingValues = std::map<std::string, std::string>;

/// What the seconds of a run's steps depend on beside the video's size, the attention mode, U, R and the
/// sizes of the blocks. All empty where it is not known.
struct RunSettings {
    SettingValues task;       ///< what a step computes: model, conditions, guidance, videos side by side
    SettingValues means;      ///< in what way: number types, step caches, memory budget, instruction set
    SettingValues mesh;       ///< its axes and ranks
    SettingValues attention;  ///< the rest of what the project says of it

    friend bool operator==(const RunSettings&, const RunSettings&) = default;
};

}  // namespace meshreel
