// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace meshreel {

/// A place in pixels of the video, from its upper left corner.
struct TrackPoint {
    float x = 0;
    float y = 0;
    bool seen = true;

    friend bool operator==(const TrackPoint&, const TrackPoint&) = default;
};

/// Where a point of the first frame goes: its places one after the other. Behind the last one it is out of
/// sight. Never empty.
using PointTrack = std::vector<TrackPoint>;

/// Places of a track for ATI: they span the video, whatever its length, and others behind them are left out.
/// For Wan-Move each place is a frame's.
inline constexpr std::size_t trackSamples = 121;  ///< 5 seconds at ATI's 24 a second

/// What a drawing of tracks is sampled for: keyframes keep their places in the picture and their seconds.
struct TrackedVideo {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t frames = 0;
    double fps = 0;
    std::int64_t firstFrame = 0;  ///< points move from it on: the last of those that the video begins with
    std::size_t places = trackSamples;  ///< spread evenly from firstFrame to the last one
};

/// Returns the tracks of a JSON file, a list of tracks, or one track, where a track is a list of {"x": ...,
/// "y": ...}; or of NumPy's array [places, tracks, 2] of x and y, also with 1 before these. Or those
/// of a drawing (track_drawing.h), sampled and scaled for the `video`; without one as it was drawn, at
/// trackSamples places. Throws Error{Input} naming track and point.
std::vector<PointTrack> readTracks(const std::filesystem::path& file, std::optional<TrackedVideo> video = {});

/// How many points and tracks a file is of; of tracks that differ the longest one counts.
struct TrackExtent {
    std::size_t points = 0;
    std::size_t tracks = 0;

    friend bool operator==(const TrackExtent&, const TrackExtent&) = default;
};

/// Marks as out of sight the places that are 0 in NumPy's array [places, tracks], also with 1 before these.
/// Throws Error{Input} for another file, and for an array of other places or tracks.
void hideUnseen(std::vector<PointTrack>& tracks, const std::filesystem::path& visibility);

/// Returns what the file is of. Throws Error{Input} for one that hideUnseen() cannot read, whatever the
/// tracks.
TrackExtent readVisibilityExtent(const std::filesystem::path& visibility);

/// Throws Error{Input}, as hideUnseen() does, unless what is in sight is of as many points and tracks.
void requireSightOf(const TrackExtent& tracks, const TrackExtent& sight,
                    const std::filesystem::path& visibility);

}  // namespace meshreel
