// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QByteArray>
#include <QHash>
#include <QPixmap>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "engine/project/project.h"
#include "engine/queue/queued_run.h"
#include "engine/queue/run_list.h"
#include "engine/queue/shared_queue.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/queue_store.h"

namespace meshreel {

/// The queue as a table (its rules: engine/queue/run_list.h). Each change is shown at once and written to the
/// file, which other windows and programs change as well; what they did appears as it is read. One of them at
/// a time runs a run of the queue.
class RunQueue : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Title, Settings, StateColumn, Video, Sampling, Attention, ColumnCount };
    using Rows = std::vector<int>;  ///< in any order

    explicit RunQueue(std::filesystem::path file, QObject* parent = nullptr);

    /// Returns a sentence when the queue will not outlive this window, or when what was kept could not be
    /// read.
    [[nodiscard]] const QString& remark() const { return m_store.remark(); }
    /// Returns whether the queue outlives this window.
    [[nodiscard]] bool isKept() const { return m_store.isKept(); }

    void add(const Project& project);
    void add(const SettingGrid& grid);
    // Changes only the place of the running one.
    void remove(const Rows& rows);
    /// Moves each to the place before or after its neighbour; does nothing at the ends.
    void moveUp(const Rows& rows);
    void moveDown(const Rows& rows);
    /// Moves them together, in their order, before what is in row `place` now; rowCount() puts them last.
    void moveTo(const Rows& rows, int place);
    /// Wait again, to start anew in other folders.
    void retry(const Rows& rows);
    // Retries with less work for a GPU, for runs that failed on one.
    void retryOnCpu(const Rows& rows);
    /// Retries with half the frames: see canBeShorter().
    void retryShorter(const Rows& rows);
    /// Returns whether half of the project's frames are a video.
    [[nodiscard]] static bool canBeShorter(const Project& project);
    /// They wait again, to go on in their folders.
    void resume(const Rows& rows);
    void clearFinished();

    [[nodiscard]] const QueuedRun& at(int row) const { return m_runs[static_cast<std::size_t>(row)]; }
    /// Returns whether the column of settings says anything.
    [[nodiscard]] bool tellsSettings() const;
    [[nodiscard]] int waiting() const { return count(QueuedRun::State::Waiting); }
    [[nodiscard]] int count(QueuedRun::State state) const;

    /// Starts the first waiting run and returns it; nothing when none waits or one is running already, here
    /// or elsewhere.
    std::optional<QueuedRun> start();
    /// Marks the row of the run in this folder as running; it was started outside the queue. Returns false,
    /// and does nothing, when no unfinished row belongs to it or one is running already.
    bool takeUp(const QString& folder);
    // Sets the folder of the row that runs here; does nothing when none does.
    void setFolder(const QString& folder);
    void end(QueuedRun::State state, const QString& remark);
    /// Returns whether this window runs a run of the queue.
    [[nodiscard]] bool isRunning() const { return !m_store.begun().empty(); }
    /// Returns whether another window or program runs a run of the queue: none can be started here until
    /// then.
    [[nodiscard]] bool isBusyElsewhere() const { return !isRunning() && m_store.isTurnTaken(); }
    /// Returns whether it is the run of another window or program.
    [[nodiscard]] bool runsElsewhere(const QueuedRun& run) const;
    /// Returns the folder of the run that runs here; empty without one.
    [[nodiscard]] QString runningFolder() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

    // Lets rows be dragged to another place.
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    /// Moves the rows itself and returns false: nothing is left to be removed.
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

  signals:
    void changed();
    /// The queue could not be written: it is only in this window.
    void keepingFailed(const QString& sentence);

  private:
    [[nodiscard]] QPixmap loadPicture(const QueuedRun& run) const;
    [[nodiscard]] QString stateText(const QueuedRun& run) const;
    [[nodiscard]] QString cellText(const QueuedRun& run, int column) const;
    [[nodiscard]] QString tipText(const QueuedRun& run, int column) const;
    [[nodiscard]] RunList::Ids idsOf(const Rows& rows) const;
    /// Shows the change and has it written.
    void change(const SharedQueue::Change& change);
    /// Begins the run that `choose` returns.
    std::optional<QueuedRun> begin(const std::function<const QueuedRun*(const RunList&)>& choose);
    /// Shows what the store has, if that is known.
    void renew();
    /// Makes the rows those of the list; returns false when they were.
    bool show(const RunList& list);
    void removeAllBut(const QHash<QByteArray, int>& places);
    void reorder(const QHash<QByteArray, int>& places);
    void fillIn(const std::vector<QueuedRun>& runs);

    QueueStore m_store;
    std::vector<QueuedRun> m_runs;
    mutable QHash<QString, QPixmap> m_pictures;  ///< small ones, by file; read when first seen
};

}  // namespace meshreel
