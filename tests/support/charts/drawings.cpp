// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/charts/drawings.h"

#include <QColor>
#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QTransform>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <iterator>

namespace meshreel::testing {

namespace {

/// "a,b c,d" and "M a,b L c,d" alike.
std::vector<QPointF> pointsIn(const QString& numbers) {
    static const QRegularExpression pair(
        QStringLiteral("(-?[0-9.]+(?:e-?[0-9]+)?)[, ](-?[0-9.]+(?:e-?[0-9]+)?)"));
    std::vector<QPointF> points;
    for (auto match = pair.globalMatch(numbers); match.hasNext();) {
        const QRegularExpressionMatch found = match.next();
        points.emplace_back(found.captured(1).toDouble(), found.captured(2).toDouble());
    }
    return points;
}

QTransform transformIn(const QXmlStreamAttributes& attributes) {
    static const QRegularExpression number(QStringLiteral("-?[0-9.]+(?:e-?[0-9]+)?"));
    std::vector<double> values;
    const QString text = attributes.value(QLatin1String("transform")).toString();
    for (auto match = number.globalMatch(text); match.hasNext();)
        values.push_back(match.next().captured().toDouble());
    return values.size() == 6 ? QTransform(values[0], values[1], values[2], values[3], values[4], values[5])
                              : QTransform();
}

}  // namespace

QByteArray contentOf(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::vector<QPointF> cornersOf(const QByteArray& svg) {
    std::vector<QTransform> transforms{QTransform()};
    std::vector<QPointF> corners;
    QXmlStreamReader xml(svg);
    while (!xml.atEnd()) {
        const QXmlStreamReader::TokenType token = xml.readNext();
        if (token == QXmlStreamReader::EndElement)
            transforms.pop_back();
        if (token != QXmlStreamReader::StartElement)
            continue;
        const QXmlStreamAttributes attributes = xml.attributes();
        transforms.push_back(transformIn(attributes) * transforms.back());
        const auto number = [&](const char* name) {
            return attributes.value(QLatin1String(name)).toDouble();
        };
        std::vector<QPointF> points = pointsIn(attributes.value(QLatin1String("points")).toString());
        std::ranges::copy(pointsIn(attributes.value(QLatin1String("d")).toString()),
                          std::back_inserter(points));
        if (xml.name() == QLatin1String("rect") || xml.name() == QLatin1String("text")) {
            points.emplace_back(number("x"), number("y"));
            points.emplace_back(number("x") + number("width"), number("y") + number("height"));
        }
        if (xml.name() == QLatin1String("circle"))
            points.emplace_back(number("cx"), number("cy"));
        for (const QPointF& point : points)
            corners.push_back(transforms.back().map(point));
    }
    return corners;
}

int countPixels(const QImage& image, const QColor& wanted) {
    constexpr int tolerance = 24;
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            if (std::abs(pixel.red() - wanted.red()) < tolerance &&
                std::abs(pixel.green() - wanted.green()) < tolerance &&
                std::abs(pixel.blue() - wanted.blue()) < tolerance)
                ++count;
        }
    }
    return count;
}

}  // namespace meshreel::testing
