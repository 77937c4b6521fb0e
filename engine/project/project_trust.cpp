// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/project/input_files.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::array<AccessRow, 6> rows{{
    {KeyAccess::Nothing, "-", "-", "-", false},
    {KeyAccess::Weights, "weights, configs and tokenizers, at any path", "-", "-", false},
    {KeyAccess::Media, "pictures, video, sound and tracks of points",
     "copies of them in the run's folder; the video shows them", "-", true},
    {KeyAccess::Figures, "a curve of numbers, or a finished run", "figures of it in the run's summary", "-",
     true},
    {KeyAccess::Words, "text files of a folder, links not followed",
     "lines of them in the run's prompt, and so in its folder and video", "-", true},
    {KeyAccess::Hosts, "the list of hosts", "-", "ssh to each of the hosts, and Meshreel on it", true},
}};

static_assert(std::ranges::is_sorted(rows, {}, &AccessRow::access));

/// Keys whose value names files. Those that are not here name none; a test holds the key table to it.
struct PathKey {
    std::string_view name;
    KeyAccess access;
};
constexpr std::array<PathKey, 30> pathKeys{{
    {"pretrained_model_name_or_path", KeyAccess::Weights},
    {"lora", KeyAccess::Weights},
    {"parts.transformer", KeyAccess::Weights},
    {"parts.transformer_2", KeyAccess::Weights},
    {"parts.text_encoder", KeyAccess::Weights},
    {"parts.vae", KeyAccess::Weights},
    {"parts.preview", KeyAccess::Weights},
    {"parts.image_encoder", KeyAccess::Weights},
    {"parts.audio_encoder", KeyAccess::Weights},
    {"parts.tokenizer", KeyAccess::Weights},
    {"interpolator", KeyAccess::Weights},
    {"upscaler", KeyAccess::Weights},
    {"image", KeyAccess::Media},
    {"last_image", KeyAccess::Media},
    {"keyframes", KeyAccess::Media},
    {"video", KeyAccess::Media},
    {"mask", KeyAccess::Media},
    {"reference_images", KeyAccess::Media},
    {"tracks", KeyAccess::Media},
    {"track_visibility", KeyAccess::Media},
    {"pose_video", KeyAccess::Media},
    {"face_video", KeyAccess::Media},
    {"background_video", KeyAccess::Media},
    {"continue_from", KeyAccess::Media},
    {"speech", KeyAccess::Media},
    {"audio", KeyAccess::Media},
    {"mag_ratios_file", KeyAccess::Figures},
    {"compare_with", KeyAccess::Figures},
    {"wildcards", KeyAccess::Words},
    {"hosts", KeyAccess::Hosts},
}};

bool asks(const ProjectKey& key) {
    return rows[static_cast<std::size_t>(findAccess(key))].asks;
}

/// The files that a key names, as the project spells them.
std::vector<std::string> namedFiles(const Project& project, const ProjectKey& key) {
    if (const InputKey* input = findInputKey(key.name))
        return inputFiles(project, *input);
    std::string value = valueText(project, key);
    return value.empty() ? std::vector<std::string>() : std::vector{std::move(value)};
}

/// Returns the path as the system resolves it: a link inside a folder may lead out of it.
fs::path resolved(const fs::path& path) {
    std::error_code failure;
    fs::path real = fs::weakly_canonical(path, failure);
    return failure ? path.lexically_normal() : real;
}

fs::path tidyFolder(const fs::path& folder) {
    const fs::path real = resolved(fs::absolute(folder));
    return real.has_filename() ? real : real.parent_path();
}

