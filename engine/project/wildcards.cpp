// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/wildcards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/written_text.h"
#include "engine/project/project_settings.h"
#include "engine/project/prompt_variants.h"
#include "engine/sampling/noise.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::string_view wildcardMark = "__";
constexpr std::string_view wildcardExtension = ".txt";
constexpr std::string_view weightMark = "::";
constexpr std::size_t mostNameBytes = 100;
constexpr std::size_t mostLineBytes = 8192;
constexpr std::size_t mostWildcardFiles = 256;                          ///< that a project's prompts lead to
constexpr std::uintmax_t mostWildcardBytes = std::uintmax_t{16} << 20;  ///< of all of them
constexpr int mostDraws = 10'000;                                       ///< of a prompt
constexpr std::size_t mostPromptBytes = 65'536;
constexpr double mostWeight = 1e6;

/// A wildcard in a text.
struct WildcardPlace {
    std::size_t begin = 0;  ///< of its mark
    std::size_t end = 0;    ///< behind the second one
    std::string name;
};

bool isNameByte(char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool isLetter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    return isLetter || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '/' ||
           byte == '.' || byte >= 0x80;
}

/// Returns whether a wildcard may be called so. A name stays in its folder, whatever it is.
bool isWildcardName(std::string_view name) {
    if (name.empty() || name.size() > mostNameBytes || name.front() == '_' || name.back() == '_' ||
        name.front() == '/' || name.back() == '/' || !std::ranges::all_of(name, isNameByte))
        return false;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string_view part = name.substr(begin, end - begin);
        if (part.empty() || part.front() == '.')
            return false;
        begin = end + 1;
    }
    return true;
}

std::optional<WildcardPlace> nextWildcard(std::string_view text, std::size_t from = 0) {
    for (std::size_t begin = text.find(wildcardMark, from); begin != std::string_view::npos;
         begin = text.find(wildcardMark, begin + 1)) {
        const std::size_t name = begin + wildcardMark.size();
        const std::size_t close = text.find(wildcardMark, name);
        if (close == std::string_view::npos)
            return std::nullopt;
        if (isWildcardName(text.substr(name, close - name)))
            return WildcardPlace{.begin = begin,
                                 .end = close + wildcardMark.size(),
                                 .name = std::string(text.substr(name, close - name))};
    }
    return std::nullopt;
}

std::vector<std::string> namesIn(std::string_view text) {
    std::vector<std::string> names;
    for (auto place = nextWildcard(text); place; place = nextWildcard(text, place->end))
        names.push_back(std::move(place->name));
    return names;
}

/// A line of a file, or an alternative: its words, and how often it is drawn beside others.
struct WeightedWords {
    double weight = 1;
    std::string words;
};

std::string_view withoutBlanksAround(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Takes "3::" from before the words. Words before another such mark stay words.
WeightedWords weightedWords(std::string_view text) {
    const std::size_t mark = text.find(weightMark);
    if (mark != std::string_view::npos) {
        const std::string_view number = withoutBlanksAround(text.substr(0, mark));
        double weight = 0;
        const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), weight);
        if (failure == std::errc() && end == number.data() + number.size() && weight >= 0 &&
            weight <= mostWeight)
            return {.weight = weight, .words = std::string(text.substr(mark + weightMark.size()))};
    }
    return {.weight = 1, .words = std::string(text)};
}

/// A file of wildcards, or what is wrong with it.
struct WildcardFile {
    fs::path path;
    std::vector<WeightedWords> lines;
    Sentence fault;  ///< empty: it can be drawn from
    Sentence cure;
};

bool leadsOutOf(const fs::path& folder, const fs::path& file) {
    std::error_code failure;
    const fs::path realFolder = fs::canonical(folder, failure);
    const fs::path realFile = failure ? fs::path() : fs::canonical(file, failure);
    if (failure)
        return true;
    const fs::path relative = realFile.lexically_relative(realFolder);
    return relative.empty() || *relative.begin() == "..";
}

