// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stage_meter.h"

#include <QPainter>
#include <QStringList>
#include <algorithm>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr QSize usualSize{44, 30};
constexpr double columnGap = 3;
constexpr double leastHeight = 2;  ///< of a column, so that every stage is seen
constexpr double meterRadius = 1.5;
constexpr int troughAlpha = 28;

}  // namespace

std::vector<QRectF> meterColumns(const std::vector<StageNeed>& needs, const QRectF& area, double gap) {
    std::vector<QRectF> columns;
    const auto count = static_cast<double>(needs.size());
    const double width = (area.width() - gap * (count - 1)) / count;
    double left = area.left();
    for (const StageNeed& need : needs) {
        const double height = std::clamp(need.share * area.height(), leastHeight, area.height());
        columns.emplace_back(left, area.bottom() - height, width, height);
        left += width + gap;
    }
    return columns;
}

StageMeter::StageMeter(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StageMeter::setNeeds(std::vector<StageNeed> needs) {
    m_needs = std::move(needs);
    QStringList words;
    for (const StageNeed& need : m_needs)
        words += tr("%1: %2", "stage and its memory").arg(need.stage, need.bytes);
    setAccessibleName(tr("Memory of the stages"));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    setToolTip(words.join(QLatin1Char('\n')));
    update();
}

QSize StageMeter::sizeHint() const {
    return usualSize;
}

void StageMeter::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF area(rect());
    QColor trough = palette().color(QPalette::WindowText);
    trough.setAlpha(troughAlpha);
    std::vector<QRectF> columns = meterColumns(m_needs, area, columnGap);
    if (isRightToLeft())  // the stages in the order of reading
        for (QRectF& column : columns)
            column.moveRight(area.left() + area.right() - column.left());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        painter.setBrush(trough);
        painter.drawRoundedRect(QRectF(columns[i].left(), area.top(), columns[i].width(), area.height()),
                                meterRadius, meterRadius);
        painter.setBrush(m_needs[i].share > 1 ? errorColor(palette()) : palette().color(QPalette::Highlight));
        painter.drawRoundedRect(columns[i], meterRadius, meterRadius);
    }
}

}  // namespace meshreel
