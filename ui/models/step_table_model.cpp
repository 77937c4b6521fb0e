// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/step_table_model.h"

namespace meshreel {

void StepTableModel::setRecords(std::vector<StepRecord> records, std::vector<int> resumedFrom) {
    beginResetModel();
    m_records = std::move(records);
    m_resumedFrom = std::move(resumedFrom);
    endResetModel();
}

void StepTableModel::append(const std::vector<StepRecord>& records) {
    if (records.empty())
        return;
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(records.size()) - 1);
    m_records.insert(m_records.end(), records.begin(), records.end());
    endInsertRows();
}

int StepTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_records.size());
}

int StepTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant StepTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || role != Qt::DisplayRole)
        return {};
    const StepRecord& record = m_records[static_cast<std::size_t>(index.row())];
    switch (index.column()) {
        case Step:
            return record.step;
        case Timestep:
            return record.timestep;
        case Sigma:
            return record.sigma;
        case Seconds:
            return record.seconds;
        case LatentMin:
            return record.latentMin;
        case LatentMax:
            return record.latentMax;
        case LatentMean:
            return record.latentMean;
        default:
            return {};
    }
}

QVariant StepTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
        case Step:
            return tr("Step");
        case Timestep:
            return tr("Timestep");
        case Sigma:
            return tr("Sigma");
        case Seconds:
            return tr("Seconds");
        case LatentMin:
            return tr("Latent minimum");
        case LatentMax:
            return tr("Latent maximum");
        case LatentMean:
            return tr("Latent mean");
        default:
            return {};
    }
}

}  // namespace meshreel
