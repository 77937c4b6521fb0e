// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/serve/web_exchange.h"

namespace meshreel {

/// A field of a request for a video and the key of a project that has its value.
struct VideoField {
    std::string_view field;
    std::string_view key;
};

/// The fields that are a key each, as clients of OpenAI, vLLM-omni and SGLang send them. Beside them are
/// those that readVideoOrder() names.
std::span<const VideoField> videoFields();

/// The fields that bring a file, and the key that has it: input_reference and the like.
std::span<const VideoField> referenceFields();

/// A file that a request holds in its text ("data:image/png;base64,…").
struct InlineFile {
    std::string key;        ///< of the project
    std::string extension;  ///< ".png"; empty for an unknown type
    std::string bytes;
};

/// What a request for a video asks.
struct VideoOrder {
    KeyChanges changes;  ///< in the order in which they are set
    std::vector<InlineFile> files;
};

/// Returns the members of a JSON object as texts: strings as they are, anything else as JSON. Null is as if
/// it were not there. Throws Error{Input} for what parseJsonObject() refuses.
WebFields fieldsOfJson(std::string_view text);

/// Reads the fields of a request: videoFields(), and
/// - size "WxH", seconds (to the nearest legal number of frames)
/// - referenceFields(): a data URL, or an object with one as image_url, video_url or audio_url, which may be
/// an
///   object with it as `url`
/// - lora: a list of objects with `file` or `name` or `path`, and `strength` or `scale`; or one of them
/// - extra_params: an object of keys of a project; those of inputs have a data URL, or a list of some
/// - n, num_outputs_per_prompt: 1; enable_frame_interpolation, enable_upscaling, enable_teacache,
///   generate_sound: false; user and the settings of frame interpolation: passed over.
/// Throws ProjectError with a problem for each field that is unknown or has another value, its place naming
/// the field. Nothing is read from a file or fetched: addresses and paths are problems.
VideoOrder readVideoOrder(const WebFields& fields);

/// How a request may set a key of a project. It follows from what the value names (findAccess(),
/// inputKeys()).
enum class KeyFromNetwork : std::uint8_t {
    Value,      ///< to any legal value: it names no file
    Installed,  ///< to the name of what is installed here
    Upload,     ///< to files that come with the request
    Word,       ///< to the word that stands in place of a file (finishWord())
    Refused,    ///< not at all
};

KeyFromNetwork findNetworkRule(const ProjectKey& key);

/// Files that came with a request, by the name under which a project has them.
using NamedUploads = std::map<std::string, std::filesystem::path, std::less<>>;

/// Returns a project that came over the network, as it is run here: its inputs are the uploads that it names.
/// Throws ProjectError for every value that findNetworkRule() does not allow, as it would read, copy or start
/// something else on this machine.
Project projectFromNetwork(Project project, const NamedUploads& uploads);

}  // namespace meshreel
