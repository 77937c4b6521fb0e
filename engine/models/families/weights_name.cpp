// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/weights_name.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/strings.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// A piece of a name, as people see it: names are cut at everything but letters and digits, and where small
/// letters or digits end and a capital begins ("A14BHighNoise").
struct NamePiece {
    std::string text;        ///< in small letters
    bool capitals = false;   ///< all of it
    bool separated = false;  ///< by other characters than letters and digits, on both sides
};

/// How sure a spelling is, the surer the larger.
enum class Certainty : std::uint8_t {
    None,
    Letter,  ///< one or two lone capitals
    Word,    ///< "high", which may be about something else
    Noise,   ///< it names the noise, or is a folder of the released layout
};

/// Neighbouring pieces that name an expert.
struct ExpertSpelling {
    Expert expert;
    Certainty certainty;
    std::array<std::string_view, 2> pieces;  ///< in small letters; the second may be empty
};
constexpr std::array spellings = {
    ExpertSpelling{Expert::High, Certainty::Noise, {"high", "noise"}},
    ExpertSpelling{Expert::Low, Certainty::Noise, {"low", "noise"}},
    ExpertSpelling{Expert::High, Certainty::Noise, {"hi", "noise"}},
    ExpertSpelling{Expert::Low, Certainty::Noise, {"lo", "noise"}},
    ExpertSpelling{Expert::High, Certainty::Noise, {"noise", "high"}},
    ExpertSpelling{Expert::Low, Certainty::Noise, {"noise", "low"}},
    ExpertSpelling{Expert::High, Certainty::Noise, {"highnoise", ""}},
    ExpertSpelling{Expert::Low, Certainty::Noise, {"lownoise", ""}},
    ExpertSpelling{Expert::High, Certainty::Noise, {"hinoise", ""}},
    ExpertSpelling{Expert::Low, Certainty::Noise, {"lonoise", ""}},
    ExpertSpelling{Expert::High, Certainty::Word, {"high", ""}},
    ExpertSpelling{Expert::Low, Certainty::Word, {"low", ""}},
    ExpertSpelling{Expert::High, Certainty::Letter, {"hn", ""}},
    ExpertSpelling{Expert::Low, Certainty::Letter, {"ln", ""}},
    ExpertSpelling{Expert::High, Certainty::Letter, {"h", ""}},
    ExpertSpelling{Expert::Low, Certainty::Letter, {"l", ""}},
};

/// What makes "high" or "low" before it say something else.
constexpr auto otherMeanings = std::to_array<std::string_view>(
    {"angle",     "bit",        "bitrate",   "budget",   "cfg",      "compression", "contrast", "cost",
     "def",       "definition", "depth",     "detail",   "detailed", "details",     "dpi",      "dynamic",
     "end",       "energy",     "exposure",  "fantasy",  "fashion",  "fi",          "fidelity", "fps",
     "framerate", "freq",       "frequency", "gloss",    "heel",     "heels",       "hq",       "jump",
     "key",       "kick",       "latency",   "learning", "light",    "lighting",    "loss",     "lr",
     "mem",       "memory",     "motion",    "pass",     "poly",     "polygon",     "power",    "precision",
     "priority",  "quality",    "ram",       "rank",     "res",      "resolution",  "rise",     "saturation",
     "school",    "speed",      "step",      "steps",    "strength", "tech",        "tide",     "vram",
     "waist"});

/// What makes "high" or "low" behind it say something else.
constexpr auto otherSubjects = std::to_array<std::string_view>(
    {"angle", "cfg", "contrast", "detail", "details", "extra", "poly", "quality", "ram", "res", "resolution",
     "strength", "super", "too", "ultra", "very", "vram"});

/// What a lone capital behind it is about: a type of GGUF (Q3_K_L), the size of another network (ViT-H).
constexpr auto otherLetters =
    std::to_array<std::string_view>({"k", "t", "vit", "clip", "dino", "sam", "size"});

/// Chinese for high and low noise, which have no pieces.
constexpr std::string_view highInChinese = "\xE9\xAB\x98\xE5\x99\xAA";
constexpr std::string_view lowInChinese = "\xE4\xBD\x8E\xE5\x99\xAA";

/// Longer ones first: "ti2v" holds "i2v".
constexpr std::array<std::string_view, 5> taskLetters = {"flf2v", "ti2v", "t2v", "i2v", "s2v"};
constexpr std::array<std::string_view, 2> taskPieces = {"vace", "animate"};

/// In the diffusers layout.
constexpr std::string_view firstTransformer = "transformer";
constexpr std::string_view secondTransformer = "transformer_2";