void readLines(WildcardFile& file, std::string_view text) {
    text = withoutByteOrderMark(text);
    if (firstInvalidUtf8(text)) {
        file.fault = sentence("{} is not UTF-8", withTilde(file.path));
        file.cure = sentence("Save it as UTF-8");
        return;
    }
    double weights = 0;
    int number = 0;
    for (const std::string_view line : textLines(text)) {
        ++number;
        const std::string_view words = withoutBlanksAround(line);
        if (words.empty() || words.starts_with('#'))
            continue;
        if (words.size() > mostLineBytes) {
            file.fault = sentence("line {} of {} has {} bytes, and a line has {} at most", number,
                                  withTilde(file.path), words.size(), mostLineBytes);
            file.cure = sentence("Shorten it");
            return;
        }
        WeightedWords weighted = weightedWords(words);
        weighted.words = std::string(withoutBlanksAround(weighted.words));
        file.lines.push_back(std::move(weighted));
        weights += file.lines.back().weight;
    }
    if (weights <= 0) {
        file.fault = sentence("{} holds no line that can be drawn", withTilde(file.path));
        file.cure = sentence("Write something into it, a line for each possibility");
    }
}

WildcardFile readWildcardFile(const fs::path& path) {
    WildcardFile file{.path = path, .lines = {}, .fault = {}, .cure = {}};
    try {
        readLines(file, readFile(path));
    } catch (const Error& refused) {
        file.fault = sentence("{} cannot be read: {}", withTilde(path), refused.message());
        file.cure = refused.hint();
    }
    return file;
}

/// The files of a project's wildcards, each read once.
class WildcardFiles {
  public:
    explicit WildcardFiles(const Project& project) : m_project(project) {}

    /// Null where no folder has the file.
    const WildcardFile* find(const std::string& name) {
        const auto known = m_files.find(name);
        if (known != m_files.end())
            return known->second ? &*known->second : nullptr;
        std::optional<WildcardFile>& file = m_files[name];
        file =
            m_files.size() > mostWildcardFiles
                ? WildcardFile{.path = {},
                               .lines = {},
                               .fault = sentence("the prompts lead to more than {} files", mostWildcardFiles),
                               .cure = sentence("Use fewer wildcards")}
                : look(name);
        return file ? &*file : nullptr;
    }

  private:
    std::optional<WildcardFile> look(const std::string& name) {
        for (const fs::path& folder : wildcardFolders(m_project)) {
            const fs::path path = twinOf(folder / (name + std::string(wildcardExtension)));
            if (!isFile(path))
                continue;
            // The folder was agreed to, and not what a link in it leads to; the user's own links are theirs.
            if (folder != userWildcardFolder() && leadsOutOf(folder, path))
                return WildcardFile{.path = path,
                                    .lines = {},
                                    .fault = sentence("{} leads out of its folder", withTilde(path)),
                                    .cure = sentence("Put the file itself there, not a link")};
            std::error_code unknown;
            const std::uintmax_t bytes = fs::file_size(path, unknown);
            m_bytes += unknown ? 0 : bytes;
            if (m_bytes > mostWildcardBytes)
                return WildcardFile{.path = path,
                                    .lines = {},
                                    .fault = sentence("the files that the prompts lead to have more than {}",
                                                      formatBytes(mostWildcardBytes)),
                                    .cure = sentence("Use fewer wildcards, or smaller files")};
            return readWildcardFile(path);
        }
        return std::nullopt;
    }

    const Project& m_project;
    std::map<std::string, std::optional<WildcardFile>> m_files;
    std::uintmax_t m_bytes = 0;  ///< of the files that were read
};

/// A prompt of the project with the number of its draws.
struct DrawnPrompt {
    std::string_view key;
    std::uint32_t number = 0;
};

constexpr std::uint32_t negativeNumber = 0xFFFFFFFF;

/// Finds everything that is wrong with the wildcards of a project.
class WildcardCheck {
  public:
    WildcardCheck(const Project& project, WildcardFiles& files) : m_project(project), m_files(files) {}

