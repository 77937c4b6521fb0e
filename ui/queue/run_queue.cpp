// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/run_queue.h"

#include <QGuiApplication>
#include <QMimeData>
#include <QPalette>
#include <algorithm>
#include <utility>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr QLatin1String rowMimeType("application/x-meshreel-queue-row");

QString stateText(QueuedRun::State state) {
    switch (state) {
        case QueuedRun::State::Waiting:
            return RunQueue::tr("Waiting");
        case QueuedRun::State::Running:
            return RunQueue::tr("Running");
        case QueuedRun::State::Done:
            return RunQueue::tr("Done");
        case QueuedRun::State::Cancelled:
            return RunQueue::tr("Cancelled");
        case QueuedRun::State::Failed:
            return RunQueue::tr("Failed");
    }
    return {};
}

QString titleOf(const Project& project) {
    return QString::fromStdString(project.prompt.empty() ? project.name : project.prompt);
}

QString cellText(const QueuedRun& run, int column) {
    const Project& project = run.project;
    switch (column) {
        case RunQueue::Title:
            return titleOf(project);
        case RunQueue::StateColumn:
            return run.state == QueuedRun::State::Waiting && !run.folder.isEmpty()
                       ? RunQueue::tr("Waiting to go on")
                       : stateText(run.state);
        case RunQueue::Video:
            return RunQueue::tr("%1 × %2, %n frames", nullptr, static_cast<int>(project.numFrames))
                .arg(project.width)
                .arg(project.height);
        case RunQueue::Sampling:
            return RunQueue::tr("%n steps, seed %1", nullptr, static_cast<int>(project.numInferenceSteps))
                .arg(project.seed);
        case RunQueue::Mesh:
            return QString::fromStdString(project.attention);
        default:
            return {};
    }
}

}  // namespace

RunQueue::RunQueue(std::filesystem::path file, QObject* parent)
    : QAbstractTableModel(parent), m_store(std::move(file)), m_runs(m_store.restore()) {
    connect(this, &RunQueue::changed, &m_store, [this] { m_store.keep(m_runs); });
    connect(&m_store, &QueueStore::keepingFailed, this, &RunQueue::keepingFailed);
}

void RunQueue::add(const Project& project) {
    beginInsertRows({}, rowCount(), rowCount());
    m_runs.push_back({.project = project});
    endInsertRows();
    emit changed();
}

void RunQueue::remove(int row) {
    if (row == runningRow())
        return;
    beginRemoveRows({}, row, row);
    m_runs.erase(m_runs.begin() + row);
    endRemoveRows();
    emit changed();
}

void RunQueue::moveUp(int row) {
    moveTo(row, row - 1);
}

void RunQueue::moveDown(int row) {
    constexpr int behindNext = 2;
    moveTo(row, row + behindNext);
}

void RunQueue::moveTo(int row, int place) {
    const bool exist = row >= 0 && row < rowCount() && place >= 0 && place <= rowCount();
    if (!exist || place == row || place == row + 1)
        return;
    beginMoveRows({}, row, row, {}, place);
    const auto from = m_runs.begin() + row;
    const auto to = m_runs.begin() + place;
    if (place < row)
        std::rotate(to, from, from + 1);
    else
        std::rotate(from, from + 1, to);
    endMoveRows();
    emit changed();
}

void RunQueue::retry(int row) {
    if (row == runningRow())
        return;
    m_runs[static_cast<std::size_t>(row)].folder.clear();
    setState(row, QueuedRun::State::Waiting);
}

void RunQueue::resume(int row) {
    if (row != runningRow())
        setState(row, QueuedRun::State::Waiting);
}

void RunQueue::clearFinished() {
    for (int row = rowCount() - 1; row >= 0; --row)
        if (at(row).state == QueuedRun::State::Done)
            remove(row);
}

int RunQueue::count(QueuedRun::State state) const {
    return static_cast<int>(std::ranges::count(m_runs, state, &QueuedRun::state));
}

std::optional<QueuedRun> RunQueue::start() {
    const auto next = std::ranges::find(m_runs, QueuedRun::State::Waiting, &QueuedRun::state);
    if (isRunning() || next == m_runs.end())
        return {};
    setState(static_cast<int>(next - m_runs.begin()), QueuedRun::State::Running);
    return *next;
}

void RunQueue::setFolder(const QString& folder) {
    if (const int row = runningRow(); row >= 0) {
        m_runs[static_cast<std::size_t>(row)].folder = folder;
        emit changed();
    }
}

void RunQueue::end(QueuedRun::State state, const QString& remark) {
    if (const int row = runningRow(); row >= 0)
        setState(row, state, remark);
}

int RunQueue::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunQueue::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunQueue::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const QueuedRun& run = at(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return cellText(run, index.column());
        case Qt::ToolTipRole:
            return run.remark.isEmpty() ? cellText(run, index.column()) : run.remark;
        case Qt::ForegroundRole:
            if (index.column() == StateColumn && run.state == QueuedRun::State::Failed)
                return errorColor(QGuiApplication::palette());
            return run.state == QueuedRun::State::Done ? mutedColor(QGuiApplication::palette()) : QVariant();
        default:
            return {};
    }
}

QVariant RunQueue::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Title:
            return tr("Project");
        case StateColumn:
            return tr("State");
        case Video:
            return tr("Video");
        case Sampling:
            return tr("Sampling");
        case Mesh:
            return tr("Attention");
        default:
            return {};
    }
}

Qt::ItemFlags RunQueue::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() ? flags | Qt::ItemIsDragEnabled : flags | Qt::ItemIsDropEnabled;
}

QStringList RunQueue::mimeTypes() const {
    return {QString(rowMimeType)};
}

QMimeData* RunQueue::mimeData(const QModelIndexList& indexes) const {
    auto* data = new QMimeData;
    if (!indexes.isEmpty())
        data->setData(rowMimeType, QByteArray::number(indexes.constFirst().row()));
    return data;
}

bool RunQueue::dropMimeData(const QMimeData* data, Qt::DropAction /*action*/, int row, int /*column*/,
                            const QModelIndex& parent) {
    bool isRow = false;
    const int from = data->data(rowMimeType).toInt(&isRow);
    const int place = row >= 0 ? row : parent.isValid() ? parent.row() : rowCount();
    if (isRow)
        moveTo(from, place);
    return false;
}

int RunQueue::runningRow() const {
    const auto running = std::ranges::find(m_runs, QueuedRun::State::Running, &QueuedRun::state);
    return running == m_runs.end() ? -1 : static_cast<int>(running - m_runs.begin());
}

void RunQueue::setState(int row, QueuedRun::State state, const QString& remark) {
    QueuedRun& run = m_runs[static_cast<std::size_t>(row)];
    run.state = state;
    run.remark = remark;
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
    emit changed();
}

}  // namespace meshreel
