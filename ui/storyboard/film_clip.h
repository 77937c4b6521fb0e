// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <cstdint>
#include <vector>

#include "ui/storyboard/film_watch.h"
#include "ui/values/clip.h"

namespace meshreel {

/// A film as it is played: small enough for a window.
struct FilmClip {
    Clip clip;                ///< empty when no shot is made
    std::vector<int> begins;  ///< the frame with which each shot begins; one that is not made has none of its
                              ///< own

    /// Returns the shot that is seen in a frame; -1 without one.
    [[nodiscard]] int shotAt(int frame) const;
};

/// Reads the joined film; before there is one, the shots that are made, one after the other, without the
/// frames that two of them share. Takes as long as decoding does. Throws Error.
FilmClip readFilmClip(const FilmOutlook& film);

// Exposed for tests.

/// Returns the size in which `frames` frames of a size are held: the largest, with the same shape and no
/// side beyond 832 pixels, in which all of them fit into 768 MiB.
QSize heldFrameSize(QSize whole, std::int64_t frames);

}  // namespace meshreel