    void add(std::string_view key, std::string_view text) {
        m_key = key;
        m_way.clear();
        m_seen.clear();
        m_looped.clear();
        follow(text);
    }

    [[nodiscard]] std::vector<Problem> take() { return std::move(m_problems); }

  private:
    void follow(std::string_view text) {
        for (const std::string& name : namesIn(text)) {
            if (std::ranges::find(m_way, name) != m_way.end()) {
                if (!m_looped.insert(name).second)
                    continue;
                m_way.push_back(name);
                refuse(sentence("the wildcard __{}__ leads back to itself: {}", name,
                                fmt::format("{}", fmt::join(m_way, " → "))),
                       sentence("Take it out of one of these files"));
                m_way.pop_back();
                continue;
            }
            if (!m_seen.insert(name).second)
                continue;
            const WildcardFile* file = m_files.find(name);
            if (file == nullptr) {
                reportMissing(name);
            } else if (!file->fault.empty()) {
                refuse(sentence("the wildcard __{}__ cannot be used: {}", name, file->fault), file->cure);
            } else {
                m_way.push_back(name);
                for (const WeightedWords& line : file->lines)
                    follow(line.words);
                m_way.pop_back();
            }
        }
    }

    void reportMissing(const std::string& name) {
        std::vector<Sentence> folders;
        for (const fs::path& folder : wildcardFolders(m_project))
            folders.push_back(withTilde(folder));
        Sentence message = sentence("there is no file {} for the wildcard __{}__ in {}",
                                    name + std::string(wildcardExtension), name, commaList(folders));
        if (!m_way.empty())
            message = sentence("{} (a line of __{}__ names it)", message, m_way.back());
        Problem problem{.id = "wildcard-missing",
                        .key = std::string(m_key),
                        .involved = {"wildcards"},
                        .message = std::move(message),
                        .fixes = byHand(sentence("Put the file there, with a line for each possibility, or "
                                                 "set wildcards to its folder"))};
        const std::vector<std::string> known = wildcardNames(m_project);
        const std::vector<std::string_view> names(known.begin(), known.end());
        const std::string_view near = nearestName(name, names);
        if (m_way.empty() && !near.empty())
            problem.fixes = setKey(sentence("Did you mean {}?", fmt::format("__{}__", near)), m_key,
                                   {respelled(name, near)});
        m_problems.push_back(std::move(problem));
    }

    /// The whole prompt with another name for a wildcard.
    [[nodiscard]] std::string respelled(const std::string& name, std::string_view other) const {
        const std::string& whole = valueOf(m_key);
        std::string result;
        std::size_t from = 0;
        for (auto place = nextWildcard(whole); place; place = nextWildcard(whole, place->end)) {
            result += whole.substr(from, place->begin - from);
            result += fmt::format("__{}__", place->name == name ? other : std::string_view(place->name));
            from = place->end;
        }
        return result + whole.substr(from);
    }

    [[nodiscard]] const std::string& valueOf(std::string_view key) const {
        if (key == "negative_prompt")
            return m_project.negativePrompt;
        return key == "batch_prompts" ? m_project.batchPrompts : m_project.prompt;
    }

    void refuse(Sentence message, Sentence cure) {
        m_problems.push_back({.id = "wildcard-unusable",
                              .key = std::string(m_key),
                              .involved = {"wildcards"},
                              .message = std::move(message),
                              .fixes = byHand(std::move(cure))});
    }

    const Project& m_project;
    WildcardFiles& m_files;
    std::string_view m_key;
    std::vector<std::string> m_way;  ///< the files that lead here
    std::set<std::string> m_seen;    ///< those that were followed
    std::set<std::string> m_looped;  ///< those that lead back to themselves, each told once
    std::vector<Problem> m_problems;
};

/// Draws the words of one prompt.
class WordDraw {
  public:
    WordDraw(WildcardFiles& files, std::uint64_t seed, DrawnPrompt prompt)
        : m_files(files), m_seed(seed), m_prompt(prompt) {}

