// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/film_clip.h"

#include <QSize>
#include <algorithm>
#include <cstdint>

#include "engine/film/film_plan.h"
#include "ui/values/opened_run.h"

namespace meshreel {

namespace {

constexpr QSize mostFilmSize{832, 832};  ///< that of 480p is shown as it is

int countOf(std::int64_t frames) {
    return static_cast<int>(frames);
}

}  // namespace

int FilmClip::shotAt(int frame) const {
    if (clip.isEmpty())
        return -1;
    // Of shots without frames, which begin where the next one does, none is seen.
    return static_cast<int>(std::ranges::upper_bound(begins, frame) - begins.begin()) - 1;
}

FilmClip readFilmClip(const FilmOutlook& film) {
    FilmClip read;
    const FilmPlan& plan = film.plan;
    if (plan.shots.empty())
        return read;
    const double rate = plan.shots.front().project.fps;
    if (film.video)
        read.clip = readSmallVideo(*film.video, rate, mostFilmSize, countOf(plan.shownFrames()));
    int begin = 0;
    for (const PlannedShot& shot : plan.shots) {
        read.begins.push_back(begin);
        if (film.video) {
            begin += countOf(shot.shownFrames());
        } else if (shot.state == ShotState::Made) {
            const Clip clip = readSmallClip(shot.folder, mostFilmSize, countOf(shot.project.numFrames));
            read.clip.frames += clip.frames.mid(countOf(shot.sharedFrames));
            read.clip.framesPerSecond = rate;
            begin = countOf(read.clip.frames.size());
        }
    }
    read.clip.name = film.board.file.stem().string();
    return read;
}

}  // namespace meshreel
