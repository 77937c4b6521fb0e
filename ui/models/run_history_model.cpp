// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_history_model.h"

#include <QLocale>

#include "ui/models/run_texts.h"

namespace meshreel {

namespace {

QString titleOf(const RunSummary& run) {
    const std::string& title = run.prompt.empty() ? run.name : run.prompt;
    return QString::fromStdString(title.empty() ? run.folder.filename().string() : title);
}

QString detailOf(const RunSummary& run) {
    const QDateTime start = startOf(run.state);
    const QString extent = run.problem.empty() ? extentText(run) : QString::fromStdString(run.problem);
    return start.isValid() ? QLocale().toString(start, QLocale::ShortFormat) + QStringLiteral(" · ") + extent
                           : extent;
}

QString toolTipOf(const RunSummary& run) {
    return QStringLiteral("%1\n%2\n%3")
        .arg(titleOf(run), stateSentence(run.state), QString::fromStdString(run.folder.string()));
}

}  // namespace

void RunHistoryModel::setRuns(std::vector<RunSummary> runs) {
    beginResetModel();
    m_runs = std::move(runs);
    m_previews.clear();
    endResetModel();
}

const RunSummary& RunHistoryModel::run(const QModelIndex& index) const {
    return m_runs[static_cast<std::size_t>(index.row())];
}

QModelIndex RunHistoryModel::indexOf(const QString& folder) const {
    for (int row = 0; row < rowCount(); ++row)
        if (index(row).data(FolderRole) == folder)
            return index(row);
    return {};
}

int RunHistoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

QVariant RunHistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const RunSummary& summary = run(index);
    switch (role) {
        case Qt::DisplayRole:
            return titleOf(summary);
        case Qt::DecorationRole:
            return previewOf(summary);
        case Qt::ToolTipRole:
            return toolTipOf(summary);
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1, %2, %3")
                .arg(titleOf(summary), statusTitle(summary.state.status), detailOf(summary));
        case FolderRole:
            return QString::fromStdString(summary.folder.string());
        case DetailRole:
            return detailOf(summary);
        case StatusRole:
            return static_cast<int>(summary.state.status);
        case StatusTextRole:
            return statusTitle(summary.state.status);
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