bool liesIn(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

/// Inputs of the project's folder are its own; a list of hosts starts programs wherever it lies, and begins,
/// as on the command line, at the working directory.
bool mayStay(const ProjectKey& key) {
    return findAccess(key) != KeyAccess::Hosts;
}

// What is remembered: {"folders": {"/home/ann/clips": {"all": true, "time": "2026-11-28T22:01:07"},
//                                  "/home/ann/runs/7": {"paths": ["image:
//                                  /home/ann/runs/7/inputs/image.png"], "time": …}}}

constexpr const char* foldersKey = "folders";
constexpr const char* allKey = "all";
constexpr const char* pathsKey = "paths";
constexpr const char* timeKey = "time";  // of the last change; not in entries of earlier versions

std::string spelled(const AskedPath& asked) {
    return fmt::format("{}: {}", asked.key->name, wellFormedUtf8(asked.path.string()));
}

/// A file that is damaged or not the user's own remembers nothing: the worst is to be asked again.
nlohmann::json readFolders() {
    struct stat status {};
    const fs::path file = trustFile();
    if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
        return nlohmann::json::object();
    try {
        nlohmann::json stored = readJsonObject(file);
        const auto folders = stored.find(foldersKey);
        return folders != stored.end() && folders->is_object() ? *folders : nlohmann::json::object();
    } catch (const Error&) {
        return nlohmann::json::object();
    }
}

/// What is remembered about one folder.
struct Agreement {
    bool all = false;
    std::set<std::string> paths;
};

Agreement agreementFor(const fs::path& folder) {
    Agreement agreement;
    const nlohmann::json folders = readFolders();
    const auto entry = folders.find(wellFormedUtf8(folder.string()));
    if (folder.empty() || firstInvalidUtf8(folder.string()) || entry == folders.end() || !entry->is_object())
        return agreement;
    if (const auto all = entry->find(allKey); all != entry->end())
        agreement.all = all->is_boolean() && all->get<bool>();
    if (const auto paths = entry->find(pathsKey); paths != entry->end() && paths->is_array())
        for (const nlohmann::json& path : *paths)
            if (path.is_string())
                agreement.paths.insert(path.get<std::string>());
    return agreement;
}

/// Holds off other programs of this user that change the file; reading needs no lock.
class ChangeLock {
  public:
    explicit ChangeLock(const fs::path& file)
        : m_lock(FileLock::take(opened(file.string() + ".lock"), patience)) {
        if (!m_lock)
            throw Error(ErrorKind::Input,
                        sentence("what you agree to cannot be remembered ({})",
                                 sentence("another program has been changing it for a long time")),
                        withTilde(file), sentence("Wait until it is done, or end it"));
    }

  private:
    static constexpr std::chrono::seconds patience{10};

    static int opened(const fs::path& file) {
        const int descriptor = openPlainFile(file, O_RDWR | O_CREAT);
        ::fchmod(descriptor, S_IRUSR | S_IWUSR);  // a disk without permissions refuses
        return descriptor;
    }

    std::optional<FileLock> m_lock;
};

void makePrivateFolder(const fs::path& folder) {
    std::error_code failure;
    std::error_code noPermissions;  // for a disk without permissions
    if (fs::create_directories(folder, failure))
        fs::permissions(folder, fs::perms::owner_all, noPermissions);
    if (failure)
        throw Error(ErrorKind::Input,
                    sentence("what you agree to cannot be remembered ({})", failure.message()),
                    withTilde(folder), sentence("Set XDG_STATE_HOME to a folder that you may write to"));
}

/// Returns whether it is gone, although its drive is there: the mount point of an absent drive lists nothing.
bool isGone(const fs::path& folder) {
    std::error_code failure;
    if (fs::exists(fs::symlink_status(folder, failure)) ||
        (failure && failure != std::errc::no_such_file_or_directory))
        return false;
    const bool listsNothing = fs::is_empty(folder.parent_path(), failure);
    return !failure && !listsNothing;
}

std::string rememberedAt(const nlohmann::json& entry) {
    const auto time = entry.is_object() ? entry.find(timeKey) : entry.end();
    return entry.is_object() && time != entry.end() && time->is_string() ? time->get<std::string>()
                                                                         : std::string();
}

/// Drops folders that are gone, and those remembered first of too many.
void tidyUp(nlohmann::json& folders, const std::string& changed) {
    constexpr std::size_t mostFolders = 4000;
    std::vector<std::pair<std::string, std::string>> byTime;
    std::vector<std::string> dropped;
    for (const auto& [folder, entry] : folders.items()) {
        if (folder == changed)
            continue;
        if (isGone(folder))
            dropped.push_back(folder);
        else
            byTime.emplace_back(rememberedAt(entry), folder);
    }
    std::ranges::sort(byTime);
    const std::size_t over = byTime.size() >= mostFolders ? byTime.size() - mostFolders + 1 : 0;
    for (std::size_t place = 0; place < over; ++place)
        dropped.push_back(byTime[place].second);
    for (const std::string& folder : dropped)
        folders.erase(folder);
}

/// Adds what `change` puts into the entry of the folder.
template <typename Change>
void changeAgreement(const fs::path& folder, const Change& change) {
    const fs::path file = trustFile();
    makePrivateFolder(file.parent_path());
    const ChangeLock lock(file);
    nlohmann::json folders = readFolders();
    const std::string name = wellFormedUtf8(folder.string());
    nlohmann::json& entry = folders[name];
    if (!entry.is_object())
        entry = nlohmann::json::object();
    change(entry);
    entry[timeKey] = localTimeNow("%Y-%m-%dT%H:%M:%S");
    tidyUp(folders, name);
    constexpr int indent = 1;
    const std::string text = nlohmann::json{{foldersKey, std::move(folders)}}.dump(indent) + "\n";
    writeFileAtomically(file, [&](const fs::path& temporary) {
        std::error_code noPermissions;  // for a disk without permissions
        fs::permissions(temporary, fs::perms::owner_read | fs::perms::owner_write, noPermissions);
        appendToFile(temporary, text);
    });
}

std::vector<AskedPath> outsidePaths(const Project& project, const fs::path& folder, ProjectSource source,
                                    const std::function<bool(const ProjectKey&)>& isOwn) {
    const fs::path start = resolved(folder.empty() ? fs::current_path() : fs::absolute(folder));
    std::vector<AskedPath> paths;
    for (const ProjectKey& key : projectKeys()) {
        if (!asks(key) || isOwn(key))
            continue;
        for (const std::string& named : namedFiles(project, key)) {
            const fs::path from = mayStay(key) ? start : fs::current_path();
            const fs::path path = resolved(from / expandTilde(named));
            if (source == ProjectSource::Elsewhere || !mayStay(key) || !liesIn(path, start))
                paths.push_back({&key, path});
        }
    }
    return paths;
}

TrustQuestion unanswered(const fs::path& folder, std::vector<AskedPath> paths) {
    TrustQuestion question{.folder = folder.empty() ? fs::path() : tidyFolder(folder),
                           .paths = std::move(paths)};
    if (question.empty())
        return question;
    const Agreement agreement = agreementFor(question.folder);
    std::erase_if(question.paths, [&](const AskedPath& asked) {
        return agreement.all || agreement.paths.contains(spelled(asked));
    });
    return question;
}

Sentence whatHappens(const AskedPath& asked) {
    const std::string path = withTilde(asked.path);
    switch (findAccess(*asked.key)) {
        case KeyAccess::Media:
            return sentence("{} names {}, which would be copied into the run", asked.key->name, path);
        case KeyAccess::Words:
            return sentence("{} names {}, lines of which would become words of the prompt", asked.key->name,
                            path);
        case KeyAccess::Hosts:
            return sentence("{} names {}: ssh would start programs on the machines that it lists",
                            asked.key->name, path);
        default:
            return sentence("{} names {}, of which results would tell", asked.key->name, path);
    }
}

}  // namespace

