// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <vector>

#include "engine/project/project.h"
#include "engine/runs/records/run_record.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/setting_differences.h"

namespace meshreel {

/// A run of a folder, with the project that it was made from.
struct ComparedRun {
    std::filesystem::path folder;
    RunRecord record;
    Project project;
};

/// What paths hold that can be compared.
struct ComparedFiles {
    std::vector<ComparedRun> runs;
    std::vector<NamedProject> projects;
};

/// Whether a path is a run folder or a project file, by looking.
bool isComparable(const QString& path);

/// Reads run folders and project files. Throws Error for other paths and what cannot be read.
ComparedFiles readComparedFiles(const std::vector<std::filesystem::path>& paths);

/// What stands side by side: runs of folders, timings from elsewhere, and projects that need not have run.
/// Charts and tables show runs under short names (shortRunNames()).
class Comparison {
  public:
    /// In place of the present ones of folders; what was added stays.
    void setRuns(std::vector<ComparedRun> runs) { m_runs = std::move(runs); }
    /// Runs and projects that are there already take the place of their former selves.
    void add(ComparedFiles files);
    void addProject(NamedProject project);
    void addPasted(std::vector<RunRecord> runs);
    /// All but the runs of folders.
    void forgetAdded();

    [[nodiscard]] bool hasAdded() const { return !m_pasted.empty() || !m_projects.empty(); }
    [[nodiscard]] std::vector<std::filesystem::path> folders() const;
    [[nodiscard]] const std::vector<RunRecord>& pasted() const { return m_pasted; }
    /// Those of folders, then those pasted, under their whole names.
    [[nodiscard]] std::vector<RunRecord> records() const;
    [[nodiscard]] std::vector<NamedRun> namedRuns() const;
    /// Those of the runs, then those added.
    [[nodiscard]] std::vector<NamedProject> projects() const;

  private:
    [[nodiscard]] std::vector<std::string> shortNames() const;

    std::vector<ComparedRun> m_runs;
    std::vector<RunRecord> m_pasted;
    std::vector<NamedProject> m_projects;
};

}  // namespace meshreel
