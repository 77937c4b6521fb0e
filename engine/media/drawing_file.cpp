// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/drawing_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/media/drawing.h"

namespace meshreel {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t drawingVersion = 1;
constexpr std::string_view kindName = "meshreel_drawing";  // first in the file, so that its beginning tells
constexpr std::size_t beginningBytes = 4096;

// Far above what is drawn, and such that nothing overflows or takes minutes.
constexpr double farthestPixel = 1'000'000;
constexpr double widestSide = 16'384;
constexpr double mostFrames = 1'000'000;
constexpr double mostRate = 1'000;
constexpr std::size_t mostPoints = 20'000;
constexpr std::size_t mostKeyframes = 10'000;

struct DrawingKindRow {
    DrawingKind kind;
    std::string_view name;
    std::string_view list;
    std::string_view ending;
    std::string_view key;  ///< of the project, that takes it
};

constexpr std::array drawingKinds{
    DrawingKindRow{DrawingKind::Mask, "mask", "shapes", ".mask.json", "mask"},
    DrawingKindRow{DrawingKind::Tracks, "tracks", "tracks", ".tracks.json", "tracks"}};

const DrawingKindRow& rowOfKind(DrawingKind kind) {
    return drawingKinds.at(static_cast<std::size_t>(kind));
}

[[noreturn]] void refuseDrawing(const std::string& where, Sentence message) {
    throw Error(ErrorKind::Input, std::move(message), where,
                sentence("Mend the file, or draw it again in the Studio"));
}

/// A JSON object of a drawing, its values asked for one by one. `place` is what messages call it.
class DrawnObject {
  public:
    DrawnObject(const json& value, Sentence place, const std::string& where)
        : m_value(value), m_place(std::move(place)), m_where(where) {
        if (!value.is_object())
            refuseDrawing(m_where, sentence("{} has no names and values", m_place));
    }

    [[nodiscard]] double number(const char* name, double least, double most,
                                std::optional<double> standard = std::nullopt) {
        const json* found = find(name, standard.has_value());
        if (found == nullptr)
            return *standard;
        const double value = found->is_number() ? found->get<double>() : std::nan("");
        if (!(value >= least && value <= most))
            refuseDrawing(m_where,
                          sentence("{}: \"{}\" is no number from {} to {}", m_place, name, least, most));
        return value;
    }

    [[nodiscard]] std::int64_t whole(const char* name, double least, double most) {
        const double value = number(name, least, most);
        if (value != std::floor(value))
            refuseDrawing(m_where, sentence("{}: \"{}\" is no whole number", m_place, name));
        return static_cast<std::int64_t>(value);
    }

    [[nodiscard]] bool flag(const char* name) {
        const json* found = find(name, true);
        if (found != nullptr && !found->is_boolean())
            refuseDrawing(m_where, sentence("{}: \"{}\" is neither true nor false", m_place, name));
        return found != nullptr && found->get<bool>();
    }

    /// The row of a table that the value names; `standard` is that of no value.
    template <typename Rows>
    [[nodiscard]] auto row(const char* name, const Rows& rows,
                           std::optional<std::size_t> standard = std::nullopt) {
        const json* found = find(name, standard.has_value());
        if (found == nullptr)
            return rows[*standard];
        for (const auto& each : rows)
            if (found->is_string() && found->get<std::string>() == each.name)
                return each;
        std::vector<Sentence> names;
        for (const auto& each : rows)
            names.emplace_back(each.name);
        refuseDrawing(m_where, sentence("{}: \"{}\" is none of {}", m_place, name, commaList(names)));
    }

    [[nodiscard]] const json& list(const char* name, std::size_t fewest, std::size_t most) {
        const json& found = *find(name, false);
        if (!found.is_array() || found.size() < fewest || found.size() > most)
            refuseDrawing(m_where,
                          sentence("{}: \"{}\" is no list of {} to {}", m_place, name, fewest, most));
        return found;
    }

    [[nodiscard]] std::vector<DrawnPoint> points(std::size_t fewest, std::size_t most) {
        std::vector<DrawnPoint> points;
        for (const json& point : list("points", fewest, most)) {
            const bool isPlace =
                point.is_array() && point.size() == 2 && isNear(point[0]) && isNear(point[1]);
            if (!isPlace)
                refuseDrawing(m_where, sentence("{}: point {} is no place of two numbers, [x, y]", m_place,
                                                points.size() + 1));
            points.push_back({point[0].get<double>(), point[1].get<double>()});
        }
        return points;
    }

    /// Throws for a value that nobody asked for.
    void end() const {
        for (const auto& [name, value] : m_value.items())
            if (!m_asked.contains(name))
                refuseDrawing(m_where, sentence("{}: drawings have no \"{:.80}\"", m_place, name));
    }

  private:
    static bool isNear(const json& value) {
        return value.is_number() && std::abs(value.get<double>()) <= farthestPixel;
    }

