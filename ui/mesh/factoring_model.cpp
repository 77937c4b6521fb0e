// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/factoring_model.h"

#include <QFont>
#include <QLocale>
#include <algorithm>

#include "ui/models/key_texts.h"
#include "ui/models/predicted_texts.h"

namespace meshreel {

QString meshText(const MeshShape& shape) {
    QStringList words;
    for (const MeshAxis axis : meshAxes)
        if (shape.extent(axis) > 1)
            words += QStringLiteral("%1 %2")
                         .arg(QString::fromStdString(std::string(nameOf(axis))))
                         .arg(shape.extent(axis));
    return words.isEmpty() ? FactoringModel::tr("one device") : words.join(QStringLiteral(" · "));
}

QString layoutText(const MeshLayout& layout) {
    const QString whole = meshText(layout.shape());
    return layout.dcn().devices() == 1 ? whole
                                       : FactoringModel::tr("%1, between hosts %2", "mesh, its part")
                                             .arg(whole, meshText(layout.dcn()));
}

QString sharingText(const Factoring& factoring) {
    const QString name = QString::fromStdString(std::string(factoring.mode->name));
    if (!factoring.mode->hybrid)
        return name;
    return QStringLiteral("%1 U%2 × R%3").arg(name).arg(factoring.split.ulysses).arg(factoring.split.ring);
}

void FactoringModel::setFactorings(std::vector<Factoring> factorings) {
    beginResetModel();
    m_factorings = std::move(factorings);
    endResetModel();
}

bool FactoringModel::hasSeconds() const {
    return std::ranges::any_of(m_factorings,
                               [](const Factoring& factoring) { return factoring.step.has_value(); });
}

bool FactoringModel::hasHosts() const {
    return std::ranges::any_of(
        m_factorings, [](const Factoring& factoring) { return factoring.layout.dcn().devices() > 1; });
}

int FactoringModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_factorings.size());
}

int FactoringModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FactoringModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Factoring& factoring = m_factorings[static_cast<std::size_t>(index.row())];
    if (role == Qt::FontRole && factoring.isCurrent && index.column() == Mesh) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (role == Qt::ToolTipRole && index.column() == Attention)
        return engineText(factoring.mode->help);
    if (role == Qt::ToolTipRole && index.column() == Seconds && factoring.step)
        return predictedText(*factoring.step);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
        case Seconds:
            return secondsText(factoring);
        case Mesh:
            return meshText(factoring.layout.shape());
        case HostAxes:
            return meshText(factoring.layout.dcn());
        case Attention:
            return sharingText(factoring);
        case Exchange:
            return QLocale().formattedDataSize(factoring.bytesPerStep, 1);
        case HostExchange:
            return QLocale().formattedDataSize(factoring.bytesBetweenHosts, 1);
        default:
            return {};
    }
}

/// Of meshes that are alike the whole durations would be, too.
QString FactoringModel::secondsText(const Factoring& factoring) const {
    if (!factoring.step)
        return {};
    const Factoring& best = m_factorings.front();
    if (&factoring == &best || !best.step || best.step->seconds <= 0)
        return roughDuration(factoring.step->seconds);
    constexpr double percent = 100;
    constexpr double wholeFrom = 10;
    const double longer = percent * (factoring.step->seconds / best.step->seconds - 1);
    return tr("+%1 %", "how much longer").arg(QLocale().toString(longer, 'f', longer < wholeFrom ? 1 : 0));
}

QVariant FactoringModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Seconds)
        return tr(
            "How long a step is expected to take with the fastest, by what was measured on this machine, and "
            "how much longer with the others");
    if (role == Qt::ToolTipRole && section == Exchange)
        return tr("What the busiest device receives from the others in one step");
    if (role == Qt::ToolTipRole && section == HostExchange)
        return tr("What the busiest host receives from the others in one step");
    if (role == Qt::ToolTipRole && section == HostAxes)
        return tr("The part of the mesh that lies between hosts; the rest lies inside each");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Mesh:
            return tr("Mesh");
        case Attention:
            return tr("Attention");
        case Seconds:
            return tr("Step");
        case Exchange:
            return tr("Exchange", "column of the legal meshes: bytes per step");
        case HostExchange:
            return tr("Between hosts", "column of the legal meshes: bytes per step");
        case HostAxes:
            return tr("Hosts", "column of the legal meshes: axes");
        default:
            return {};
    }
}

}  // namespace meshreel
