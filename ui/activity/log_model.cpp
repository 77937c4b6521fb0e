// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/log_model.h"

#include <QGuiApplication>
#include <QPalette>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

QString timeText(const LogLine& line) {
    return line.when.toString(QStringLiteral("HH:mm:ss"));
}

}  // namespace

void LogModel::clear() {
    beginResetModel();
    m_lines.clear();
    endResetModel();
}

void LogModel::append(const std::vector<LogLine>& lines) {
    if (lines.empty())
        return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(lines.size()) - 1);
    m_lines.insert(m_lines.end(), lines.begin(), lines.end());
    endInsertRows();
}

QString LogModel::lineText(int row) const {
    const LogLine& line = m_lines[static_cast<std::size_t>(row)];
    return QStringLiteral("%1  %2").arg(timeText(line), line.words);
}

QString LogModel::text() const {
    QString text;
    for (int row = 0; row < rowCount(); ++row)
        text += lineText(row) + QLatin1Char('\n');
    return text;
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const LogLine& line = m_lines[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return index.column() == When ? timeText(line) : line.words;
        case Qt::ToolTipRole:
            return line.words;
        case Qt::ForegroundRole:
            if (line.isWarning)
                return warningColor(QGuiApplication::palette());
            return index.column() == When ? mutedColor(QGuiApplication::palette()) : QVariant();
        case WarningRole:
            return line.isWarning;
        default:
            return {};
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == When ? tr("Time") : tr("What happened");
}

}  // namespace meshreel
