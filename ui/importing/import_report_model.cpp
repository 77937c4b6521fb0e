// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/importing/import_report_model.h"

#include <QFileInfo>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>
#include <array>

#include "ui/models/key_texts.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

/// What asks for a person's attention comes first.
constexpr std::array order{ImportFate::Refused, ImportFate::Translated, ImportFate::Taken,
                           ImportFate::Ignored};

auto placeInOrder(const ImportedKey& key) {
    return std::ranges::find(order, key.fate) - order.begin();
}

QString fateText(ImportFate fate) {
    switch (fate) {
        case ImportFate::Taken:
            return ImportReportModel::tr("taken");
        case ImportFate::Translated:
            return ImportReportModel::tr("translated");
        case ImportFate::Ignored:
            return ImportReportModel::tr("ignored");
        case ImportFate::Refused:
            return ImportReportModel::tr("refused");
    }
    return {};
}

QString countText(ImportFate fate, int count) {
    switch (fate) {
        case ImportFate::Taken:
            return ImportReportModel::tr("%n taken", "keys", count);
        case ImportFate::Translated:
            return ImportReportModel::tr("%n translated", "keys", count);
        case ImportFate::Ignored:
            return ImportReportModel::tr("%n ignored", "keys", count);
        case ImportFate::Refused:
            return ImportReportModel::tr("%n refused", "keys", count);
    }
    return {};
}

QString placeText(const ImportedKey& key) {
    if (key.line == 0)
        return ImportReportModel::tr("command line");
    return QStringLiteral("%1:%2").arg(QFileInfo(QString::fromStdString(key.file)).fileName()).arg(key.line);
}

QString cellText(const ImportedKey& key, int column) {
    switch (column) {
        case ImportReportModel::Key:
            return QString::fromStdString(key.name);
        case ImportReportModel::Fate:
            return fateText(key.fate);
        case ImportReportModel::Meaning:
            return key.result.empty() ? sentenceText(key.reason) : QString::fromStdString(key.result);
        case ImportReportModel::Place:
            return placeText(key);
        default:
            return {};
    }
}

QVariant inkOf(ImportFate fate) {
    const QPalette palette = QGuiApplication::palette();
    return fate == ImportFate::Refused   ? errorColor(palette)
           : fate == ImportFate::Ignored ? QVariant(mutedColor(palette))
                                         : QVariant();
}

}  // namespace

void ImportReportModel::setKeys(std::vector<ImportedKey> keys) {
    beginResetModel();
    m_keys = std::move(keys);
    std::ranges::stable_sort(m_keys, {}, placeInOrder);
    endResetModel();
}

int ImportReportModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_keys.size());
}

int ImportReportModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ImportReportModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const ImportedKey& key = m_keys[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return cellText(key, index.column());
        case Qt::ForegroundRole:
            return inkOf(key.fate);
        default:
            return {};
    }
}

QVariant ImportReportModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Key:
            return tr("Key");
        case Fate:
            return tr("What became of it");
        case Meaning:
            return tr("Here, or why not");
        case Place:
            return tr("From");
        default:
            return {};
    }
}

QString importSummary(const MaxDiffusionImport& imported) {
    QStringList parts;
    for (const ImportFate fate : order)
        if (const auto count = std::ranges::count(imported.keys, fate, &ImportedKey::fate); count > 0)
            parts += countText(fate, static_cast<int>(count));
    return parts.join(QStringLiteral(", "));
}

}  // namespace meshreel
