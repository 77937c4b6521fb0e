// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <QStringList>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/runs/run_history.h"
#include "ui/runs/poster_cache.h"

namespace meshreel {

/// Date and time with seconds, short, as the locale writes them.
QString momentText(const QDateTime& moment);

/// What is asked of a run again and again: by filters, and when rows are sorted.
struct RunTraits {
    QDateTime start;  ///< local; invalid when the folder does not say
    QString model;    ///< its name; empty in runs of earlier versions, as are these:
    QString task;     ///< the name, "i2v"
    QStringList adapters;
    mutable QString words;  ///< made when first asked for: RunHistoryModel::words()
};

/// The runs of the runs folder, a row each, the newest first. In the first column Decoration is the preview
/// picture, which may come later, and Display the prompt; tags, boards and notes can be edited. What is
/// dragged is the video of a run, or the folder of one that has none.
class RunHistoryModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        Run,
        Status,
        Started,
        Duration,
        Steps,
        StepSeconds,
        Size,
        Model,
        Attention,
        Devices,
        Mesh,
        Tags,
        Note,
        // Later than the others: kept layouts of columns count them.
        Seed,
        Differs,
        Star,
        Boards,
        ColumnCount
    };

    enum Role {
        FolderRole = Qt::UserRole,  ///< QString
        DetailRole,                 ///< its name, model and size, or what is wrong with it
        StatusRole,                 ///< RunStatus as int
        StatusTextRole,             ///< its title
        SortRole,                   ///< what the column is sorted by
        SearchRole,                 ///< all words of the run
        StarRole,                   ///< bool; can be set
        FactsRole,                  ///< duration and size, or the status of a run that is not done
    };

    explicit RunHistoryModel(QObject* parent = nullptr);

    /// Updates row by row, so that selection and editing in a view stay: vanished runs go, new ones come,
    /// others change only if they differ.
    void setRuns(std::vector<RunSummary> runs);
    [[nodiscard]] const RunSummary& run(const QModelIndex& index) const;
    [[nodiscard]] const RunTraits& traits(int row) const {
        return m_rows[static_cast<std::size_t>(row)].traits;
    }
    /// Returns all words of a run, lines of them.
    [[nodiscard]] const QString& words(int row) const;
    /// Changes what a person says about a run, in its folder; false when that fails, and notesFailed() says
    /// why.
    bool changeNotes(const QModelIndex& index, const std::function<void(RunNotes&)>& change);
    /// Returns all tags, all boards of the runs, each once, sorted.
    [[nodiscard]] QStringList allTags() const;
    [[nodiscard]] QStringList allBoards() const;
    /// Returns the index of the run in the first column.
    [[nodiscard]] QModelIndex indexOf(const QString& folder) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    /// As changeNotes().
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

    [[nodiscard]] Qt::DropActions supportedDragActions() const override { return Qt::CopyAction; }
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;

  signals:
    void notesFailed(const QString& sentence);
    /// changeNotes() wrote what the run says now; what was read of it before is old.
    void notesChanged(const QString& folder);
    /// setRuns() begins, and is done; nothing in between is to be shown.
    void aboutToUpdate();
    void updated();

  private:
    struct Row {
        RunSummary run;
        RunTraits traits;
    };

    static Row rowOf(RunSummary run);
    void removeMissing(const std::vector<RunSummary>& runs);
    void replaceRow(int row, RunSummary run);
    void putInOrder();
    void insert(std::vector<RunSummary> added);
    void findWhatDiffers();
    void showPoster(const QString& file);
    [[nodiscard]] QStringList allOf(std::vector<std::string> RunNotes::*names) const;
    [[nodiscard]] QString textAt(const RunSummary& run, int column) const;
    [[nodiscard]] QVariant ofRun(const RunSummary& run, int role) const;
    [[nodiscard]] QVariant decorationAt(const RunSummary& run, int column) const;

    std::vector<Row> m_rows;
    std::set<std::string> m_varied;  ///< keys whose values differ from run to run
    bool m_settingsChanged = false;  ///< since m_varied was found
    mutable PosterCache m_posters;
};

}  // namespace meshreel
