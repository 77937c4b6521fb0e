// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/video_order.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/catalogue/model_library.h"
#include "engine/models/finish/finish_names.h"
#include "engine/project/clip_length.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"

namespace meshreel {
namespace {

constexpr std::string_view modelKey = "pretrained_model_name_or_path";
constexpr std::string_view adaptersKey = "lora";

// vLLM-omni: guidance_scale is that of the low-noise expert and, alone, of both; guidance_scale_2 that of the
// high-noise one.
constexpr std::array fieldTable{VideoField{"model", modelKey},
                                VideoField{"prompt", "prompt"},
                                VideoField{"negative_prompt", "negative_prompt"},
                                VideoField{"width", "width"},
                                VideoField{"height", "height"},
                                VideoField{"fps", "fps"},
                                VideoField{"num_frames", "num_frames"},
                                VideoField{"num_inference_steps", "num_inference_steps"},
                                VideoField{"guidance_scale", "guidance_scale"},
                                VideoField{"guidance_scale_2", "guidance_scale_high"},
                                VideoField{"boundary_ratio", "boundary_ratio"},
                                VideoField{"flow_shift", "flow_shift"},
                                VideoField{"seed", "seed"}};

constexpr std::array referenceTable{
    VideoField{"input_reference", "image"}, VideoField{"image_reference", "image"},
    VideoField{"reference_url", "image"}, VideoField{"video_reference", "video"},
    VideoField{"audio_reference", "audio"}};

constexpr std::string_view dataScheme = "data:";
constexpr std::size_t mostInlineFiles = 32;  ///< as many as of a form

/// Who asks, and settings of what this server does not do and clients may not switch on.
constexpr std::array passedOver{std::string_view("user"), std::string_view("frame_interpolation_exp"),
                                std::string_view("frame_interpolation_scale")};

Problem fieldProblem(std::string_view field, Sentence message, Sentence cure = {}) {
    Problem problem{.message = std::move(message), .fixes = byHand(std::move(cure))};
    problem.place.file = wellFormedUtf8(field.substr(0, 80));
    return problem;
}

std::string textOf(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<double> decimalNumber(std::string_view text) {
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isNumber = failure == std::errc() && end == text.data() + text.size();
    return isNumber && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// Reads the fields of one request.
class OrderReader {
  public:
    explicit OrderReader(const WebFields& fields) : m_fields(fields) {}

    VideoOrder read() {
        if (const auto keys = m_fields.find("extra_params"); keys != m_fields.end())
            readKeys(keys->second);  // fields of their own win over them
        for (const auto& [field, value] : m_fields)
            readField(field, value);
        readSeconds();
        if (!m_problems.empty())
            throw ProjectError(std::move(m_problems));
        std::ranges::stable_partition(m_order.changes, [](const KeyChange& change) {
            return decidesDefaults(*findProjectKey(change.key));
        });
        return std::move(m_order);
    }

  private:
    using Read = void (OrderReader::*)(const std::string& field, const std::string& value);
    struct Row {
        std::string_view field;
        Read read;
    };

    void readField(const std::string& field, const std::string& value) {
        constexpr std::array rows{Row{"size", &OrderReader::readSize},
                                  Row{"lora", &OrderReader::readAdapters},
                                  Row{"n", &OrderReader::readCount},
                                  Row{"num_outputs_per_prompt", &OrderReader::readCount},
                                  Row{"enable_frame_interpolation", &OrderReader::readSwitch},
                                  Row{"enable_upscaling", &OrderReader::readSwitch},
                                  Row{"enable_teacache", &OrderReader::readSwitch},
                                  Row{"generate_sound", &OrderReader::readSwitch}};
        // OpenAI's clients send an object in a form member by member: "input_reference[image_url]".
        const std::string_view outer = std::string_view(field).substr(0, field.find("[image_url]"));
        const auto plain = std::ranges::find(fieldTable, field, &VideoField::field);
        const auto reference = std::ranges::find(referenceTable, outer, &VideoField::field);
        const auto row = std::ranges::find(rows, field, &Row::field);
        if (plain != fieldTable.end())
            change(plain->key, value);
        else if (reference != referenceTable.end())
            readReference(field, reference->key, value);
        else if (row != rows.end())
            (this->*row->read)(field, value);
        else if (field != "extra_params" && field != "seconds" &&
                 std::ranges::find(passedOver, field) == passedOver.end())
            report(field, sentence("This server knows no field of this name"),
                   sentence("Keys of a project go into extra_params"));
    }

    void readSize(const std::string& field, const std::string& value) {
        const std::size_t cross = value.find('x');
        if (cross == std::string::npos || value.find_first_not_of("0123456789x") != std::string::npos)
            return report(field, sentence("It is no size"), sentence("Write it as 832x480"));
        change("width", value.substr(0, cross));
        change("height", value.substr(cross + 1));
    }

    /// The rate may come in any field, so this is read last.
    void readSeconds() {
        const auto field = m_fields.find("seconds");
        if (field == m_fields.end())
            return;
        constexpr double longest = 3600;
        const std::optional<double> seconds = decimalNumber(field->second);
        if (!seconds || *seconds <= 0 || *seconds > longest)
            return report("seconds", sentence("It is no length in seconds"), sentence("Write it as \"4\""));
        if (m_fields.contains("num_frames"))
            return report("seconds", sentence("num_frames says how long the video is as well"),
                          sentence("Send one of the two"));
        double fps = Project().fps;
        for (const KeyChange& each : m_order.changes)
            if (each.key == "fps")
                fps = decimalNumber(each.value).value_or(fps);
        change("num_frames", std::to_string(framesOfSeconds(*seconds, fps)));
    }

    void readReference(const std::string& field, std::string_view key, const std::string& value) {
        std::string address = value;
        if (value.starts_with('{')) {
            const nlohmann::json json = objectOf(field, value);
            address.clear();
            for (const char* name : {"image_url", "video_url", "audio_url"})
                if (const auto found = json.find(name); found != json.end())
                    address = textOf(found->is_object() ? found->value("url", nlohmann::json("")) : *found);
        }
        takeInline(field, key, address);
    }

    void takeInline(std::string_view field, std::string_view key, std::string_view address) {
        constexpr std::string_view encoding = ";base64,";
        const std::size_t begin = address.find(encoding);
        if (!address.starts_with(dataScheme) || begin == std::string_view::npos)
            return report(field, sentence("It is no file: this server fetches nothing and opens no path"),
                          sentence("Send the file with the form, or as data:TYPE;base64,…"));
        std::optional<std::string> bytes = decodeBase64(address.substr(begin + encoding.size()));
        if (!bytes || bytes->empty())
            return report(field, sentence("Its base64 is malformed"), {});
        if (m_order.files.size() == mostInlineFiles)
            return report(field, sentence("A request brings up to {} files", mostInlineFiles), {});
        const std::string_view type = address.substr(dataScheme.size(), begin - dataScheme.size());
        m_order.files.push_back({.key = std::string(key),
                                 .extension = std::string(extensionOf(type)),
                                 .bytes = std::move(*bytes)});
    }

    void readAdapters(const std::string& field, const std::string& value) {
        nlohmann::json list;
        try {
            list = parseJsonObject("{\"list\":" + value + "}", field).at("list");
        } catch (const Error& failure) {
            return report(field, failure.message(), {});
        }
        if (list.is_object())
            list = nlohmann::json::array({list});
        LoraList adapters;
        for (const nlohmann::json& each : list) {
            const nlohmann::json* const file = firstOf(each, {"file", "name", "path"});
            const nlohmann::json* const strength = firstOf(each, {"strength", "scale"});
            const std::optional<double> number =
                strength == nullptr ? std::optional(1.0) : decimalNumber(textOf(*strength));
            if (file == nullptr || !file->is_string() || !number)
                return report(
                    field, sentence("It is no list of adapters"),
                    sentence("Write it as [{{\"file\": \"name.safetensors\", \"strength\": 0.8}}]"));
            adapters.push_back({.file = file->get<std::string>(), .strength = *number});
        }
        change(adaptersKey, loraText(adapters));
    }

    void readCount(const std::string& field, const std::string& value) {
        if (value != "1")
            report(field, sentence("A request makes one video"), sentence("Send one for each video"));
    }

    void readSwitch(const std::string& field, const std::string& value) {
        if (value != "false" && value != "0")
            report(field, sentence("This server does not do that"), cureOfSwitch(field));
    }

    static Sentence cureOfSwitch(std::string_view field) {
        if (field == "enable_frame_interpolation")
            return sentence(
                "Leave it out; the keys interpolate and interpolator in extra_params ask for frames");
        if (field == "enable_upscaling")
            return sentence(
                "Leave it out; the keys upscale and upscaler in extra_params ask for a larger video");
        return sentence("Leave it out");
    }

    void readKeys(const std::string& value) {
        constexpr const char* field = "extra_params";
        const nlohmann::json keys = objectOf(field, value);
        for (const auto& [name, member] : keys.items())
            if (findProjectKey(name) == nullptr)
                report(field, sentence("There is no key \"{:.80}\"", name),
                       sentence("GET /meshreel/v1/capabilities lists them"));
            else if (!takeInlineFiles(field, name, member))
                change(name, textOf(member));
    }

    /// Returns false for a value that holds no file: the name of one, or what is no input.
    bool takeInlineFiles(std::string_view field, const std::string& name, const nlohmann::json& member) {
        const auto isData = [](const nlohmann::json& each) {
            return each.is_string() && each.get_ref<const std::string&>().starts_with(dataScheme);
        };
        const bool isList = member.is_array() && std::ranges::any_of(member, isData);
        if (findInputKey(name) == nullptr || (!isList && !isData(member)))
            return false;
        for (const nlohmann::json& each : isList ? member : nlohmann::json::array({member}))
            takeInline(field, name, textOf(each));
        return true;
    }

    /// An empty object, and a problem, where it is none.
    nlohmann::json objectOf(const std::string& field, const std::string& value) {
        try {
            return parseJsonObject(value, field);
        } catch (const Error& failure) {
            report(field, failure.message(), {});
            return nlohmann::json::object();
        }
    }

    /// Null where it has none of them, or is no object.
    static const nlohmann::json* firstOf(const nlohmann::json& object,
                                         std::initializer_list<const char*> names) {
        if (object.is_object())
            for (const char* name : names)
                if (const auto found = object.find(name); found != object.end())
                    return &*found;
        return nullptr;
    }

    /// Of a media type; empty for others, whose files are known by their content.
    static std::string_view extensionOf(std::string_view type) {
        constexpr std::array rows{std::pair{std::string_view("image/png"), std::string_view(".png")},
                                  std::pair{std::string_view("image/jpeg"), std::string_view(".jpg")},
                                  std::pair{std::string_view("image/webp"), std::string_view(".webp")},
                                  std::pair{std::string_view("video/mp4"), std::string_view(".mp4")},
                                  std::pair{std::string_view("video/webm"), std::string_view(".webm")},
                                  std::pair{std::string_view("audio/wav"), std::string_view(".wav")},
                                  std::pair{std::string_view("audio/mpeg"), std::string_view(".mp3")}};
        for (const auto& [name, extension] : rows)
            if (name == type)
                return extension;
        return {};
    }

    void change(std::string_view key, std::string value) {
        m_order.changes.push_back({.key = std::string(key), .value = std::move(value)});
    }

    void report(std::string_view field, Sentence message, Sentence cure) {
        m_problems.push_back(fieldProblem(field, std::move(message), std::move(cure)));
    }

    const WebFields& m_fields;
    VideoOrder m_order;
    std::vector<Problem> m_problems;
};

// What a project from the network may name.

Problem foreignValue(const ProjectKey& key, Sentence cure) {
    Problem problem{.message = sentence("{} names something that did not come with the request", key.name),
                    .fixes = byHand(std::move(cure))};
    return atKey(key.name, std::move(problem));
}

bool isInstalledModel(const std::string& name) {
    return std::ranges::any_of(installedModels(),
                               [&name](const ModelInfo& model) { return model.name == name; });
}

/// Returns the file of an adapter that a bare name means in the models folders.
std::optional<std::string> installedAdapter(const std::string& name) {
    const std::filesystem::path path = name;
    if (name.empty() || name.front() == '~' || path.has_parent_path() || name == "." || name == "..")
        return std::nullopt;
    for (const std::filesystem::path& folder : modelFolders())
        if (isFile(folder / "loras" / name))
            return (folder / "loras" / name).string();
    return std::nullopt;
}

/// Puts the files that came with the request in place of the names that the project has for them.
std::optional<Problem> takeUploads(Project& project, const ProjectKey& key, const NamedUploads& uploads) {
    const InputKey& input = *findInputKey(key.name);
    std::vector<std::string> files = inputFiles(project, input);
    for (std::string& file : files) {
        const auto upload = uploads.find(file);
        if (upload == uploads.end())
            return foreignValue(key, sentence("Send the file with the form, and name it as the form does"));
        file = upload->second.string();
    }
    if (!files.empty())
        setInputFiles(project, input, files);
    return std::nullopt;
}

/// Of a model and of adapters.
std::optional<Problem> takeInstalled(Project& project, const ProjectKey& key) {
    if (key.name == modelKey)
        return isInstalledModel(project.model)
                   ? std::nullopt
                   : std::optional(
                         atKey(key.name, Problem{.message = sentence("this server has no model of this name"),
                                                 .fixes = byHand(sentence("GET /v1/models lists them"))}));
    for (LoraChoice& adapter : project.lora) {
        const std::optional<std::string> file = installedAdapter(adapter.file);
        if (!file)
            return foreignValue(key, sentence("Name an adapter in the folder loras of the server's models"));
        adapter.file = *file;
    }
    return std::nullopt;
}

std::optional<Problem> refuseForeign(Project& project, const ProjectKey& key, const NamedUploads& uploads) {
    switch (findNetworkRule(key)) {
        case KeyFromNetwork::Value:
            return std::nullopt;
        case KeyFromNetwork::Installed:
            return takeInstalled(project, key);
        case KeyFromNetwork::Upload:
            return takeUploads(project, key, uploads);
        case KeyFromNetwork::Word:
            if (isDefault(project, key) || valueText(project, key) == finishWord(key.name))
                return std::nullopt;
            return foreignValue(key, sentence("Write {}, or leave it out", finishWord(key.name)));
        case KeyFromNetwork::Refused:
            break;
    }
    return isDefault(project, key) ? std::nullopt
                                   : std::optional(foreignValue(key, sentence("Leave it out")));
}

}  // namespace

std::span<const VideoField> videoFields() {
    return fieldTable;
}

std::span<const VideoField> referenceFields() {
    return referenceTable;
}

WebFields fieldsOfJson(std::string_view text) {
    const nlohmann::json json = parseJsonObject(text, "the request");
    WebFields fields;
    for (const auto& [name, value] : json.items())
        if (!value.is_null())
            fields[name] = textOf(value);
    return fields;
}

VideoOrder readVideoOrder(const WebFields& fields) {
    return OrderReader(fields).read();
}

KeyFromNetwork findNetworkRule(const ProjectKey& key) {
    if (findAccess(key) == KeyAccess::Nothing)
        return KeyFromNetwork::Value;
    if (key.name == modelKey || key.name == adaptersKey)
        return KeyFromNetwork::Installed;
    if (!finishWord(key.name).empty())
        return KeyFromNetwork::Word;
    return findInputKey(key.name) != nullptr ? KeyFromNetwork::Upload : KeyFromNetwork::Refused;
}

Project projectFromNetwork(Project project, const NamedUploads& uploads) {
    std::vector<Problem> problems;
    for (const ProjectKey& key : projectKeys())
        if (std::optional<Problem> problem = refuseForeign(project, key, uploads))
            problems.push_back(std::move(*problem));
    if (!problems.empty())
        throw ProjectError(std::move(problems));
    return project;
}

}  // namespace meshreel