    [[nodiscard]] const json* find(const char* name, bool mayLack) {
        m_asked.insert(name);
        const auto found = m_value.find(name);
        if (found != m_value.end())
            return &*found;
        if (!mayLack)
            refuseDrawing(m_where, sentence("{}: \"{}\" is missing", m_place, name));
        return nullptr;
    }

    const json& m_value;
    Sentence m_place;
    const std::string& m_where;
    std::set<std::string, std::less<>> m_asked;
};

/// Keyframes in the order of their frames, as `read` makes them of an object.
template <typename Key, typename Read>
std::vector<Key> readKeys(const json& list, const std::string& where, const Read& read) {
    std::vector<Key> keys;
    for (const json& value : list) {
        const auto [key, place] = read(value, keys.size() + 1);
        if (!keys.empty() && key.frame <= keys.back().frame)
            refuseDrawing(where, sentence("{}: its frame is not behind the one before", place));
        keys.push_back(key);
    }
    return keys;
}

MaskShape readShape(const json& value, std::size_t number, const std::string& where) {
    DrawnObject object(value, sentence("shape {}", number), where);
    MaskShape shape;
    const MaskShapeRow row = object.row("kind", maskShapes());
    shape.kind = row.kind;
    shape.points = object.points(row.fewest, row.most == 0 ? mostPoints : row.most);
    if (shape.kind == MaskShapeKind::Stroke)
        shape.radius = object.number("radius", 0.0, farthestPixel);
    shape.softness = object.number("softness", 0.0, farthestPixel, 0.0);
    shape.cuts = object.flag("cuts");
    const auto readPose = [&](const json& pose, std::size_t keyframe) {
        constexpr double least = 1 / largestScale;
        Sentence place = sentence("shape {}, keyframe {}", number, keyframe);
        DrawnObject key(pose, place, where);
        const MaskPose read{.frame = key.whole("frame", 0, mostFrames),
                            .x = key.number("x", -farthestPixel, farthestPixel, 0.0),
                            .y = key.number("y", -farthestPixel, farthestPixel, 0.0),
                            .width = key.number("width", least, largestScale, 1.0),
                            .height = key.number("height", least, largestScale, 1.0),
                            .strength = key.number("strength", 0, 1, 1.0),
                            .easing = key.row("easing", easings(), 0).easing};
        key.end();
        return std::pair(read, std::move(place));
    };
    shape.poses = readKeys<MaskPose>(object.list("keyframes", 1, mostKeyframes), where, readPose);
    object.end();
    return shape;
}

DrawnTrack readTrack(const json& value, std::size_t number, const std::string& where) {
    DrawnObject object(value, sentence("track {}", number), where);
    DrawnTrack track{.smooth = object.flag("smooth"), .leaves = object.flag("leaves"), .nodes = {}};
    const auto readNode = [&](const json& node, std::size_t keyframe) {
        Sentence place = sentence("track {}, keyframe {}", number, keyframe);
        DrawnObject key(node, place, where);
        const TrackNode read{.frame = key.whole("frame", 0, mostFrames),
                             .x = key.number("x", -farthestPixel, farthestPixel),
                             .y = key.number("y", -farthestPixel, farthestPixel),
                             .easing = key.row("easing", easings(), 0).easing};
        key.end();
        return std::pair(read, std::move(place));
    };
    track.nodes = readKeys<TrackNode>(object.list("keyframes", 1, mostKeyframes), where, readNode);
    object.end();
    return track;
}

/// What both kinds begin with. Asks for everything but the list, and what only one of them has.
DrawingCanvas readHead(DrawnObject& object, DrawingKind wanted, const std::string& where) {
    const DrawingKindRow found = object.row(kindName.data(), drawingKinds);
    if (object.whole("version", 1, mostFrames) > drawingVersion)
        refuseDrawing(where, sentence("a later version of Meshreel wrote it"));
    if (found.kind != wanted)
        throw Error(
            ErrorKind::Input,
            sentence("this drawing is of {}, and one of {} is wanted", found.name, rowOfKind(wanted).name),
            where, sentence("Name it at {}, or draw another one here", found.key));
    const DrawingCanvas canvas{.width = object.whole("width", 1, widestSide),
                               .height = object.whole("height", 1, widestSide),
                               .frames = object.whole("frames", 1, mostFrames),
                               .fps = object.number("fps", 1 / mostRate, mostRate)};
    constexpr std::uint64_t channels = 3;
    requireWithin(Limit::VideoFrame, static_cast<std::uint64_t>(canvas.width * canvas.height) * channels,
                  where);
    return canvas;
}

std::string textOf(const DrawingCanvas& canvas, DrawingKind kind, const ordered_json& more,
                   const std::vector<ordered_json>& items) {
    ordered_json head;
    head[std::string(kindName)] = rowOfKind(kind).name;
    head["version"] = drawingVersion;
    head["width"] = canvas.width;
    head["height"] = canvas.height;
    head["frames"] = canvas.frames;
    head["fps"] = canvas.fps;
    head.update(more);
    std::string text = "{\n";
    for (const auto& [name, value] : head.items())
        text += fmt::format("  {}: {},\n", ordered_json(name).dump(), value.dump());
    text += fmt::format("  \"{}\": [", rowOfKind(kind).list);
    for (std::size_t item = 0; item < items.size(); ++item)
        text += fmt::format("{}\n    {}", item == 0 ? "" : ",", items[item].dump());
    return text + (items.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace

std::optional<DrawingKind> drawingKind(const std::filesystem::path& file) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure))
        return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    std::string beginning(beginningBytes, '\0');
    in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(static_cast<std::size_t>(in.gcount()));
    const std::size_t first = beginning.find_first_not_of(" \t\r\n");
    const std::string quoted = fmt::format("\"{}\"", kindName);
    std::size_t at = beginning.find(quoted);
    if (first == std::string::npos || beginning[first] != '{' || at == std::string::npos)
        return std::nullopt;
    constexpr const char* blanks = " \t\r\n";
    at = beginning.find_first_not_of(blanks, at + quoted.size());
    if (at == std::string::npos || beginning[at] != ':')
        return std::nullopt;  // a text that mentions it
    at = beginning.find_first_not_of(blanks, at + 1);
    const std::string_view value = std::string_view(beginning).substr(std::min(at, beginning.size()));
    for (const DrawingKindRow& row : drawingKinds)
        if (value.starts_with(fmt::format("\"{}\"", row.name)))
            return row.kind;
    return DrawingKind::Mask;  // reading it tells what is wrong
}