    /// Throws ProjectError for a text that grows without end.
    std::string spoken(std::string_view text) {
        std::string result;
        std::size_t from = 0;
        for (auto place = nextWildcard(text); place; place = nextWildcard(text, place->end)) {
            result += text.substr(from, place->begin - from);
            result += wordsOf(place->name);
            requireBounded(result);
            from = place->end;
        }
        result += text.substr(from);
        return result;
    }

  private:
    std::string wordsOf(const std::string& name) {
        // What lines name was checked; what an alternative in a line has made is found here.
        const WildcardFile* file = m_files.find(name);
        if (file == nullptr || !file->fault.empty())
            refuse(file == nullptr ? ProblemId("wildcard-missing") : ProblemId("wildcard-unusable"),
                   sentence("alternatives in a line name the wildcard __{}__, which has no usable file {}",
                            name, name + std::string(wildcardExtension)),
                   sentence("Put the file there, or correct the line"));
        if (std::ranges::find(m_way, name) != m_way.end())
            refuse("wildcard-unusable", sentence("the wildcard __{}__ leads back to itself", name),
                   sentence("Take it out of the lines and alternatives that it leads to"));
        m_way.push_back(name);
        std::string words = spoken(withChoicesMade(choose(file->lines).words));
        m_way.pop_back();
        return words;
    }

    std::string withChoicesMade(std::string text) {
        for (auto choice = firstChoice(text); choice; choice = firstChoice(text, choice->begin)) {
            std::vector<WeightedWords> options;
            for (const std::string& option : choice->options)
                options.push_back(weightedWords(option));
            text.replace(choice->begin, choice->end - choice->begin, choose(options).words);
        }
        return text;
    }

    /// Of words that all have the weight 0, the first.
    const WeightedWords& choose(const std::vector<WeightedWords>& all) {
        double weights = 0;
        for (const WeightedWords& one : all)
            weights += one.weight;
        double left = nextNumber() * weights;
        for (const WeightedWords& one : all) {
            if (left < one.weight)
                return one;
            left -= one.weight;
        }
        return *std::ranges::find_if(all.rbegin(), all.rend(), [&](const WeightedWords& one) {
            return one.weight > 0 || &one == &all.front();  // what rounding has left over
        });
    }

    double nextNumber() {
        constexpr std::uint32_t stream = 0x776F7264;  // "word": no counter of the latents' noise has it
        constexpr int halfBits = 32;
        constexpr int dropped = 11;  // of 64 bits, what a double does not hold
        const auto lanes =
            philox4x32({static_cast<std::uint32_t>(m_draws), m_prompt.number, stream, 0},
                       {static_cast<std::uint32_t>(m_seed), static_cast<std::uint32_t>(m_seed >> halfBits)});
        if (++m_draws > mostDraws)
            refuseGrowth();
        const std::uint64_t bits = (static_cast<std::uint64_t>(lanes[0]) << halfBits) | lanes[1];
        return static_cast<double>(bits >> dropped) * 0x1p-53;
    }

    void requireBounded(const std::string& text) const {
        if (text.size() > mostPromptBytes)
            refuseGrowth();
    }

    [[noreturn]] void refuseGrowth() const {
        refuse("wildcard-unusable",
               sentence("the wildcards make the prompt longer than {} bytes, or need more than {} draws",
                        mostPromptBytes, mostDraws),
               sentence("Use fewer wildcards, or shorter lines"));
    }

    [[noreturn]] void refuse(ProblemId id, Sentence message, Sentence cure) const {
        throw ProjectError({{.id = id,
                             .key = std::string(m_prompt.key),
                             .involved = {"wildcards"},
                             .message = std::move(message),
                             .fixes = byHand(std::move(cure))}});
    }

    WildcardFiles& m_files;
    std::uint64_t m_seed;
    DrawnPrompt m_prompt;
    std::vector<std::string> m_way;  ///< the files whose lines are being spoken
    int m_draws = 0;
};

