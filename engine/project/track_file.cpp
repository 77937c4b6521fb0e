// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/track_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/frame_source.h"
#include "engine/media/track_drawing.h"
#include "engine/project/npy_file.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

constexpr std::uint64_t mostTrackBytes = std::uint64_t{16} << 20;

[[noreturn]] void refuseTracks(const fs::path& file, Sentence message) {
    throw Error(ErrorKind::Input, std::move(message), withTilde(file),
                sentence("Write a list of tracks, each a list of {} in pixels of the video",
                         R"({"x": 416, "y": 240})"));
}

void requireFew(const fs::path& file, std::size_t tracks) {
    if (tracks > mostTracks)
        refuseTracks(file, sentence("the file has {} tracks; at most {} are allowed", tracks, mostTracks));
}

/// ComfyUI's nodes also take Python's quotes.
json parseTracks(const fs::path& file, std::string text) {
    if (text.starts_with("PK"))
        refuseTracks(file, sentence("this is a file of PyTorch, and tracks are read from JSON and .npy"));
    if (text.find('"') == std::string::npos)
        std::ranges::replace(text, '\'', '"');
    requireBoundedJson(text, withTilde(file));
    try {
        return json::parse(text);
    } catch (const json::parse_error& error) {
        refuseTracks(file, sentence("this is not valid JSON (byte {})", error.byte));
    } catch (const json::exception&) {
        refuseTracks(file, sentence("this is not valid JSON"));
    }
}

bool isPoint(const json& value) {
    return value.is_object() && value.contains("x");
}

/// Where a coordinate stands in its file.
struct CoordinatePlace {
    const fs::path& file;
    const char* name;
    std::size_t track;
    std::size_t index;
};

float toCoordinate(double value, const CoordinatePlace& place) {
    constexpr std::int64_t most = 1'000'000;
    if (!(std::abs(value) <= static_cast<double>(most)))
        refuseTracks(place.file, sentence("track {}, point {}: \"{}\" is {}, beyond {} pixels",
                                          place.track + 1, place.index + 1, place.name, value, most));
    return static_cast<float>(value);
}

float coordinateOf(const json& point, const CoordinatePlace& place) {
    const auto found = point.is_object() ? point.find(place.name) : point.end();
    if (!point.is_object() || found == point.end() || !found->is_number())
        refuseTracks(place.file, sentence("track {}, point {}: \"{}\" is missing or not a number",
                                          place.track + 1, place.index + 1, place.name));
    return toCoordinate(found->get<double>(), place);
}

PointTrack trackOf(const fs::path& file, const json& points, std::size_t track) {
    if (!points.is_array() || points.empty())
        refuseTracks(file, sentence("track {} is not a list of points", track + 1));
    PointTrack result;
    for (std::size_t index = 0; index < points.size(); ++index)
        result.push_back({coordinateOf(points[index], {file, "x", track, index}),
                          coordinateOf(points[index], {file, "y", track, index})});
    return result;
}

/// The bytes of a file that may be one of tracks.
std::string readTrackBytes(const fs::path& file) {
    requireMedium(file);
    std::error_code ignored;
    if (const std::uint64_t bytes = fs::file_size(file, ignored); bytes > mostTrackBytes)
        refuseTracks(file, sentence("the file has {}; tracks have {} at most", formatBytes(bytes),
                                    formatBytes(mostTrackBytes)));
    return readFile(file, Limit::Json);
}

/// The array's extents but a first one of 1 that is too many.
std::span<const std::int64_t> extentsOf(const NpyArray& array, std::size_t axes) {
    const std::span<const std::int64_t> extents = array.shape;
    return extents.size() == axes + 1 && extents.front() == 1 ? extents.subspan(1) : extents;
}

bool areSome(std::span<const std::int64_t> extents) {
    return std::ranges::all_of(extents, [](std::int64_t extent) { return extent > 0; });
}

std::vector<PointTrack> tracksOfArray(const fs::path& file, const NpyArray& array) {
    constexpr std::size_t axes = 3;
    constexpr std::int64_t coordinates = 2;
    const std::span<const std::int64_t> extents = extentsOf(array, axes);
    if (extents.size() != axes || extents[2] != coordinates || !areSome(extents))
        refuseTracks(file, sentence("the array is of shape [{}], and tracks are [points, tracks, 2]",
                                    fmt::format("{}", fmt::join(array.shape, ", "))));
    const auto points = static_cast<std::size_t>(extents[0]);
    const auto count = static_cast<std::size_t>(extents[1]);
    requireFew(file, count);
    std::vector<PointTrack> tracks(count);
    for (std::size_t index = 0; index < points; ++index)
        for (std::size_t track = 0; track < count; ++track) {
            const std::size_t at = (index * count + track) * 2;
            tracks[track].push_back({toCoordinate(array.values[at], {file, "x", track, index}),
                                     toCoordinate(array.values[at + 1], {file, "y", track, index})});
        }
    return tracks;
}

