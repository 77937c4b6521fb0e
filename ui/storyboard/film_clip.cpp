// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/film_clip.h"

#include <algorithm>
#include <cmath>

#include "engine/film/film_plan.h"
#include "engine/project/project.h"
#include "ui/values/opened_run.h"

namespace meshreel {

namespace {

constexpr QSize mostFilmSize{832, 832};  ///< that of 480p is shown as it is
constexpr double mostFilmBytes = 768.0 * (1 << 20);
constexpr double bytesOfPixel = 3;

/// Frames that are read of a film: of shots that are not joined, those that they share twice.
std::int64_t framesRead(const FilmOutlook& film) {
    if (film.video)
        return film.plan.shownFrames();
    std::int64_t frames = 0;
    for (const PlannedShot& shot : film.plan.shots)
        frames += shot.state == ShotState::Made ? shot.project.numFrames : 0;
    return frames;
}

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

QSize heldFrameSize(QSize whole, std::int64_t frames) {
    const QSize most = whole.scaled(mostFilmSize, Qt::KeepAspectRatio).boundedTo(whole);
    const double bytes = bytesOfPixel * most.width() * most.height() * static_cast<double>(frames);
    const double scale = bytes > mostFilmBytes ? std::sqrt(mostFilmBytes / bytes) : 1;
    return QSize(static_cast<int>(scale * most.width()), static_cast<int>(scale * most.height()))
        .expandedTo({1, 1});
}

FilmClip readFilmClip(const FilmOutlook& film) {
    FilmClip read;
    const FilmPlan& plan = film.plan;
    if (plan.shots.empty())
        return read;
    const Project& first = plan.shots.front().project;
    const double rate = first.fps;
    const QSize size = heldFrameSize(QSize(countOf(first.width), countOf(first.height)), framesRead(film));
    if (film.video)
        read.clip = readSmallVideo(*film.video, rate, size, countOf(plan.shownFrames()));
    int begin = 0;
    for (const PlannedShot& shot : plan.shots) {
        read.begins.push_back(begin);
        if (film.video) {
            begin += countOf(shot.shownFrames());
        } else if (shot.state == ShotState::Made) {
            const Clip clip = readSmallClip(shot.folder, size, countOf(shot.project.numFrames));
            read.clip.frames += clip.frames.mid(countOf(shot.sharedFrames));
            read.clip.framesPerSecond = rate;
            begin = countOf(read.clip.frames.size());
        }
    }
    read.clip.name = film.board.file.stem().string();
    return read;
}

}  // namespace meshreel
