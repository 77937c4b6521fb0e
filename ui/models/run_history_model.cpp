// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_history_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "engine/base/error.h"
#include "ui/controller/run_news.h"
#include "ui/models/run_cells.h"
#include "ui/models/run_texts.h"

namespace meshreel {

void RunHistoryModel::setRuns(std::vector<RunSummary> runs) {
    m_previews.clear();
    removeMissing(runs);
    std::map<std::filesystem::path, int> known;
    for (int row = 0; row < rowCount(); ++row)
        known.emplace(m_runs[static_cast<std::size_t>(row)].folder, row);
    std::vector<RunSummary> added;
    for (RunSummary& run : runs)
        if (const auto row = known.find(run.folder); row != known.end())
            replaceRow(row->second, std::move(run));
        else
            added.push_back(std::move(run));
    if (added.empty())
        return;
    // Views sort by themselves.
    beginInsertRows({}, 0, static_cast<int>(added.size()) - 1);
    m_runs.insert(m_runs.begin(), std::make_move_iterator(added.begin()),
                  std::make_move_iterator(added.end()));
    endInsertRows();
}

void RunHistoryModel::removeMissing(const std::vector<RunSummary>& runs) {
    std::set<std::filesystem::path> present;
    std::ranges::transform(runs, std::inserter(present, present.end()), &RunSummary::folder);
    const auto isMissing = [&](int row) {
        return !present.contains(m_runs[static_cast<std::size_t>(row)].folder);
    };
    for (int last = rowCount() - 1; last >= 0; --last) {
        if (!isMissing(last))
            continue;
        int first = last;
        while (first > 0 && isMissing(first - 1))
            --first;
        beginRemoveRows({}, first, last);
        m_runs.erase(m_runs.begin() + first, m_runs.begin() + last + 1);
        endRemoveRows();
        last = first;
    }
}

void RunHistoryModel::replaceRow(int row, RunSummary run) {
    RunSummary& present = m_runs[static_cast<std::size_t>(row)];
    if (present == run)
        return;
    const bool notesDiffer = present.notes != run.notes;
    present = std::move(run);
    // A change of the cells that people edit would put aside what they type there.
    emit dataChanged(index(row, Run), index(row, Tags - 1));
    if (notesDiffer)
        emit dataChanged(index(row, Tags), index(row, Note));
}

const RunSummary& RunHistoryModel::run(const QModelIndex& index) const {
    return m_runs[static_cast<std::size_t>(index.row())];
}

QModelIndex RunHistoryModel::indexOf(const QString& folder) const {
    for (int row = 0; row < rowCount(); ++row)
        if (index(row, Run).data(FolderRole) == folder)
            return index(row, Run);
    return {};
}

int RunHistoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunHistoryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunHistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const RunSummary& summary = run(index);
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return cellText(summary, index.column());
        case SortRole:
            return sortValue(summary, index.column());
        case Qt::DecorationRole:
            return index.column() == Run ? QVariant(previewOf(summary)) : QVariant();
        default:
            return ofRun(summary, role);
    }
}

QVariant RunHistoryModel::ofRun(const RunSummary& summary, int role) const {
    switch (role) {
        case Qt::ToolTipRole:
            return toolTipOf(summary);
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1, %2, %3, %4")
                .arg(titleOf(summary), statusTitle(summary.state.status), startText(summary),
                     extentText(summary));
        case FolderRole:
            return QString::fromStdString(summary.folder.string());
        case DetailRole:
            return detailOf(summary);
        case StatusRole:
            return static_cast<int>(summary.state.status);
        case StatusTextRole:
            return statusTitle(summary.state.status);
        case SearchRole:
            return searchText(summary);
        default:
            return {};
    }
}

bool RunHistoryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable))
        return false;
    RunSummary& summary = m_runs[static_cast<std::size_t>(index.row())];
    RunNotes notes = summary.notes;
    const std::string text = value.toString().toStdString();
    if (index.column() == Tags)
        notes.tags = tagsOf(text);
    else
        notes.note = text;
    try {
        writeRunNotes(summary.folder, notes);
    } catch (const Error&) {
        emit notesFailed(Trouble::ofCurrentException().text());
        return false;
    }
    summary.notes = std::move(notes);
    emit dataChanged(index, index);
    return true;
}

Qt::ItemFlags RunHistoryModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    const bool editable = index.isValid() && (index.column() == Tags || index.column() == Note);
    return editable ? flags | Qt::ItemIsEditable : flags;
}

QVariant RunHistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole)
        return section == StepSeconds ? tr("Seconds a step, without the first one")
               : section == Size      ? tr("Width × height × frames")
                                      : QVariant();
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Run:
            return tr("Run");
        case Status:
            return tr("Status");
        case Started:
            return tr("Started");
        case Duration:
            return tr("Duration");
        case Steps:
            return tr("Steps");
        case StepSeconds:
            return tr("Step, s");
        case Size:
            return tr("Size");
        case Model:
            return tr("Model");
        case Attention:
            return tr("Attention");
        case Devices:
            return tr("Devices");
        case Mesh:
            return tr("Mesh");
        case Tags:
            return tr("Tags");
        case Note:
            return tr("Note");
        default:
            return {};
    }
}

QPixmap RunHistoryModel::previewOf(const RunSummary& run) const {
    if (!run.preview)
        return {};
    const QString file = QString::fromStdString(run.preview->string());
    auto known = m_previews.find(file);
    if (known == m_previews.end())
        known = m_previews.insert(file, QPixmap(file));
    return known.value();
}

}  // namespace meshreel
