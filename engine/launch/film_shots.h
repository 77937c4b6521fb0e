// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <string>

#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/film/film.h"
#include "engine/film/storyboard.h"
#include "engine/project/project_trust.h"
#include "engine/runs/run_session.h"

namespace meshreel {

/// What each shot's inputs led to when the user agreed, by the shot's name: a shot may begin hours later.
using AgreedInputs = std::map<std::string, TrustedInputs, std::less<>>;

/// Returns what the inputs of all shots lead to now.
AgreedInputs inputsAsTheyAre(const Storyboard& storyboard);

/// Returns how a film's shots are made by this program: each by a run of its own (runProject(), resumeRun()),
/// on ranks that are launched where its project names hosts. `agreed` has each shot's inputs.
ShotMaker makeShotsByRuns(const RunOptions& options, AgreedInputs agreed, const EventSink& sink,
                          const StopToken& stop);

}  // namespace meshreel
