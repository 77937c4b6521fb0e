// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/events/run_event.h"
#include "engine/planning/project_check.h"
#include "engine/project/project_file.h"
#include "engine/project/project_trust.h"

namespace meshreel {

/// What the command line says in place of the project: [--set key=value]… [--preset NAME] [--devices N]
/// [--gpus N] [--broadcast-weights] [--oversubscribe] [--trust]
struct ProjectOverrides {
    std::vector<std::string> set;
    std::string preset;  ///< empty: not given
    int devices = 0;     ///< 0: not given
    std::string gpus;    ///< empty: not given
    bool broadcastWeights = false;
    bool oversubscribe = false;  ///< no key of the project: see PlanOptions
    bool trust = false;          ///< likewise: see project_trust.h

    /// The overrides as "key=value" texts.
    [[nodiscard]] std::vector<std::string> all() const;
};

/// PROJECT and its overrides.
struct ProjectArguments {
    std::string file;
    ProjectOverrides overrides;
};

void addProjectOverrides(CLI::App& app, ProjectOverrides& overrides);

/// Declares --trust.
void addTrustFlag(CLI::App& app, bool& trust);

/// Throws ProjectError for what the project asks and the user has not agreed to; with `trust` that is
/// remembered instead.
void requireAgreement(const TrustQuestion& question, bool trust);

/// Hardware that a project is planned for in place of this machine.
struct TargetArguments {
    std::string hardware;  ///< empty: this machine
    std::string program;

    [[nodiscard]] bool given() const { return !hardware.empty(); }
};

/// [--hardware NAME] [--program NAME]
void addTargetHardware(CLI::App& app, TargetArguments& arguments);

/// Declares --seed, a seed of 64 bits or -1; without it `seed` stays as it is.
CLI::Option* addSeedOption(CLI::App& app, Seed& seed, const std::string& help);

enum class ProjectRequired { No, Yes };

/// Declares ProjectArguments; returns the option PROJECT.
CLI::Option* addProjectArguments(CLI::App& app, ProjectArguments& arguments, ProjectRequired required);

/// How many processes take part in a project.
using RankCount = std::function<int(const Project&)>;

/// The project with its overrides, checked against its model where that is installed; warnings go to the
/// sink. Without `ranks` only what holds for any number of them is checked. Throws ProjectError.
Project loadProjectWith(const ProjectArguments& arguments, const EventSink& sink,
                        const RankCount& ranks = {});

/// What `ranks` processes of this machine are asked, which carry any number of devices if the user insists.
CheckOptions checkOptions(const ProjectOverrides& overrides, int ranks);

}  // namespace meshreel