bool isSmall(char letter) {
    return letter >= 'a' && letter <= 'z';
}
bool isCapital(char letter) {
    return letter >= 'A' && letter <= 'Z';
}
bool isNumeral(char letter) {
    return letter >= '0' && letter <= '9';
}
/// Bytes of characters beyond ASCII count as letters.
bool isWordLetter(char letter) {
    return isSmall(letter) || isCapital(letter) || isNumeral(letter) ||
           static_cast<unsigned char>(letter) >= 0x80;
}

std::string inSmallLetters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
}

/// Whether a piece begins at `at`, which stands behind a letter or digit of the same word.
bool beginsPiece(std::string_view name, std::size_t at) {
    const char before = name[at - 1];
    const bool followedBySmall = at + 1 < name.size() && isSmall(name[at + 1]);
    return isCapital(name[at]) &&
           (isSmall(before) || isNumeral(before) || (isCapital(before) && followedBySmall));
}

std::vector<NamePiece> cutIntoPieces(std::string_view name) {
    std::vector<NamePiece> pieces;
    const auto isWordAt = [&](std::size_t at) { return at < name.size() && isWordLetter(name[at]); };
    for (std::size_t begin = 0; begin < name.size();) {
        if (!isWordLetter(name[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin + 1;
        while (isWordAt(end) && !beginsPiece(name, end))
            ++end;
        const std::string_view piece = name.substr(begin, end - begin);
        pieces.push_back({.text = inSmallLetters(piece),
                          .capitals = std::ranges::none_of(piece, isSmall),
                          .separated = (begin == 0 || !isWordAt(begin - 1)) && !isWordAt(end)});
        begin = end;
    }
    return pieces;
}

/// "high2" is "high", the second version.
std::string_view withoutNumber(std::string_view piece) {
    const std::size_t last = piece.find_last_not_of("0123456789");
    return last == std::string_view::npos ? piece : piece.substr(0, last + 1);
}

template <typename Words>
bool isAmong(std::string_view piece, const Words& words) {
    return std::ranges::find(words, piece) != words.end();
}

/// A type of numbers that a lone capital may be written behind: "FP8H".
bool namesType(std::string_view piece) {
    return piece == "fp8" || piece == "fp16" || piece == "bf16" || piece == "q8";
}

/// Which expert a name says, how surely, and its other pieces.
struct ReadName {
    std::optional<Expert> expert;
    Certainty certainty = Certainty::None;  ///< also when it says both
    std::string rest;
};

/// Returns how many pieces from `at` on are the spelling; 0 if they are something else.
std::size_t lengthAt(std::span<const NamePiece> pieces, std::size_t at, const ExpertSpelling& spelling) {
    const NamePiece& piece = pieces[at];
    if (withoutNumber(piece.text) != spelling.pieces[0])
        return 0;
    if (!spelling.pieces[1].empty())
        return at + 1 < pieces.size() && withoutNumber(pieces[at + 1].text) == spelling.pieces[1] ? 2 : 0;
    const std::string_view before = at > 0 ? std::string_view(pieces[at - 1].text) : std::string_view();
    if (spelling.certainty == Certainty::Letter)
        return piece.capitals && (piece.separated || namesType(before)) && piece.text == spelling.pieces[0] &&
                       !isAmong(before, otherLetters)
                   ? 1
                   : 0;
    // In capitals among lower-case letters it is a mark: "HIGH_detail".
    const auto isOther = [&](std::size_t neighbour, const auto& words) {
        return neighbour < pieces.size() && isAmong(pieces[neighbour].text, words) &&
               (!piece.capitals || pieces[neighbour].capitals);
    };
    const bool isOfNoise = spelling.certainty == Certainty::Noise;
    return !isOfNoise && (isOther(at + 1, otherMeanings) || isOther(at - 1, otherSubjects)) ? 0 : 1;
}

/// The surest spellings count: "low_poly_high_noise" is about high noise.
ReadName readName(std::string_view name) {
    ReadName read;
    const std::vector<NamePiece> pieces = cutIntoPieces(name);
    std::vector<bool> tells(pieces.size(), false);
    bool both = false;
    const auto note = [&](Expert expert, Certainty certainty) {
        if (certainty > read.certainty) {
            read.certainty = certainty;
            read.expert = expert;
            both = false;
        } else if (certainty == read.certainty && expert != read.expert) {
            both = true;
        }
    };
    for (std::size_t at = 0; at < pieces.size(); ++at)
        for (const ExpertSpelling& spelling : spellings)
            if (const std::size_t length = lengthAt(pieces, at, spelling); length > 0) {
                note(spelling.expert, spelling.certainty);
                std::fill_n(tells.begin() + static_cast<std::ptrdiff_t>(at), length, true);
            }
    const bool high = name.find(highInChinese) != std::string_view::npos;
    const bool low = name.find(lowInChinese) != std::string_view::npos;
    if (high != low)
        note(high ? Expert::High : Expert::Low, Certainty::Noise);
    if (both)
        read.expert.reset();
    for (std::size_t at = 0; at < pieces.size(); ++at) {
        std::string text = tells[at] ? std::string() : pieces[at].text;
        for (const std::string_view chinese : {highInChinese, lowInChinese})
            if (const std::size_t found = text.find(chinese); found != std::string::npos)
                text.erase(found, chinese.size());
        if (!text.empty())
            read.rest += (read.rest.empty() ? "" : " ") + text;
    }
    return read;
}

/// The name of a folder, which in the diffusers layout says which of two transformers lies in it.
ReadName readFolderName(const fs::path& folder) {
    const std::string name = folder.filename().string();
    std::error_code ignored;
    if (name == secondTransformer)
        return {Expert::Low, Certainty::Noise, std::string(firstTransformer)};
    if (name == firstTransformer && fs::is_directory(folder.parent_path() / secondTransformer, ignored))
        return {Expert::High, Certainty::Noise, std::string(firstTransformer)};
    return readName(name);
}

/// A file's name without its ending, which may be two ("model.safetensors.index.json").
std::string stemOf(const fs::path& file) {
    constexpr std::array<std::string_view, 9> endings = {".json", ".index", ".safetensors", ".gguf", ".pth",
                                                         ".pt",   ".ckpt",  ".bin",         ".sft"};
    fs::path name = file.filename();
    while (isAmong(inSmallLetters(name.extension().string()), endings))
        name = name.stem();
    return name.string();
}

/// The nearest folder or file that says an expert.
struct NamedPlace {
    std::optional<Expert> expert;
    int level = 0;  ///< 0: the file, 1: its folder, …
};

fs::path withoutSlash(const fs::path& path) {
    return path.has_filename() ? path : path.parent_path();
}

NamedPlace readPlaces(const fs::path& file) {
    // A folder further off says less surely what lies in it.
    constexpr std::array least = {Certainty::Letter, Certainty::Word, Certainty::Noise};
    fs::path place = withoutSlash(file);
    for (std::size_t level = 0; level < least.size(); ++level, place = place.parent_path()) {
        const ReadName read = readFolderName(level == 0 ? place.parent_path() / stemOf(place) : place);
        if (read.certainty >= least[level])
            return {read.expert, static_cast<int>(level)};
    }
    return {};
}

}  // namespace

Expert otherExpert(Expert expert) {
    return expert == Expert::High ? Expert::Low : Expert::High;
}

Sentence titleOf(Expert expert) {
    return expert == Expert::High ? sentence("high-noise expert") : sentence("low-noise expert");
}

namespace {

/// Whether a digit of "wan2.1" stands at `at`, and not the beginning of a size ("wan2-14b", "wan21.3b").
bool isGeneration(std::string_view text, std::size_t at, char digit, bool separated) {
    if (at >= text.size() || text[at] != digit)
        return false;
    const std::string_view behind = text.substr(at + 1);
    const bool isSize = digit == '1' && (behind.starts_with("4b") || behind.starts_with(".3b"));
    return !isSize && !(separated && !behind.empty() && isNumeral(behind[0]));
}

/// "modelspec.title" may be prose; of a description only what names the noise is taken for an expert.
struct MetadataKey {
    std::string_view part;
    Certainty least;
};
constexpr std::array metadataKeys = {MetadataKey{"name", Certainty::Word},
                                     MetadataKey{"title", Certainty::Word},
                                     MetadataKey{"description", Certainty::Noise}};
constexpr std::size_t readMetadata = 400;  // bytes of one value

}  // namespace

bool WeightsName::names(std::string_view task) const {
    return isAmong(task, tasks);
}

NamedGenerations readGenerations(std::string_view text) {
    constexpr std::string_view wan = "wan";
    constexpr std::string_view separators = "._- v";
    const std::string small = inSmallLetters(text);
    NamedGenerations named;
    // Only Wan 2.2 has models that are called so.
    named.wan22 = small.find("a14b") != std::string::npos;
    const auto behindSeparators = [&](std::size_t at) {
        return std::min(small.find_first_not_of(separators, at), small.size());
    };
    for (std::size_t at = small.find(wan); at != std::string::npos; at = small.find(wan, at + 1)) {
        const std::size_t two = behindSeparators(at + wan.size());
        if (two == small.size() || small[two] != '2')
            continue;
        const std::size_t minor = behindSeparators(two + 1);
        named.wan21 = named.wan21 || isGeneration(small, minor, '1', minor > two + 1);
        named.wan22 = named.wan22 || isGeneration(small, minor, '2', minor > two + 1);
    }
    return named;
}

WeightsName readWeightsName(const fs::path& file) {
    const fs::path path = withoutSlash(file);
    const std::string folder = path.parent_path().filename().string();
    const std::string both = folder + "/" + stemOf(path);
    const NamedGenerations generations = readGenerations(both);
    WeightsName name{
        .expert = readPlaces(path).expert, .wan21 = generations.wan21, .wan22 = generations.wan22};
    std::string letters = inSmallLetters(both);
    for (const std::string_view task : taskLetters)
        for (std::size_t at = letters.find(task); at != std::string::npos; at = letters.find(task)) {
            letters.replace(at, task.size(), task.size(), ' ');
            if (!name.names(task))
                name.tasks.push_back(task);
        }
    const std::vector<NamePiece> pieces = cutIntoPieces(both);
    for (const std::string_view task : taskPieces)
        if (std::ranges::any_of(pieces,
                                [&](const NamePiece& piece) { return withoutNumber(piece.text) == task; }))
            name.tasks.push_back(task);
    name.set = readFolderName(path.parent_path()).rest + "/" + readName(stemOf(path)).rest;
    return name;
}

Sentence ExpertReading::words() const {
    return byName
               ? sentence("its name says {}", titleOf(*byName))
               : sentence("its metadata ({}) say {}", metadata, titleOf(byMetadata.value_or(Expert::High)));
}

Sentence ExpertReading::contradiction() const {
    if (!byName || !byMetadata || byName == byMetadata)
        return {};
    return sentence("its name says {}, and its metadata ({}) say {}", titleOf(*byName), metadata,
                    titleOf(*byMetadata));
}

ExpertReading readExpert(const fs::path& file, const std::map<std::string, std::string>& metadata) {
    ExpertReading reading{.byName = readPlaces(file).expert};
    Certainty surest = Certainty::None;
    bool both = false;
    for (const auto& [key, value] : metadata)
        for (const MetadataKey& row : metadataKeys) {
            if (key.find(row.part) == std::string::npos)
                continue;
            const std::string text = wellFormedUtf8(value.substr(0, readMetadata));
            const ReadName read = readName(text);
            if (read.certainty < row.least || !read.expert || read.certainty < surest)
                continue;
            both = read.certainty == surest && reading.byMetadata != read.expert;
            if (read.certainty == surest)
                continue;
            surest = read.certainty;
            reading.byMetadata = read.expert;
            reading.metadata = key + ": " + text;
        }
    if (both)
        reading.byMetadata.reset();
    return reading;
}

namespace {

/// What lies in a folder, by name.
std::vector<fs::path> entriesOf(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code failure;
    for (auto entry = fs::directory_iterator(folder.empty() ? "." : folder, failure);
         !failure && entry != fs::end(entry); entry.increment(failure))
        entries.push_back(folder / entry->path().filename());
    std::ranges::sort(entries);
    return entries;
}

ReadName readFileName(const fs::path& file) {
    return readFolderName(file.parent_path() / stemOf(file));
}

/// Finds a neighbour of the same set and the other expert according to `read`.
template <typename Read>
std::optional<fs::path> findOther(const fs::path& place, const Read& read) {
    const ReadName own = read(place);
    for (const fs::path& entry : entriesOf(place.parent_path())) {
        const ReadName found = read(entry);
        if (own.expert && found.expert == otherExpert(*own.expert) && found.rest == own.rest)
            return entry;
    }
    return std::nullopt;
}

/// The file of the same set in a folder, whatever expert its own name says but `expert`.
std::optional<fs::path> findOfSet(const fs::path& folder, const fs::path& file, Expert expert) {
    std::error_code ignored;
    if (fs::exists(folder / file.filename(), ignored) && readFileName(file).expert != expert)
        return folder / file.filename();
    for (const fs::path& entry : entriesOf(folder)) {
        const ReadName found = readFileName(entry);
        if (entry.extension() == file.extension() && found.rest == readFileName(file).rest &&
            found.expert != expert)
            return entry;
    }
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> findCounterpart(const fs::path& given) {
    const fs::path file = withoutSlash(given);
    const NamedPlace named = readPlaces(file);
    if (!named.expert)
        return std::nullopt;
    if (named.level == 0)
        if (const auto beside = findOther(file, readFileName);
            beside && beside->extension() == file.extension())
            return beside;
    // From a folder to its sibling: HighNoise/Q4/model.gguf, LowNoise/Q4/model.gguf.
    fs::path below;
    fs::path folder = file.parent_path();
    for (int level = 1; level <= 2; ++level) {
        if (readFolderName(folder).expert == named.expert)
            if (const auto sibling = findOther(folder, readFolderName))
                return findOfSet(*sibling / below, file, *named.expert);
        below = folder.filename() / below;
        folder = folder.parent_path();
    }
    return std::nullopt;
}

}  // namespace meshreel