KeyAccess findAccess(const ProjectKey& key) {
    const auto* found = std::ranges::find(pathKeys, key.name, &PathKey::name);
    return found == pathKeys.end() ? KeyAccess::Nothing : found->access;
}

fs::path trustFile() {
    const char* state = std::getenv("XDG_STATE_HOME");
    // The XDG specification: a relative path is to be ignored.
    const fs::path folder =
        state != nullptr && fs::path(state).is_absolute() ? fs::path(state) : expandTilde("~/.local/state");
    return folder / "meshreel" / "trust.json";
}

std::span<const AccessRow> accessRows() {
    return rows;
}

TrustQuestion askTrust(const Project& project, const fs::path& folder, ProjectSource source) {
    return unanswered(folder, outsidePaths(project, folder, source, [](const ProjectKey&) { return false; }));
}

TrustQuestion askTrust(const LoadedProject& loaded, const fs::path& folder) {
    const auto isTyped = [&](const ProjectKey& key) {
        const auto place = loaded.places.find(key.name);
        return place != loaded.places.end() && place->second.line == 0;
    };
    TrustQuestion question =
        unanswered(folder, outsidePaths(loaded.project, folder, ProjectSource::File, isTyped));
    for (AskedPath& asked : question.paths)
        if (const auto place = loaded.places.find(asked.key->name); place != loaded.places.end())
            asked.place = {.file = place->second.file, .line = place->second.line};
    return question;
}

std::vector<Problem> trustProblems(const TrustQuestion& question) {
    std::vector<Problem> problems;
    for (const AskedPath& asked : question.paths)
        problems.push_back({.id = "path-not-trusted",
                            .key = std::string(asked.key->name),
                            .place = asked.place,
                            .message = whatHappens(asked),
                            .fixes = byHand(sentence(
                                "If you know who wrote the project, agree for its folder with --trust"))});
    return problems;
}

