// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QPixmap>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "engine/project/project.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/queue_store.h"

namespace meshreel {

/// Rows that are together.
struct RowSpan {
    int first;
    int count;
};

/// Projects that are to be run, one after the other, in this order; what is done stands last. Saved in a file
/// after every change; what was running when the program ended waits again and goes on in its folder.
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

    /// Starts the first waiting run and returns it; nothing when none waits or one is running already.
    std::optional<QueuedRun> start();
    /// Marks the row of the run in this folder as running; it was started outside the queue. Returns false,
    /// and does nothing, when no unfinished row belongs to it or one is running already.
    bool takeUp(const QString& folder);
    // Sets the folder of the running row; does nothing when none runs.
    void setFolder(const QString& folder);
    void end(QueuedRun::State state, const QString& remark);
    [[nodiscard]] bool isRunning() const { return runningRow() >= 0; }
    /// Returns the folder of the current run; empty without one.
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
    [[nodiscard]] int runningRow() const;
    [[nodiscard]] QPixmap loadPicture(const QueuedRun& run) const;
    void setState(int row, QueuedRun::State state, const QString& remark = {});
    void append(std::vector<QueuedRun> runs);
    void retryWith(const Rows& rows, const std::function<void(Project& project)>& change);
    /// Moves what is done below everything else, the run that ended last first.
    void putDoneLast();
    /// Returns whether they were moved; not to a place beside them, or one that does not exist.
    bool move(const RowSpan& span, int place);

    QueueStore m_store;
    std::vector<QueuedRun> m_runs;
    mutable QHash<QString, QPixmap> m_pictures;  ///< small ones, by file; read when first seen
};

}  // namespace meshreel
