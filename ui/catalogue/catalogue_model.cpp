// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/catalogue/catalogue_model.h"

#include <QLocale>

#include "engine/base/paths.h"
#include "ui/models/key_texts.h"

namespace meshreel {

namespace {

QString fromUtf8(const std::string& text) {
    return QString::fromStdString(text);
}

QString whatIs(const CatalogueFile& file) {
    if (!file.problem.empty())
        return CatalogueModel::tr("Cannot be used: %1").arg(sentenceText(file.problem));
    if (file.adapter)
        return CatalogueModel::tr("Adapter");
    const ModelIdentity& identity = file.identity;
    if (!identity.relative.empty())
        return CatalogueModel::tr("%1, which Meshreel does not run").arg(sentenceText(identity.relative));
    if (!identity.part)
        return CatalogueModel::tr("No part of a Wan model");
    QStringList parts{fromUtf8(std::string(nameOf(*identity.part)))};
    for (const Sentence& part : {identity.family, identity.what})
        if (!part.empty())
            parts += sentenceText(part);
    return parts.join(QStringLiteral(", "));
}

/// Only a transformer stands for a model by itself.
QString spellingOf(const CatalogueFile& file) {
    const bool isTransformer = file.problem.empty() && !file.adapter && file.identity.relative.empty() &&
                               file.identity.part == ModelPart::Transformer;
    return isTransformer ? fromUtf8(withTilde(file.path)) : QString();
}

}  // namespace

void CatalogueModel::setCatalogue(const ModelCatalogue& catalogue) {
    beginResetModel();
    m_entries.clear();
    for (const ModelInfo& model : catalogue.models)
        m_entries.push_back({.name = fromUtf8(model.name),
                             .what = model.embedded
                                         ? tr("%1, comes with Meshreel").arg(fromUtf8(model.pipelineClass))
                                         : fromUtf8(model.pipelineClass),
                             .bytes = static_cast<qint64>(model.bytes),
                             .path = model.folder,
                             .spelling = fromUtf8(model.name)});
    for (const CatalogueFile& file : catalogue.files)
        m_entries.push_back({.name = fromUtf8(file.path.filename().string()),
                             .what = whatIs(file),
                             .bytes = static_cast<qint64>(file.bytes),
                             .path = file.path,
                             .spelling = meshreel::spellingOf(file)});
    endResetModel();
}

const std::filesystem::path& CatalogueModel::pathOf(int row) const {
    return m_entries[static_cast<std::size_t>(row)].path;
}

QString CatalogueModel::spellingOf(int row) const {
    return m_entries[static_cast<std::size_t>(row)].spelling;
}

int CatalogueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int CatalogueModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CatalogueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Entry& entry = m_entries[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole && index.column() == Size)
        return {(Qt::AlignRight | Qt::AlignVCenter).toInt()};
    if (role == Qt::ToolTipRole)
        return fromUtf8(withTilde(entry.path));
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(index.column())) {
        case Name:
            return entry.name;
        case What:
            return entry.what;
        case Size:
            return QLocale().formattedDataSize(entry.bytes);
        case ColumnCount:
            break;
    }
    return {};
}

QVariant CatalogueModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= ColumnCount)
        return {};
    const QStringList titles{tr("Model"), tr("What it is"), tr("Size")};
    return titles[section];
}

}  // namespace meshreel