/// NumPy's array of what is in sight.
NpyArray readVisibility(const fs::path& file) {
    constexpr std::size_t axes = 2;
    NpyArray array = parseNpy(readTrackBytes(file), withTilde(file));
    const std::span<const std::int64_t> extents = extentsOf(array, axes);
    if (extents.size() != axes || !areSome(extents))
        throw Error(ErrorKind::Input,
                    sentence("the array is of shape [{}], and what is in sight is [points, tracks]",
                             fmt::format("{}", fmt::join(array.shape, ", "))),
                    withTilde(file), sentence("Write 1 where a track's point is in sight, else 0"));
    std::vector<std::int64_t> own(extents.begin(), extents.end());
    array.shape = std::move(own);
    return array;
}

TrackExtent extentOfSight(const NpyArray& array) {
    return {.points = static_cast<std::size_t>(array.shape[0]),
            .tracks = static_cast<std::size_t>(array.shape[1])};
}

PointTrack sampledTrack(const DrawnTrack& track, const SpreadTimes& times) {
    PointTrack sampled;
    for (const DrawnPoint& place : sampledPlaces(track, times))
        sampled.push_back({static_cast<float>(place.x), static_cast<float>(place.y)});
    if (sampled.empty())  // it has left before
        sampled.push_back({.x = static_cast<float>(track.nodes.back().x),
                           .y = static_cast<float>(track.nodes.back().y),
                           .seen = false});
    return sampled;
}

/// When a video's places are, in frames of a drawing: each at its second.
SpreadTimes timesOnCanvas(const DrawingCanvas& canvas, const std::optional<TrackedVideo>& video) {
    if (!video)
        return {.first = 0, .last = static_cast<double>(canvas.frames - 1), .count = trackSamples};
    const double perFrame = canvas.fps / video->fps;
    return {.first = static_cast<double>(video->firstFrame) * perFrame,
            .last = static_cast<double>(video->frames - 1) * perFrame,
            .count = video->places};
}

std::vector<PointTrack> drawnTracks(const fs::path& file, std::optional<TrackedVideo> video) {
    TrackDrawing drawing = readTrackDrawing(file);
    if (drawing.tracks.empty())
        throw Error(ErrorKind::Input, sentence("nothing is drawn in it"), withTilde(file),
                    sentence("Draw a track in the Studio, or leave tracks empty"));
    const SpreadTimes times = timesOnCanvas(drawing.canvas, video);
    if (video) {
        DrawingCanvas canvas = drawing.canvas;
        canvas.width = video->width;
        canvas.height = video->height;
        drawing = fittedTo(std::move(drawing), canvas);
    }
    std::vector<PointTrack> tracks;
    for (const DrawnTrack& track : drawing.tracks)
        tracks.push_back(sampledTrack(track, times));
    return tracks;
}

}  // namespace

std::vector<PointTrack> readTracks(const fs::path& file, std::optional<TrackedVideo> video) {
    requireMedium(file);
    if (drawingKind(file))
        return drawnTracks(file, video);
    std::string bytes = readTrackBytes(file);
    if (isNpy(bytes))
        return tracksOfArray(file, parseNpy(bytes, withTilde(file)));
    const json all = parseTracks(file, std::move(bytes));
    if (!all.is_array() || all.empty())
        refuseTracks(file, sentence("there is no list of tracks"));
    if (isPoint(all.front()))
        return {trackOf(file, all, 0)};
    requireFew(file, all.size());
    std::vector<PointTrack> tracks;
    for (std::size_t track = 0; track < all.size(); ++track)
        tracks.push_back(trackOf(file, all[track], track));
    return tracks;
}

void hideUnseen(std::vector<PointTrack>& tracks, const fs::path& visibility) {
    const NpyArray array = readVisibility(visibility);
    TrackExtent extent{.points = 0, .tracks = tracks.size()};
    for (const PointTrack& track : tracks)
        extent.points = std::max(extent.points, track.size());
    requireSightOf(extent, extentOfSight(array), visibility);
    for (std::size_t track = 0; track < extent.tracks; ++track)
        for (std::size_t index = 0; index < tracks[track].size(); ++index)
            tracks[track][index].seen = array.values[index * extent.tracks + track] != 0.0;
}

TrackExtent readVisibilityExtent(const fs::path& visibility) {
    return extentOfSight(readVisibility(visibility));
}

void requireSightOf(const TrackExtent& tracks, const TrackExtent& sight, const fs::path& visibility) {
    if (sight != tracks)
        throw Error(ErrorKind::Input,
                    sentence("it is of {} points of {} tracks, and tracks has {} points of {} tracks",
                             sight.points, sight.tracks, tracks.points, tracks.tracks),
                    withTilde(visibility), sentence("Give the file that belongs to tracks"));
}

}  // namespace meshreel
