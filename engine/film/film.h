// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "engine/base/sentence.h"
#include "engine/events/run_event.h"
#include "engine/film/film_plan.h"
#include "engine/film/storyboard.h"

namespace meshreel {

/// How the shots of a film are made; as the runs of a command are, here or on hosts.
struct ShotMaker {
    std::function<RunOutcome(const PlannedShot& shot)> make;    ///< from the beginning, into its folder
    std::function<RunOutcome(const PlannedShot& shot)> resume;  ///< from where its run was interrupted
};

struct FilmResult {
    std::filesystem::path video;
    std::int64_t frames = 0;
    Sentence note;  ///< when something was done otherwise than asked, such as encoding once more
};

/// Makes the shots that are not there, in order, and puts them together: film.mp4 (of the first shot's
/// format) and film.json, the record, in the film's folder. Only one program makes a film in a folder,
/// which belongs to its storyboard from the beginning.
/// Stopped or failed, it keeps what was made; called again, it goes on. Throws what the shots' runs throw.
FilmResult makeFilm(const FilmPlan& plan, const ShotMaker& maker, const EventSink& sink);

/// Returns the folder where a storyboard's film is made unless another one is asked for: film-NAME among the
/// runs; film-NAME-HASH where the film of another storyboard of that name, which still exists, is there.
std::filesystem::path filmFolder(const Storyboard& storyboard);

/// Returns the video that makeFilm() joined of exactly these shots as they are now; nothing where there is
/// none, or it was of others.
std::optional<std::filesystem::path> joinedFilm(const FilmPlan& plan);

}  // namespace meshreel
