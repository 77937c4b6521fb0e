// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/drawing_hand.h"

#include <QColor>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QPen>
#include <algorithm>

namespace meshreel {

namespace {

constexpr double inkWidth = 1.6;
constexpr double haloWidth = 3.6;
constexpr int haloOpacity = 150;
constexpr double gripRadius = 4.5;
constexpr float leastLightness = 0.6F;

QColor haloColor() {
    return {0, 0, 0, haloOpacity};
}

}  // namespace

void strokeSeen(QPainter& painter, const QPainterPath& path, const QColor& ink, Qt::PenStyle style) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(haloColor(), haloWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
    painter.setPen(QPen(ink, inkWidth, style, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
}

void paintGrip(QPainter& painter, QPointF middle, const QColor& fill, bool round) {
    QRectF place(0, 0, 2 * gripRadius, 2 * gripRadius);
    place.moveCenter(middle);
    painter.setPen(QPen(haloColor(), inkWidth));
    painter.setBrush(fill);
    if (round)
        painter.drawEllipse(place);
    else
        painter.drawRect(place);
}

QColor chosenInk(const QPalette& palette) {
    QColor ink = palette.color(QPalette::Highlight).toHsl();
    if (ink.lightnessF() < leastLightness)
        ink.setHslF(std::max(0.0F, ink.hslHueF()), ink.hslSaturationF(), leastLightness);
    return ink.toRgb();
}

}  // namespace meshreel
