// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/project/project.h"
#include "engine/runs/rated_runs.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_votes.h"
#include "engine/timing/verdict.h"
#include "ui/compare/clip_comparer.h"

namespace meshreel {

struct ProjectKey;

/// A project with the name it is compared under.
struct NamedProject {
    QString name;       ///< short: a column's header
    QString wholeName;  ///< name of the run's folder or the project's file
    Project project;
};

/// The settings in which projects differ: a row a key, a column a project, all as texts.
class SettingDifferences : public QAbstractTableModel {
    Q_OBJECT

  public:
    using QAbstractTableModel::QAbstractTableModel;

    void setProjects(std::vector<NamedProject> projects);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    std::vector<NamedProject> m_projects;
    std::vector<const ProjectKey*> m_keys;
};

/// comparisonTable() on screen: a row a run in the order given, a column a time or setting. The baseline,
/// which the verdicts are about, is bold. What was not measured is a dash, and sorts last.
class TimingComparison : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// The baseline stays where its run is still there, else it is the first.
    void setRuns(std::vector<RunRecord> runs);
    /// The run that speeds are relative to.
    void setBaseline(int row);
    /// What speeds are taken from.
    void setSpeedOf(SpeedOf of);
    /// Returns "ring-2d beside ulysses: 1.23 s, spread 0.8 %. Faster: 12 to 18 % less time.": every run that
    /// computed the same as the baseline against it, three at most. Empty if there is none.
    [[nodiscard]] QString verdictText() const;
    /// Returns what verdictAgainst() says of the run in a row beside the baseline.
    [[nodiscard]] const std::optional<Verdict>& verdict(int row) const {
        return m_verdicts[static_cast<std::size_t>(row)];
    }
    [[nodiscard]] int baseline() const { return m_baseline; }
    [[nodiscard]] const RunRecord& run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }
    /// Returns the index of a column of comparisonTable(); -1 for an unknown name.
    [[nodiscard]] int findColumn(std::string_view name) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    static DataTable timingTable(std::vector<RunRecord> runs, int baseline, SpeedOf of);
    void judgeRuns();
    void rebuild();
    [[nodiscard]] const DataCell& cell(int row, int column) const;
    [[nodiscard]] bool isBaseline(int row) const { return row == m_baseline && m_runs.size() > 1; }

    std::vector<RunRecord> m_runs;
    int m_baseline = 0;
    SpeedOf m_of = SpeedOf::Steps;
    DataTable m_table = timingTable({}, 0, SpeedOf::Steps);
    std::vector<std::optional<Verdict>> m_verdicts;  ///< for each run
};

/// A run of a folder, with the project that it was made from.
struct ComparedRun {
    std::filesystem::path folder;
    RunRecord record;
    Project project;
    JudgedRun judged = {};
};

/// What paths hold that can be compared.
struct ComparedFiles {
    std::vector<ComparedRun> runs;
    std::vector<NamedProject> projects;
    std::vector<Error> unread = {};
    std::vector<Vote> votes = {};  ///< about these runs and those beside them
};

/// Returns whether a path is a run folder, the video of one, or a project file, by looking at it.
bool isComparable(const QString& path);

/// Reads run folders, also of their videos, and project files. Other paths and what cannot be read are left
/// out; the first refusal is thrown when nothing could be read. `beside`: folders of runs that are there
/// already, for the votes.
ComparedFiles readComparedFiles(const std::vector<std::filesystem::path>& paths,
                                const std::vector<std::filesystem::path>& beside = {});

/// "Steps: 20, Scheduler: unipc", as the form calls the keys.
QString settingLabel(const RatedSetting& setting);

/// What is shown side by side: runs of folders, timings from elsewhere, and projects that need not have run.
/// Charts and tables show runs under short names (withShortNames()).
class Comparison {
  public:
    /// Replaces the present runs of folders; what was added stays.
    void setRuns(std::vector<ComparedRun> runs);
    /// What was said of the videos of the runs.
    void setVotes(std::vector<Vote> votes);
    /// Runs and projects that are there already take the place of their former selves.
    void add(ComparedFiles files);
    void addProject(NamedProject project);
    void addPasted(std::vector<RunRecord> runs);
    /// All but the runs of folders.
    void forgetAdded();

    [[nodiscard]] bool hasAdded() const { return !m_pasted.empty() || !m_projects.empty(); }
    [[nodiscard]] std::vector<std::filesystem::path> folders() const;
    [[nodiscard]] const std::vector<RunRecord>& pasted() const { return m_pasted; }
    /// Returns the runs of folders, then the pasted ones, under their whole names; those of folders with
    /// their ratings, whose labels are in the language of the application.
    [[nodiscard]] std::vector<RunRecord> records() const;
    /// Returns the runs of folders, sorted by what makes them differ.
    [[nodiscard]] const RatedRuns& rated() const { return m_rated; }
    [[nodiscard]] std::vector<NamedRun> namedRuns() const;
    /// Returns the projects of the runs, then the added ones.
    [[nodiscard]] std::vector<NamedProject> projects() const;

  private:
    [[nodiscard]] std::vector<std::string> shortNames() const;
    void rate();

    std::vector<ComparedRun> m_runs;
    RatedRuns m_rated;  ///< the same runs
    std::vector<Vote> m_votes;
    std::vector<RunRecord> m_pasted;
    std::vector<NamedProject> m_projects;
};

}  // namespace meshreel