/// The lines of a text, without what ends them.
std::vector<std::string> promptLinesIn(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(std::move(line));
    return lines;
}

void listNames(const fs::path& folder, bool followsLinks, std::size_t most, std::set<std::string>& names) {
    std::error_code failure;
    const auto options =
        followsLinks ? fs::directory_options::follow_directory_symlink : fs::directory_options::none;
    std::size_t seen = 0;
    for (fs::recursive_directory_iterator entry(
             folder, options | fs::directory_options::skip_permission_denied, failure);
         !failure && entry != fs::recursive_directory_iterator() && seen < most; entry.increment(failure)) {
        constexpr int deepest = 8;
        if (entry.depth() >= deepest)
            entry.disable_recursion_pending();
        ++seen;
        const fs::path& path = entry->path();
        std::error_code unknown;
        if (path.extension() != wildcardExtension || !entry->is_regular_file(unknown) ||
            (!followsLinks && entry->is_symlink(unknown)))
            continue;
        std::string name = path.lexically_relative(folder).replace_extension().generic_string();
        if (isWildcardName(name) && !firstInvalidUtf8(name))
            names.insert(std::move(name));
    }
}

}  // namespace

fs::path userWildcardFolder() {
    return userDataFolder() / "wildcards";
}

std::vector<fs::path> wildcardFolders(const Project& project) {
    std::vector<fs::path> folders;
    if (!project.wildcards.empty())
        folders.push_back(expandTilde(project.wildcards));
    folders.push_back(userWildcardFolder());
    return folders;
}

std::vector<std::string> wildcardNames(const Project& project, std::size_t most) {
    std::set<std::string> names;
    for (const fs::path& folder : wildcardFolders(project))
        listNames(folder, folder == userWildcardFolder(), most, names);
    return {names.begin(), names.end()};
}

bool namesWildcards(const Project& project) {
    const std::string& prompts = project.batchPrompts.empty() ? project.prompt : project.batchPrompts;
    return nextWildcard(prompts) || nextWildcard(project.negativePrompt);
}

DrawnWords drawWords(const Project& project) {
    DrawnWords drawn{.project = project, .problems = {}};
    if (!namesWildcards(project)) {
        drawn.project.wildcards.clear();
        return drawn;
    }
    WildcardFiles files(project);
    WildcardCheck check(project, files);
    const bool isBatch = !project.batchPrompts.empty();  // which leaves the prompt aside
    if (!isBatch)
        check.add("prompt", project.prompt);
    check.add("negative_prompt", project.negativePrompt);
    check.add("batch_prompts", project.batchPrompts);
    drawn.problems = check.take();
    if (!drawn.problems.empty())
        return drawn;

    const std::uint64_t seed = batchItems(project).front().seed.value_or(0);
    const auto spoken = [&](const std::string& text, std::string_view key, std::uint32_t number) {
        return WordDraw(files, seed, {.key = key, .number = number}).spoken(text);
    };
    try {
        if (!isBatch)
            drawn.project.prompt = spoken(project.prompt, "prompt", 0);
        drawn.project.negativePrompt = spoken(project.negativePrompt, "negative_prompt", negativeNumber);
        if (nextWildcard(project.batchPrompts)) {
            std::vector<std::string> lines = promptLinesIn(project.batchPrompts);
            for (std::size_t number = 0; number < lines.size(); ++number)
                lines[number] = spoken(lines[number], "batch_prompts", static_cast<std::uint32_t>(number));
            drawn.project.batchPrompts = fmt::format("{}", fmt::join(lines, "\n"));
        }
        drawn.project.wildcards.clear();
    } catch (const ProjectError& refused) {
        drawn = {.project = project, .problems = refused.problems()};
    }
    return drawn;
}

Project withDrawnWords(const Project& project) {
    DrawnWords drawn = drawWords(project);
    if (!drawn.problems.empty())
        throw ProjectError(std::move(drawn.problems));
    return std::move(drawn.project);
}

}  // namespace meshreel
