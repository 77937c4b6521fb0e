// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/legal_mesh_model.h"

#include <QFont>
#include <QLocale>
#include <algorithm>
#include <utility>

#include "engine/base/units.h"
#include "ui/project/consequences.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

QString meshText(const MeshShape& shape) {
    QStringList words;
    for (const MeshAxis axis : meshAxes)
        if (shape.extent(axis) > 1)
            words += QStringLiteral("%1 %2")
                         .arg(QString::fromStdString(std::string(nameOf(axis))))
                         .arg(shape.extent(axis));
    return words.isEmpty() ? LegalMeshModel::tr("one device") : words.join(QStringLiteral(" · "));
}

QString layoutText(const MeshLayout& layout) {
    const QString whole = meshText(layout.shape());
    return layout.dcn().devices() == 1 ? whole
                                       : LegalMeshModel::tr("%1, between hosts %2", "mesh, its part")
                                             .arg(whole, meshText(layout.dcn()));
}

QString sharingText(const LegalMesh& mesh) {
    const QString name = QString::fromStdString(std::string(mesh.mode->name));
    if (!mesh.mode->hybrid())
        return name;
    return QStringLiteral("%1 U%2 × R%3").arg(name).arg(mesh.split.ulysses).arg(mesh.split.ring);
}

namespace {

/// For a mesh on which some devices compute more heads than others.
QString unevenText(const LegalMesh& mesh) {
    return LegalMeshModel::tr(
               "Heads are uneven: the others wait for devices with %1 of them, so attention "
               "reaches %2 % of the speed of an even split.",
               "number, number")
        .arg(mesh.mostHeads)
        .arg(QLocale().toString(percent * mesh.headEfficiency, 'f', 0));
}

}  // namespace

void LegalMeshModel::setMeshes(std::vector<LegalMesh> meshes) {
    beginResetModel();
    m_meshes = std::move(meshes);
    endResetModel();
}

bool LegalMeshModel::hasSeconds() const {
    return std::ranges::any_of(m_meshes, [](const LegalMesh& mesh) { return mesh.step.has_value(); });
}

bool LegalMeshModel::hasHosts() const {
    return std::ranges::any_of(m_meshes,
                               [](const LegalMesh& mesh) { return mesh.layout.dcn().devices() > 1; });
}

int LegalMeshModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_meshes.size());
}

int LegalMeshModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LegalMeshModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const LegalMesh& mesh = m_meshes[static_cast<std::size_t>(index.row())];
    if (role == Qt::FontRole && mesh.isCurrent && index.column() == Mesh) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (role == Qt::ToolTipRole && index.column() == Attention)
        return mesh.headEfficiency < 1
                   ? QStringLiteral("%1\n%2").arg(engineText(mesh.mode->help), unevenText(mesh))
                   : engineText(mesh.mode->help);
    if (role == Qt::ToolTipRole && index.column() == Seconds && mesh.step)
        return predictedText(*mesh.step);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
        case Seconds:
            return secondsText(mesh);
        case Mesh:
            return meshText(mesh.layout.shape());
        case HostAxes:
            return meshText(mesh.layout.dcn());
        case Attention:
            return sharingText(mesh);
        case Exchange:
            return QLocale().formattedDataSize(mesh.bytesPerStep, 1);
        case HostExchange:
            return QLocale().formattedDataSize(mesh.bytesBetweenHosts, 1);
        default:
            return {};
    }
}

/// With enough digits to distinguish meshes whose whole seconds are equal.
QString LegalMeshModel::secondsText(const LegalMesh& mesh) const {
    if (!mesh.step)
        return {};
    const LegalMesh& best = m_meshes.front();
    if (&mesh == &best || !best.step || best.step->seconds <= 0)
        return roughDuration(mesh.step->seconds);
    constexpr double wholeFrom = 10;
    const double longer = percent * (mesh.step->seconds / best.step->seconds - 1);
    return tr("+%1 %", "how much longer").arg(QLocale().toString(longer, 'f', longer < wholeFrom ? 1 : 0));
}

QVariant LegalMeshModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Seconds)
        return tr(
            "How long a step is expected to take with the fastest, and how much longer with the others");
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

#include "moc_legal_mesh_model.cpp"
