// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/foreign_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/written_text.h"
#include "engine/media/video_reader.h"

namespace meshreel {
namespace {

using Words = std::vector<std::string_view>;

/// Settings of another program, recognised by words that it writes.
struct ForeignSettings {
    Sentence name;
    std::vector<Words> written;  ///< all words of one of these lists are there
    Sentence hint = {};          ///< what to do; empty: copy by hand
};

Sentence copyByHand() {
    return sentence("Write its prompt, size, frames, steps and seed into a project");
}

Sentence nameTheModel() {
    return sentence("Name the model in a project: pretrained_model_name_or_path: PATH");
}

// JSON and the parts of it that pictures and videos carry. The words are keys in quotation marks: within a
// text of another JSON file the second mark has a backslash before it.
std::vector<ForeignSettings> jsonSettings() {
    return {
        // One form has nodes by number (what its server takes), the other what its editor saves.
        {sentence("a ComfyUI workflow"), {{"\"class_type\""}, {"\"nodes\"", "\"widgets_values\""}}},
        {sentence("an InvokeAI workflow"),
         {{"\"invokeai_metadata\""}, {"\"app_version\"", "\"generation_mode\""}, {"\"nodes\"", "\"edges\""}}},
        {sentence("settings of SwarmUI"), {{"\"sui_image_params\""}}},
        {sentence("settings of Wan2GP"),
         {{"\"settings_version\"", "\"video_length\""}, {"\"WanGP"}, {"\"image_prompt_type\""}}},
        {sentence("settings of Draw Things"), {{"\"guidanceScale\"", "\"seedMode\""}}},
        {sentence("a config of LightX2V"), {{"\"infer_steps\"", "\"target_video_length\""}}},
        {sentence("a description of a model"),
         {{"\"_diffusers_version\""}, {"\"model_type\"", "\"architectures\""}, {"\"weight_map\""}},
         nameTheModel()},
        {sentence("a Jupyter notebook"), {{"\"nbformat\""}}},
    };
}

// Command lines and scripts. In a project each of their lines would begin with a key.
std::vector<ForeignSettings> commandSettings() {
    return {
        {sentence("a command line of stable-diffusion.cpp"),
         {{"vid_gen"}, {"--diffusion-model"}, {"sd-cli"}}},
        {sentence("a command line of Wan's generate.py"),
         {{"generate.py", "--ckpt_dir"}, {"generate.py", "--task"}}},
        {sentence("a command line of musubi-tuner"), {{"wan_generate_video.py"}}},
        {sentence("a command line of LightX2V"), {{"lightx2v.infer"}}},
        {sentence("a command line of Wan2GP"), {{"wgp.py"}}},
    };
}

// What image programs write below a prompt.
std::vector<ForeignSettings> plainSettings() {
    return {{sentence("settings of Stable Diffusion WebUI"), {{"Steps: ", "Sampler: ", "Seed: "}}}};
}

/// What the first bytes of a file say it is.
struct Format {
    std::string_view start;  ///< a question mark matches any byte
    enum class Kind { Picture, Video, Weights, Archive, Document } kind;
};

using namespace std::string_view_literals;

constexpr auto formats = std::to_array<Format>({
    {"\x89PNG\r\n\x1a\n"sv, Format::Kind::Picture},
    {"\xff\xd8\xff"sv, Format::Kind::Picture},
    {"GIF8"sv, Format::Kind::Picture},
    {"RIFF????WEBP"sv, Format::Kind::Picture},
    {"II*\0"sv, Format::Kind::Picture},
    {"MM\0*"sv, Format::Kind::Picture},
    {"\0\0\0?ftyp"sv, Format::Kind::Video},
    {"\x1a\x45\xdf\xa3"sv, Format::Kind::Video},  // Matroska and WebM
    {"RIFF????AVI "sv, Format::Kind::Video},
    {"OggS"sv, Format::Kind::Video},
    {"GGUF"sv, Format::Kind::Weights},
    {"?????\0\0\0{\""sv, Format::Kind::Weights},  // safetensors: the length of its header, then the header
    {"PK\x03\x04"sv, Format::Kind::Archive},
    {"\x1f\x8b"sv, Format::Kind::Archive},
    {"7z\xbc\xaf\x27\x1c"sv, Format::Kind::Archive},
    {"%PDF"sv, Format::Kind::Document},
});

constexpr std::size_t textBytes = 1U << 20;  ///< the most that a project has
constexpr std::size_t pictureBytes = 16U
                                     << 20;  ///< notes stand before the pixels, or at the end of small ones

bool hasWord(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

bool isWrittenIn(std::string_view text, const ForeignSettings& settings) {
    return std::ranges::any_of(settings.written, [text](const Words& words) {
        return std::ranges::all_of(words, [text](std::string_view word) { return hasWord(text, word); });
    });
}

const ForeignSettings* findSettings(std::string_view text, const std::vector<ForeignSettings>& rows) {
    const auto found = std::ranges::find_if(rows, [text](const auto& row) { return isWrittenIn(text, row); });
    return found == rows.end() ? nullptr : &*found;
}

Problem foreignProblem(Sentence message, Sentence hint) {
    return {.id = "file-of-another-program", .message = std::move(message), .fixes = byHand(std::move(hint))};
}

Problem settingsProblem(const ForeignSettings& settings) {
    return foreignProblem(
        sentence("This is {}. Meshreel reads projects and configs of MaxDiffusion", settings.name),
        settings.hint.empty() ? copyByHand() : settings.hint);
}

/// Without a byte order mark, spaces and empty lines before it.
std::string_view withoutStart(std::string_view text) {
    text = withoutByteOrderMark(text);
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

/// Lines that say something: not empty, no comments.
std::vector<std::string_view> meaningfulLines(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (const std::size_t start = line.find_first_not_of(" \t\r"); start != std::string_view::npos)
            if (line[start] != '#')
                lines.push_back(line);
        begin = end + 1;
    }
    return lines;
}

/// "key: value" or "key:", as every project begins.
bool isKeyLine(std::string_view line) {
    const std::size_t colon = line.find(':');
    return colon != std::string_view::npos && line.find_first_of(" \t") > colon &&
           (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\r');
}

bool isPythonLine(std::string_view line) {
    return line.starts_with("import ") || (line.starts_with("from ") && hasWord(line, " import "));
}

std::string readBeginning(const std::filesystem::path& file, std::size_t most) {
    const int descriptor = openUnlessPipe(file, O_RDONLY);
    if (descriptor < 0)
        return {};
    std::string bytes(most, '\0');
    std::size_t size = 0;
    while (size < most) {
        const ssize_t got = ::read(descriptor, bytes.data() + size, most - size);
        if (got <= 0)
            break;
        size += static_cast<std::size_t>(got);
    }
    ::close(descriptor);
    bytes.resize(size);
    return bytes;
}

std::optional<Format::Kind> formatOf(std::string_view start) {
    const auto found = std::ranges::find_if(formats, [start](const Format& format) {
        return start.size() >= format.start.size() &&
               std::ranges::equal(start.substr(0, format.start.size()), format.start,
                                  [](char byte, char wanted) { return wanted == '?' || byte == wanted; });
    });
    return found == formats.end() ? std::nullopt : std::optional(found->kind);
}

/// Everything that a video's container says of itself.
std::string metadataOf(const std::filesystem::path& video) {
    std::string all;
    try {
        for (const auto& [key, value] : probeVideo(video).metadata)
            all += "\"" + key + "\" " + value + '\n';
    } catch (const Error&) {
        return {};  // a damaged one says nothing
    }
    return all;
}

const ForeignSettings* settingsIn(std::string_view notes) {
    static const std::vector<ForeignSettings> json = jsonSettings();
    static const std::vector<ForeignSettings> plain = plainSettings();
    const ForeignSettings* found = findSettings(notes, json);
    return found != nullptr ? found : findSettings(notes, plain);
}

Problem mediaProblem(const std::filesystem::path& media, const Sentence& kind) {
    try {
        static_cast<void>(readProjectFromMedia(media));
        return foreignProblem(sentence("This is {} that holds its project, and not the project itself", kind),
                              sentence("meshreel inspect FILE prints it in a terminal"));
    } catch (const Error&) {
        const Sentence settings = foreignSettingsIn(media);
        if (!settings.empty())
            return foreignProblem(
                sentence("This is {} that holds {}. Meshreel reads projects and configs of MaxDiffusion",
                         kind, settings),
                copyByHand());
        return foreignProblem(sentence("This is {}, and no project is stored in it", kind),
                              sentence("Name it in a project, as image or video"));
    }
}

}  // namespace

std::optional<Problem> foreignTextProblem(std::string_view text) {
    static const std::vector<ForeignSettings> json = jsonSettings();
    static const std::vector<ForeignSettings> commands = commandSettings();
    static const std::vector<ForeignSettings> plain = plainSettings();
    text = withoutStart(text.substr(0, textBytes));
    if (text.starts_with('{') || text.starts_with('[')) {
        const ForeignSettings* found = findSettings(text, json);
        return found != nullptr ? std::optional(settingsProblem(*found)) : std::nullopt;
    }
    if (text.starts_with('<'))
        return foreignProblem(sentence("This is a web page"),
                              sentence("Download the file itself, not the page that shows it"));
    const std::vector<std::string_view> lines = meaningfulLines(text);
    if (lines.empty() || isKeyLine(lines.front()))
        return std::nullopt;
    if (const ForeignSettings* found = findSettings(text, commands))
        return settingsProblem(*found);
    if (std::ranges::any_of(lines, isPythonLine))
        return settingsProblem({sentence("a Python script"), {}});
    if (text.starts_with("#!"))
        return settingsProblem({sentence("a script"), {}});
    const ForeignSettings* found = findSettings(text, plain);
    return found != nullptr ? std::optional(settingsProblem(*found)) : std::nullopt;
}

Sentence foreignSettingsIn(const std::filesystem::path& media) {
    const std::string start = readBeginning(media, pictureBytes);
    const ForeignSettings* found = formatOf(start) == Format::Kind::Picture ? settingsIn(start) : nullptr;
    if (found == nullptr)
        found = settingsIn(metadataOf(media));
    return found != nullptr ? found->name : Sentence();
}

std::optional<Problem> foreignFileProblem(const std::filesystem::path& file) {
    const std::string start = readBeginning(file, textBytes);
    const std::optional<Format::Kind> format = formatOf(start);
    if (!format)
        return foreignTextProblem(start);
    switch (*format) {
        case Format::Kind::Picture:
            return mediaProblem(file, sentence("a picture"));
        case Format::Kind::Video:
            return mediaProblem(file, sentence("a video"));
        case Format::Kind::Weights:
            return foreignProblem(sentence("These are weights of a model"), nameTheModel());
        case Format::Kind::Archive:
            return foreignProblem(sentence("This is an archive"),
                                  sentence("Unpack it and choose the project in it"));
        case Format::Kind::Document:
            break;
    }
    return foreignProblem(sentence("This is a document, not a project"),
                          sentence("Choose a project file (.yaml)"));
}

}  // namespace meshreel
