// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attention/attention_mode_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QLocale>
#include <QPalette>
#include <algorithm>

#include "engine/attention/attention_volume.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/planning/run_plan.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

QString exchangeText(Exchange exchange) {
    switch (exchange) {
        case Exchange::Gather:
            return AttentionModeModel::tr("gather keys");
        case Exchange::Ulysses:
            return AttentionModeModel::tr("tokens for heads");
        case Exchange::None:
            return AttentionModeModel::tr("–", "no exchange");
    }
    return {};
}

QString rotationText(Rotation rotation) {
    switch (rotation) {
        case Rotation::None:
            return AttentionModeModel::tr("–", "no rotation");
        case Rotation::Ring:
            return AttentionModeModel::tr("ring");
        case Rotation::BidirectionalRing:
            return AttentionModeModel::tr("both ways");
    }
    return {};
}

QString kernelText(AttentionKernel kernel) {
    switch (kernel) {
        case AttentionKernel::DotProduct:
            return AttentionModeModel::tr("dense");
        case AttentionKernel::Flash:
            return AttentionModeModel::tr("flash");
        case AttentionKernel::Custom:
            return AttentionModeModel::tr("custom");
        case AttentionKernel::CustomFixedM:
            return AttentionModeModel::tr("custom, fixed bound");
        case AttentionKernel::TransformerEngine:
            return QStringLiteral("cuDNN");  // as its own documentation calls it
    }
    return {};
}

/// attentionSharding() in few words: C is the context axis, U and R its ulysses groups and rings.
QString holdingText(const AttentionMode& mode) {
    if (mode.exchange == Exchange::Gather)
        return AttentionModeModel::tr("queries ÷ C, all keys");
    if (mode.exchange == Exchange::None)
        return AttentionModeModel::tr("tokens ÷ C");
    return mode.hybrid() ? AttentionModeModel::tr("heads ÷ U, tokens ÷ R")
                         : AttentionModeModel::tr("heads ÷ C, all tokens");
}

}  // namespace

void AttentionModeModel::setPlan(const RunPlan& plan) {
    m_forecasts.clear();
    for (const AttentionMode& mode : attentionModes())
        m_forecasts.push_back(forecastMode(mode, plan));
    m_current = plan.attention.mode;
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void AttentionModeModel::setCurrent(const AttentionMode* mode) {
    m_current = mode;
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void AttentionModeModel::forgetPlan() {
    m_forecasts.clear();
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

const AttentionMode& AttentionModeModel::mode(const QModelIndex& index) {
    return attentionModes()[static_cast<std::size_t>(index.row())];
}

QModelIndex AttentionModeModel::indexOf(const AttentionMode* mode) const {
    return index(static_cast<int>(mode - attentionModes().data()), Name);
}

int AttentionModeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(attentionModes().size());
}

int AttentionModeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant AttentionModeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    switch (role) {
        case Qt::DisplayRole:
            return cell(index);
        case Qt::ToolTipRole:
            return toolTip(index);
        case Qt::FontRole: {
            QFont font;
            font.setBold(index.column() == Name && &mode(index) == m_current);
            return font;
        }
        case Qt::ForegroundRole:
            if (static_cast<std::size_t>(index.row()) < m_forecasts.size() &&
                !m_forecasts[static_cast<std::size_t>(index.row())].bytesPerStep)
                return mutedColor(QGuiApplication::palette());
            return {};
        case Qt::TextAlignmentRole:
            return index.column() == Cost
                       ? QVariant::fromValue(Qt::Alignment(Qt::AlignTrailing | Qt::AlignVCenter))
                       : QVariant();
        default:
            return {};
    }
}

QString AttentionModeModel::cell(const QModelIndex& index) const {
    const AttentionMode& row = mode(index);
    switch (index.column()) {
        case Name:
            return QString::fromStdString(std::string(row.name));
        case ExchangeKind:
            return exchangeText(row.exchange);
        case RotationKind:
            return rotationText(row.rotation);
        case Kernel:
            return kernelText(row.kernel);
        case Cost: {
            if (static_cast<std::size_t>(index.row()) >= m_forecasts.size())
                return {};
            const ModeForecast& forecast = m_forecasts[static_cast<std::size_t>(index.row())];
            return forecast.bytesPerStep ? QLocale().formattedDataSize(*forecast.bytesPerStep, 1)
                                         : tr("not here");
        }
        case Holds:
            return holdingText(row);
        default:
            return {};
    }
}

QString AttentionModeModel::toolTip(const QModelIndex& index) const {
    const AttentionMode& row = mode(index);
    QStringList words{engineText(row.help), engineText(row.when), engineText(row.limits),
                      tr("While it computes, a device holds %1.").arg(engineText(attentionSharding(row)))};
    if (static_cast<std::size_t>(index.row()) < m_forecasts.size())
        if (const auto& obstacle = m_forecasts[static_cast<std::size_t>(index.row())].obstacle)
            words += withHint(sentenceText(obstacle->message), sentenceText(obstacle->hint()));
    words.removeAll(QString());
    return words.join(QStringLiteral("\n\n"));
}

QVariant AttentionModeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Holds)
        return tr(
            "What a device has while it computes an attention: of what stands before ÷ its part, shared out "
            "over the context axis (C), an ulysses group (U) or a ring (R)");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Name:
            return tr("Mode");
        case ExchangeKind:
            return tr("Exchange");
        case RotationKind:
            return tr("Rotation");
        case Kernel:
            return tr("Kernel");
        case Cost:
            return tr("Per step");
        case Holds:
            return tr("A device holds");
        default:
            return {};
    }
}

}  // namespace meshreel

#include "moc_attention_mode_model.cpp"
