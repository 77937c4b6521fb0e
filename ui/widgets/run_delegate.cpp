// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/run_delegate.h"

#include <QApplication>
#include <QPainter>

#include "engine/runs/run_folder.h"
#include "ui/models/run_history_model.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int pictureSize = 56;
constexpr int dotDiameter = 8;

QColor statusColour(RunStatus status, const QPalette& palette) {
    switch (status) {
        case RunStatus::Done:
            return {0x2e, 0x9d, 0x5b};
        case RunStatus::Running:
            return palette.color(QPalette::Highlight);
        case RunStatus::Cancelled:
            return {0xd9, 0x8a, 0x1f};
        case RunStatus::Failed:
        case RunStatus::Crashed:
            break;
    }
    return errorColor(palette);
}

void drawPicture(QPainter* painter, QRect frame, const QPixmap& picture, const QPalette& palette) {
    painter->fillRect(frame, palette.color(QPalette::AlternateBase));
    if (picture.isNull()) {
        themedIcon(QStringLiteral("film"))
            .paint(painter, frame.adjusted(spacing, spacing, -spacing, -spacing), Qt::AlignCenter,
                   QIcon::Disabled);
        return;
    }
    QRect target(QPoint(), picture.size().scaled(frame.size(), Qt::KeepAspectRatio));
    target.moveCenter(frame.center());
    painter->drawPixmap(target, picture);
}

}  // namespace

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);

    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const QRect inner = option.rect.adjusted(spacing, spacing, -spacing, -spacing);
    const QRect picture(inner.topLeft(), QSize(pictureSize, pictureSize));
    const auto mirrored = [&](const QRect& place) {
        return QStyle::visualRect(option.direction, option.rect, place);
    };
    drawPicture(painter, mirrored(picture), index.data(Qt::DecorationRole).value<QPixmap>(), option.palette);

    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const QColor ink = option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
    const QColor muted = selected ? ink : mutedColor(option.palette);
    const int line = option.fontMetrics.lineSpacing();
    QRect text(picture.right() + 1 + panelMargin, inner.top(), 0, line);
    text.setRight(inner.right());
    text.moveTop(inner.top() + (pictureSize - 3 * line) / 2);
    const auto drawLine = [&](const QColor& colour, const QString& content, int indent) {
        const QRect box = text.adjusted(indent, 0, 0, 0);
        painter->setPen(colour);
        painter->drawText(
            mirrored(box),
            QStyle::visualAlignment(option.direction, Qt::AlignLeft | Qt::AlignVCenter) | Qt::AlignAbsolute,
            option.fontMetrics.elidedText(content, Qt::ElideRight, box.width()));
        text.translate(0, line);
    };
    drawLine(ink, index.data(Qt::DisplayRole).toString(), 0);
    const QRect dot(text.left(), text.center().y() - dotDiameter / 2 + 1, dotDiameter, dotDiameter);
    painter->setBrush(statusColour(static_cast<RunStatus>(index.data(RunHistoryModel::StatusRole).toInt()),
                                   option.palette));
    painter->setPen(Qt::NoPen);
    painter->drawEllipse(mirrored(dot));
    drawLine(ink, index.data(RunHistoryModel::StatusTextRole).toString(), dotDiameter + spacing);
    drawLine(muted, index.data(RunHistoryModel::DetailRole).toString(), 0);
    painter->restore();
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {4 * pictureSize, std::max(pictureSize, 3 * option.fontMetrics.lineSpacing()) + 2 * spacing};
}

}  // namespace meshreel
