// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

// A project from someone else is data, not a command: what it would make Meshreel read, copy or start outside
// its own folder is listed, and done only when the user has agreed for that folder. What was agreed to is
// kept in trustFile(), which no project can reach.

namespace meshreel {

/// What a value makes Meshreel touch beside the project itself.
enum class KeyAccess : std::uint8_t {
    Nothing,  ///< it is used unchanged
    Weights,  ///< files and folders of models and adapters, which are read as weights and nothing else
    Media,    ///< files that are read, copied into the run's folder and seen in its video
    Figures,  ///< files parts of which appear in results and messages
    Words,    ///< a folder of text files, lines of which become words of the prompt
    Hosts,    ///< a file of machines, on each of which programs are started
};

KeyAccess findAccess(const ProjectKey& key);

/// What values of one access do, in words for docs/security.md.
struct AccessRow {
    KeyAccess access;
    std::string_view reads;
    std::string_view writes;
    std::string_view starts;
    bool asks;
};

/// Returns one for each KeyAccess, in its order.
std::span<const AccessRow> accessRows();

/// Where a project comes from, which decides which of its paths ask.
enum class ProjectSource {
    File,       ///< a project file: paths that stay in its folder are its own
    Elsewhere,  ///< out of a video, a run folder or the clipboard: every path is another's
};

/// A path that a project names and nobody has agreed to.
struct AskedPath {
    const ProjectKey* key = nullptr;
    std::filesystem::path path;  ///< absolute
    Problem::Place place = {};   ///< place of the key in the project's file
};

/// What to ask the user before a project of `folder` is used.
struct TrustQuestion {
    std::filesystem::path folder;
    std::vector<AskedPath> paths;

    [[nodiscard]] bool empty() const { return paths.empty(); }
};

/// Returns what the project asks. Relative paths begin at `folder`, or at the working directory if it is
/// empty, and there is then nothing to remember an answer by. Paths are compared with links resolved.
TrustQuestion askTrust(const Project& project, const std::filesystem::path& folder, ProjectSource source);

/// Asks for a project file; values from the command line need no question. `folder` is the file's folder.
TrustQuestion askTrust(const LoadedProject& loaded, const std::filesystem::path& folder);

/// Which inputs a run may read, checked once they are open: by then a path may lead elsewhere than when the
/// user was asked, because anyone who can write into a folder can replace a file by a link.
class TrustedInputs {
  public:
    /// For a project that only the user has written: all inputs.
    TrustedInputs() = default;

    /// For a project file in `folder`: what askTrust() does not ask about now; values from the command line
    /// are the user's own.
    TrustedInputs(const LoadedProject& loaded, const std::filesystem::path& folder);

    /// Returns what the project's paths lead to now.
    static TrustedInputs asTheyAre(const Project& project);

    /// Adds what the program itself made and `file` leads to now; what was there before stays as it was.
    void add(const std::filesystem::path& file);

    /// For a project that is stored in `folder`: files in it that are not behind a link, and what the user
    /// agreed to elsewhere.
    static TrustedInputs storedIn(const std::filesystem::path& folder, const Project& project);

    /// Files that are where the project says, not behind a link anywhere on the way.
    static TrustedInputs withoutLinks(const Project& project);

    /// Throws ProjectError as requireTrust() does for a file that is at `real`, links resolved, if the key's
    /// value `named` led to something else, or to a place that asks.
    void require(const ProjectKey& key, const std::filesystem::path& named,
                 const std::filesystem::path& real) const;

  private:
    enum class Rule { All, Folder, Same, Stored };

    Rule m_rule = Rule::All;
    std::filesystem::path m_folder;                                  // for the rules Folder and Stored
    std::set<std::string, std::less<>> m_typed;                      // keys
    std::map<std::filesystem::path, std::filesystem::path> m_leads;  // for the rules Same and Stored
};

/// Returns a problem for each path, at its key.
std::vector<Problem> trustProblems(const TrustQuestion& question);

/// Throws ProjectError with trustProblems() when there is something to ask.
void requireTrust(const TrustQuestion& question);

/// Returns where answers are kept: $XDG_STATE_HOME/meshreel/trust.json, else
/// ~/.local/state/meshreel/trust.json.
std::filesystem::path trustFile();

/// Remembers that the user agrees to whatever projects in this folder name. Throws Error{Input} or
/// Error{Resources} where it cannot be written down. What is remembered of folders that are gone is dropped
/// then: those that their parent no longer lists, as long as it lists anything (the place of a drive that is
/// not there is empty, or missing); and what was remembered first, when it is too much.
void trustFolder(const std::filesystem::path& folder);

/// Remembers that this program wrote a project into the folder, with these paths, so that they ask nothing
/// there. A disk that does not take it only means a question later. Must never be called for a project that
/// nobody has agreed to.
void noteWritten(const Project& project, const std::filesystem::path& folder) noexcept;

/// Returns the table "what each key reads, writes and starts" of docs/security.md.
std::string accessMarkdown();

}  // namespace meshreel
