// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <filesystem>
#include <optional>
#include <vector>

#include "ui/queue/queue_store.h"
#include "ui/queue/queued_run.h"

namespace meshreel {

/// Projects that are to be run, one after the other, in this order. Kept in a file after every change; what
/// was running when the program ended waits again and goes on in its folder.
class RunQueue : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Title, StateColumn, Video, Sampling, Mesh, ColumnCount };

    explicit RunQueue(std::filesystem::path file, QObject* parent = nullptr);

    /// A sentence when the queue will not outlive this window, or when what was kept could not be read.
    [[nodiscard]] const QString& remark() const { return m_store.remark(); }

    void add(const Project& project);
    void remove(int row);
    /// To the place before or after its neighbour; nothing happens at the ends.
    void moveUp(int row);
    void moveDown(int row);
    /// To stand before what is in row `place` now; rowCount() puts it last.
    void moveTo(int row, int place);
    /// Waits again, to start anew in another folder.
    void retry(int row);
    /// Waits again, to go on in its folder.
    void resume(int row);
    void clearFinished();

    [[nodiscard]] const QueuedRun& at(int row) const { return m_runs[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int waiting() const { return count(QueuedRun::State::Waiting); }
    [[nodiscard]] int count(QueuedRun::State state) const;

    /// The first that waits, now running; nothing when none does or one is running already.
    std::optional<QueuedRun> start();
    // Of the one that runs; nothing happens when none does.
    void setFolder(const QString& folder);
    void end(QueuedRun::State state, const QString& remark);
    [[nodiscard]] bool isRunning() const { return runningRow() >= 0; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

    // Rows are dragged to another place.
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    /// Moves the row itself and returns false: nothing is left to be removed.
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

  signals:
    void changed();
    /// The queue could not be written: it is only in this window.
    void keepingFailed(const QString& sentence);

  private:
    [[nodiscard]] int runningRow() const;
    void setState(int row, QueuedRun::State state, const QString& remark = {});

    QueueStore m_store;
    std::vector<QueuedRun> m_runs;
};

}  // namespace meshreel