void requireTrust(const TrustQuestion& question) {
    std::vector<Problem> problems = trustProblems(question);
    if (problems.size() > 1) {  // an error shows one problem, and all paths have to be seen
        std::vector<Sentence> list;
        for (const Problem& problem : problems)
            list.push_back(problem.place.file.empty() ? problem.message
                                                      : sentence("{}: {}", problem.where(), problem.message));
        Problem all = std::move(problems.front());
        all.key.clear();
        all.place = {};
        all.message = sentence("{} paths need your consent: {}", list.size(), commaList(list));
        problems = {std::move(all)};
    }
    if (!problems.empty())
        throw ProjectError(std::move(problems));
}

TrustedInputs::TrustedInputs(const LoadedProject& loaded, const fs::path& folder)
    : m_rule(Rule::Folder), m_folder(tidyFolder(folder)) {
    for (const auto& [key, place] : loaded.places)
        if (place.line == 0)
            m_typed.insert(key);
}

TrustedInputs TrustedInputs::asTheyAre(const Project& project) {
    TrustedInputs inputs;
    inputs.m_rule = Rule::Same;
    for (const InputKey& key : inputKeys())
        for (const fs::path file : inputFiles(project, key))
            inputs.m_leads.emplace(file, resolved(file));
    return inputs;
}

void TrustedInputs::add(const fs::path& file) {
    m_leads.emplace(file, resolved(file));
}

TrustedInputs TrustedInputs::storedIn(const fs::path& folder, const Project& project) {
    TrustedInputs inputs;
    inputs.m_rule = Rule::Stored;
    inputs.m_folder = tidyFolder(folder);
    for (const InputKey& key : inputKeys())
        for (const fs::path file : inputFiles(project, key))
            if (liesIn(file, folder))
                inputs.m_leads.emplace(file, inputs.m_folder / file.lexically_relative(folder));
    return inputs;
}

TrustedInputs TrustedInputs::withoutLinks(const Project& project) {
    TrustedInputs inputs;
    inputs.m_rule = Rule::Same;
    for (const InputKey& key : inputKeys())
        for (const fs::path file : inputFiles(project, key))
            inputs.m_leads.emplace(file, file);
    return inputs;
}

void TrustedInputs::require(const ProjectKey& key, const fs::path& named, const fs::path& real) const {
    if (m_rule == Rule::All || m_typed.contains(key.name))
        return;
    const auto lead = m_leads.find(named);
    if (lead != m_leads.end() && lead->second == real)
        return;
    if (m_rule == Rule::Same || lead != m_leads.end())
        requireTrust({.folder = named.parent_path(), .paths = {{&key, real}}});
    if (m_rule == Rule::Stored || !liesIn(real, m_folder))
        requireTrust(unanswered(m_folder, {{&key, real}}));
}

void trustFolder(const fs::path& folder) {
    changeAgreement(tidyFolder(folder), [](nlohmann::json& entry) { entry = {{allKey, true}}; });
}

void noteWritten(const Project& project, const fs::path& folder) noexcept {
    try {
        const TrustQuestion question = askTrust(project, folder, ProjectSource::Elsewhere);
        if (question.empty())
            return;
        changeAgreement(question.folder, [&](nlohmann::json& entry) {
            nlohmann::json& paths = entry[pathsKey];
            if (!paths.is_array())
                paths = nlohmann::json::array();
            constexpr std::size_t mostPaths = 1000;  // of a folder into which projects are saved
            for (const AskedPath& asked : question.paths)
                paths.push_back(spelled(asked));
            if (paths.size() > mostPaths)
                paths.erase(paths.begin(), paths.end() - mostPaths);
        });
    } catch (const std::exception&) {
        return;
    }
}

std::string accessMarkdown() {
    std::string text = "| keys | read | written | started | asks |\n|---|---|---|---|---|\n";
    for (const AccessRow& row : rows) {
        std::string names;
        for (const ProjectKey& key : projectKeys())
            if (findAccess(key) == row.access)
                names += fmt::format("{}`{}`", names.empty() ? "" : ", ", key.name);
        if (row.access == KeyAccess::Nothing)
            names = "all others";
        text += fmt::format("| {} | {} | {} | {} | {} |\n", names, row.reads, row.writes, row.starts,
                            row.asks ? "yes" : "no");
    }
    return text;
}

}  // namespace meshreel