namespace {

MaskDrawing maskOf(const json& text, const std::string& where) {
    DrawnObject object(text, sentence("the drawing"), where);
    MaskDrawing drawing{.canvas = readHead(object, DrawingKind::Mask, where),
                        .inverted = object.flag("inverted"),
                        .shapes = {}};
    for (const json& shape : object.list("shapes", 0, mostShapes))
        drawing.shapes.push_back(readShape(shape, drawing.shapes.size() + 1, where));
    object.end();
    return drawing;
}

TrackDrawing tracksOf(const json& text, const std::string& where) {
    DrawnObject object(text, sentence("the drawing"), where);
    TrackDrawing drawing{.canvas = readHead(object, DrawingKind::Tracks, where), .tracks = {}};
    for (const json& track : object.list("tracks", 0, mostTracks))
        drawing.tracks.push_back(readTrack(track, drawing.tracks.size() + 1, where));
    object.end();
    return drawing;
}

}  // namespace

MaskDrawing readMaskDrawing(const std::filesystem::path& file) {
    return maskOf(readJsonObject(file), file.string());
}

TrackDrawing readTrackDrawing(const std::filesystem::path& file) {
    return tracksOf(readJsonObject(file), file.string());
}

void requireDrawing(std::string_view text, DrawingKind kind, const std::string& where) {
    requireWithin(Limit::Json, text.size(), where);
    const json read = parseJsonObject(text, where);
    if (kind == DrawingKind::Mask)
        static_cast<void>(maskOf(read, where));
    else
        static_cast<void>(tracksOf(read, where));
}

std::string drawingText(const MaskDrawing& drawing) {
    std::vector<ordered_json> shapes;
    for (const MaskShape& shape : drawing.shapes) {
        ordered_json points = ordered_json::array();
        for (const DrawnPoint& point : shape.points)
            points.push_back(ordered_json::array({point.x, point.y}));
        ordered_json keyframes = ordered_json::array();
        for (const MaskPose& pose : shape.poses)
            keyframes.push_back({{"frame", pose.frame},
                                 {"x", pose.x},
                                 {"y", pose.y},
                                 {"width", pose.width},
                                 {"height", pose.height},
                                 {"strength", pose.strength},
                                 {"easing", easings()[static_cast<std::size_t>(pose.easing)].name}});
        ordered_json& text = shapes.emplace_back();
        text["kind"] = rowOf(shape.kind).name;
        text["points"] = std::move(points);
        if (shape.kind == MaskShapeKind::Stroke)
            text["radius"] = shape.radius;
        text["softness"] = shape.softness;
        text["cuts"] = shape.cuts;
        text["keyframes"] = std::move(keyframes);
    }
    return textOf(drawing.canvas, DrawingKind::Mask, {{"inverted", drawing.inverted}}, shapes);
}

std::string drawingText(const TrackDrawing& drawing) {
    std::vector<ordered_json> tracks;
    for (const DrawnTrack& track : drawing.tracks) {
        ordered_json keyframes = ordered_json::array();
        for (const TrackNode& node : track.nodes)
            keyframes.push_back({{"frame", node.frame},
                                 {"x", node.x},
                                 {"y", node.y},
                                 {"easing", easings()[static_cast<std::size_t>(node.easing)].name}});
        ordered_json& text = tracks.emplace_back();
        text["smooth"] = track.smooth;
        text["leaves"] = track.leaves;
        text["keyframes"] = std::move(keyframes);
    }
    return textOf(drawing.canvas, DrawingKind::Tracks, ordered_json::object(), tracks);
}

std::string_view drawingEnding(DrawingKind kind) {
    return rowOfKind(kind).ending;
}

}  // namespace meshreel
