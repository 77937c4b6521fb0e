// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/shard_range.h"
#include "ui/charts/chart_style.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr std::array shades{0.0, 0.42};  ///< how far towards the text
constexpr std::array hatches{Qt::NoBrush, Qt::BDiagPattern, Qt::DiagCrossPattern, Qt::FDiagPattern,
                             Qt::VerPattern};
constexpr int hatchAlpha = 150;

/// WCAG 2.1, relative luminance.
double measureLuminance(const QColor& color) {
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

}  // namespace

RingLook ringLook(int ring, const QPalette& palette) {
    const auto round = static_cast<std::size_t>(ring / ChartStyle::seriesColors);
    QColor lines = palette.color(QPalette::Base);
    lines.setAlpha(hatchAlpha);
    return {.color = mixedColor(ChartStyle::series(ring), palette.color(QPalette::WindowText),
                                shades.at(round % shades.size())),
            .hatch = hatches.at(round / shades.size() % hatches.size()),
            .hatchColor = lines};
}

double measureContrast(const QColor& one, const QColor& other) {
    constexpr double flare = 0.05;
    const auto [dark, light] = std::minmax({measureLuminance(one) + flare, measureLuminance(other) + flare});
    return light / dark;
}

QColor wordsOn(const QColor& ground) {
    return measureContrast(ground, Qt::white) > measureContrast(ground, Qt::black) ? Qt::white : Qt::black;
}

namespace {

constexpr double widestBand = 5;
constexpr double bandShare = 0.2;  ///< of a narrow cell's width
constexpr double radius = 5;
constexpr double chipRadius = 3;
constexpr double placeWidth = 84;   ///< of a cell's words, from which on they include its rank and GPU
constexpr double leastScale = 0.6;  ///< for a device's number, with little room left
constexpr double keysHeight = 18;
constexpr double arrowHead = 6;
constexpr int tintAlpha = 46;
constexpr int groupAlpha = 26;
constexpr int faintAlpha = 60;
constexpr int blockAlpha = 110;            ///< of the frames in an outline
constexpr std::size_t manyTransfers = 64;  ///< from which single arrows are faint
constexpr int hostAlpha = 190;
// For a GPU: short lines that stand out of its cell's upper and lower edge, like those of a chip.
constexpr double pinDistance = 12;
constexpr double pinLength = 3;
constexpr double shortPin = 1.5;
constexpr std::size_t mostWithLongPins = 32;  ///< devices: those of larger meshes stand near each other
constexpr double pinWidth = 2;

QColor withAlpha(QColor color, int alpha) {
    color.setAlpha(alpha);
    return color;
}

QString shortRange(const ShardRange& range) {
    return range.size() == 1 ? QString::number(range.begin)
                             : QStringLiteral("%1–%2").arg(range.begin).arg(range.end - 1);
}

/// The line between two cells, cut off at their edges.
QLineF between(const QRectF& from, const QRectF& to) {
    const QLineF whole(from.center(), to.center());
    const auto edge = [&whole](const QRectF& cell, bool fromStart) {
        const double dx = std::abs(whole.dx());
        const double dy = std::abs(whole.dy());
        const double reach =
            std::min(dx > 0 ? cell.width() / 2 / dx : HUGE_VAL, dy > 0 ? cell.height() / 2 / dy : HUGE_VAL);
        return whole.pointAt(fromStart ? reach : 1 - reach);
    };
    return {edge(from, true), edge(to, false)};
}

double bandWidth(const QRectF& cell) {
    return std::min(widestBand, bandShare * cell.width());
}

void fillRing(QPainter& painter, const QRectF& area, const RingLook& look) {
    painter.fillRect(area, look.color);
    painter.fillRect(area, QBrush(look.hatchColor, look.hatch));
}

QFont toBold(QFont font) {
    font.setBold(true);
    return font;
}

void drawArrow(QPainter& painter, QLineF line, const QColor& color, double width) {
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(line);
    QLineF side = QLineF(line.p2(), line.p1());
    side.setLength(arrowHead);
    constexpr double opening = 28;
    for (const double angle : {side.angle() - opening, side.angle() + opening}) {
        QLineF stroke = side;
        stroke.setAngle(angle);
        painter.drawLine(stroke);
    }
}

}  // namespace

MeshPainter::MeshPainter(QPainter& painter, const QPalette& palette, const PaintedMesh& mesh)
    : m_painter(painter),
      m_palette(palette),
      m_mesh(mesh),
      m_font(painter.font()),
      m_bold(toBold(m_font)),
      m_metrics(m_font) {
    for (const PicturedDevice& device : mesh.picture.devices) {
        m_headsWidth = std::max(m_headsWidth, m_metrics.horizontalAdvance(headsText(device)));
        m_tokensWidth = std::max(m_tokensWidth, m_metrics.horizontalAdvance(tokensText(device)));
        m_numberWidth =
            std::max(m_numberWidth, QFontMetrics(m_bold).horizontalAdvance(QString::number(device.number)));
    }
}

void MeshPainter::paint() {
    paintDevices();
    paintTransfers();
}

void MeshPainter::paintDevices() {
    paintGroups();
    for (int device = 0; device < static_cast<int>(m_mesh.drawing.cells.size()); ++device)
        paintCell(device);
}

void MeshPainter::paintGroups() const {
    const QColor text = m_palette.color(QPalette::WindowText);
    for (const DrawnGroup& block : m_mesh.drawing.blocks) {
        m_painter.setPen(QPen(withAlpha(text, faintAlpha), 1));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRoundedRect(block.frame, radius, radius);
        if (block.title.isEmpty())
            continue;
        const QRectF title(block.frame.left(), block.frame.top() - m_mesh.drawing.titleHeight,
                           block.frame.width(), m_mesh.drawing.titleHeight);
        m_painter.setPen(mutedColor(m_palette));
        m_painter.drawText(
            title, Qt::AlignLeft | Qt::AlignVCenter,
            m_metrics.elidedText(block.title, Qt::ElideRight, static_cast<int>(title.width())));
    }
    m_painter.setPen(Qt::NoPen);
    for (const DrawnGroup& group : m_mesh.drawing.ulyssesGroups) {
        m_painter.setBrush(withAlpha(ringLook(group.ring, m_palette).color, groupAlpha));
        m_painter.drawRoundedRect(group.frame, radius, radius);
    }
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(withAlpha(text, hostAlpha), 1.4, Qt::DashLine));
    for (const QPainterPath& host : m_mesh.drawing.hosts)
        m_painter.drawPath(host);
}

/// Related to the chosen one by an exchange.
bool MeshPainter::isRelated(int device) const {
    if (m_mesh.chosen < 0)
        return false;
    const PicturedDevice& chosen = m_mesh.picture.device(m_mesh.chosen);
    const PicturedDevice& facts = m_mesh.picture.device(device);
    return std::ranges::count(chosen.ulyssesGroup, device) > 0 ||
           std::ranges::count(chosen.ringGroup, device) > 0 ||
           differOnlyAlong({MeshAxis::Tensor}, chosen, facts) ||
           differOnlyAlong({MeshAxis::Data, MeshAxis::Fsdp}, chosen, facts);
}

void MeshPainter::paintCell(int device) const {
    const QRectF cell = m_mesh.drawing.cells[static_cast<std::size_t>(device)];
    const PicturedDevice& facts = m_mesh.picture.device(device);
    const RingLook look = ringLook(facts.ring, m_palette);
    const bool related = isRelated(device);
    QPainterPath shape;
    shape.addRoundedRect(cell, radius, radius);
    m_painter.setPen(Qt::NoPen);
    m_painter.fillPath(shape, m_palette.color(QPalette::Base));
    if (related)
        m_painter.fillPath(shape, withAlpha(look.color, tintAlpha));
    m_painter.save();
    m_painter.setClipPath(shape);
    fillRing(m_painter, QRectF(cell.topLeft(), QSizeF(bandWidth(cell), cell.height())), look);
    m_painter.restore();
    const bool chosen = device == m_mesh.chosen;
    if (facts.gpu)
        paintPins(cell, chosen ? m_palette.color(QPalette::Highlight) : look.color);
    m_painter.setPen(
        QPen(chosen ? m_palette.color(QPalette::Highlight) : withAlpha(look.color, 150), chosen ? 2.5 : 1));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRoundedRect(cell, radius, radius);

    QRectF room = cell.adjusted(bandWidth(cell) + 1, 1, -1, -1);
    const bool computes = static_cast<std::size_t>(device) < m_mesh.step.keys.size() &&
                          !m_mesh.step.keys[static_cast<std::size_t>(device)].empty();
    if (computes) {
        paintKeys(cell, m_mesh.step.keys[static_cast<std::size_t>(device)]);
        room.setBottom(cell.bottom() - std::min(keysHeight, cell.height() / 2));
    }
    paintWords(device, room);
}

QString MeshPainter::headsText(const PicturedDevice& device) const {
    const int axis = m_mesh.picture.layout.shape().tensor;
    const ShardRange own{device.at.tensor * m_mesh.picture.heads / axis,
                         (device.at.tensor + 1) * m_mesh.picture.heads / axis};
    return tr("heads %1").arg(shortRange(isExchanged() ? device.heads : own));
}

QString MeshPainter::tokensText(const PicturedDevice& device) const {
    return tr("tokens %1").arg(shortRange(isExchanged() ? device.computeTokens : device.tokens));
}

bool MeshPainter::isExchanged() const {
    return m_mesh.step.kind == WalkStep::Kind::Compute;
}

/// What fits below the number in every cell; without such lines the heads may fit beside it.
void MeshPainter::paintWords(int device, const QRectF& room) const {
    const PicturedDevice& facts = m_mesh.picture.device(device);
    const QRectF words = room.adjusted(tightSpacing, 0, -tightSpacing, 0);
    QStringList lines;
    if (m_headsWidth <= words.width())
        lines += headsText(facts);
    if (m_tokensWidth <= words.width())
        lines += tokensText(facts);
    const double line = m_metrics.height();
    while (!lines.isEmpty() && line * static_cast<double>(lines.size() + 1) > words.height())
        lines.removeLast();
    const bool hasLine = words.height() >= m_metrics.ascent();
    const bool hasPlace =
        hasLine && (!m_mesh.picture.hosts.empty() || facts.gpu) && words.width() >= placeWidth;
    const bool hasHeadsBeside =
        hasLine && lines.isEmpty() && !hasPlace && m_numberWidth + spacing + m_headsWidth <= words.width();
    m_painter.setPen(m_palette.color(QPalette::WindowText));
    if (lines.isEmpty() && !hasPlace && !hasHeadsBeside)
        return paintNumber(device, room);

    QRectF row(words.left(), words.center().y() - line * static_cast<double>(lines.size() + 1) / 2,
               words.width(), line);
    m_painter.setFont(m_bold);
    m_painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, QString::number(device));
    m_painter.setFont(m_font);
    m_painter.setPen(mutedColor(m_palette));
    const QRectF beside = row.adjusted(m_numberWidth + spacing, 0, 0, 0);
    if (hasPlace)
        paintPlace(facts, beside);
    if (hasHeadsBeside)
        m_painter.drawText(beside, Qt::AlignRight | Qt::AlignVCenter, headsText(facts));
    for (const QString& text : lines) {
        row.translate(0, line);
        m_painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

/// In the middle, all numbers of one size; omits those that are too small to read.
void MeshPainter::paintNumber(int device, const QRectF& room) const {
    const QString number = QString::number(device);
    const QFontMetricsF metrics(m_bold);
    const double scale = std::clamp(
        std::min(room.width() / m_numberWidth, room.height() / metrics.capHeight()), leastScale, 1.0);
    if (metrics.horizontalAdvance(number) * scale > room.width() ||
        metrics.capHeight() * scale > room.height())
        return;
    QFont font = m_bold;
    font.setPointSizeF(m_bold.pointSizeF() * scale);
    QRectF row(room.left(), room.top(), room.width(), QFontMetricsF(font).height());
    row.moveCenter(room.center());
    m_painter.setFont(font);
    m_painter.drawText(row, Qt::AlignCenter | Qt::TextDontClip, number);
    m_painter.setFont(m_font);
}

/// Paints the rank, with several hosts also the host, and the GPU.
void MeshPainter::paintPlace(const PicturedDevice& device, const QRectF& room) const {
    QStringList words;
    if (!m_mesh.picture.hosts.empty())
        words += tr("rank %1").arg(device.rank);
    if (m_mesh.picture.hosts.size() > 1)
        words += QString::fromStdString(m_mesh.picture.hosts[device.host].name);
    if (device.gpu)
        words += device.gpu->name.isEmpty() ? tr("GPU %1").arg(device.gpu->number)
                                            : shortGpuName(device.gpu->name);
    m_painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                       m_metrics.elidedText(words.join(QStringLiteral(" · ")), Qt::ElideRight,
                                            static_cast<int>(room.width())));
}

void MeshPainter::paintPins(const QRectF& cell, const QColor& color) const {
    const double length = m_mesh.drawing.cells.size() > mostWithLongPins ? shortPin : pinLength;
    const int pins = std::max(2, static_cast<int>((cell.width() - 2 * radius) / pinDistance));
    const double distance = (cell.width() - 2 * radius) / pins;
    for (int pin = 0; pin < pins; ++pin) {
        const double left = cell.left() + radius + (pin + 0.5) * distance - pinWidth / 2;
        m_painter.fillRect(QRectF(left, cell.top() - length, pinWidth, length), color);
        m_painter.fillRect(QRectF(left, cell.bottom(), pinWidth, length), color);
    }
}

void MeshPainter::paintKeys(const QRectF& cell, const std::vector<int>& keys) const {
    const double keysMargin = std::min(3.0, cell.height() / 8);
    const double height = std::min(keysHeight, cell.height() / 2) - keysMargin;
    const auto count = static_cast<double>(keys.size());
    const QRectF strip(cell.left() + bandWidth(cell) + keysMargin, cell.bottom() - height - keysMargin,
                       cell.width() - bandWidth(cell) - 2 * keysMargin, height);
    const double width = strip.width() / count;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const QRectF chip(strip.left() + static_cast<double>(i) * width, strip.top(), width - 1, height);
        const RingLook look = ringLook(keys[i], m_palette);
        QPainterPath shape;
        shape.addRoundedRect(chip, chipRadius, chipRadius);
        m_painter.fillPath(shape, look.color);
        m_painter.fillPath(shape, QBrush(look.hatchColor, look.hatch));
        const QString number = QString::number(keys[i]);
        const bool isRing = m_mesh.picture.split.ring > 1;
        QString words = isRing ? tr("keys %1").arg(number) : tr("all keys");
        if (isRing && m_metrics.horizontalAdvance(words) > chip.width())
            words = number;
        if (m_metrics.horizontalAdvance(words) > chip.width() || height < m_metrics.ascent())
            continue;
        m_painter.fillRect(m_metrics.boundingRect(chip.toRect(), Qt::AlignCenter, words), look.color);
        m_painter.setPen(wordsOn(look.color));
        m_painter.drawText(chip, Qt::AlignCenter, words);
    }
}

void MeshPainter::paintTransfers() const {
    const bool many = m_mesh.step.transfers.size() > manyTransfers;
    for (const WalkTransfer& transfer : m_mesh.step.transfers) {
        const bool ofChosen = transfer.from == m_mesh.chosen || transfer.to == m_mesh.chosen;
        if (m_mesh.chosen >= 0 && !ofChosen && many)
            continue;
        const QColor color = withAlpha(m_palette.color(QPalette::WindowText),
                                       ofChosen ? 230 : (many || m_mesh.chosen >= 0 ? faintAlpha : 150));
        drawArrow(m_painter,
                  between(m_mesh.drawing.cells[static_cast<std::size_t>(transfer.from)],
                          m_mesh.drawing.cells[static_cast<std::size_t>(transfer.to)]),
                  color, ofChosen ? 2 : 1.2);
    }
}

void paintMeshOutline(QPainter& painter, const QPalette& palette, const MeshDrawing& outline,
                      const QString& words) {
    const QColor color = palette.color(QPalette::Highlight);
    painter.setBrush(withAlpha(color, groupAlpha));
    painter.setPen(QPen(withAlpha(color, blockAlpha), 1));
    for (const DrawnGroup& block : outline.blocks)
        painter.drawRoundedRect(block.frame, radius, radius);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.6, Qt::DashLine));
    for (const QRectF& cell : outline.cells)
        painter.drawRoundedRect(cell, radius, radius);

    QFont bold = painter.font();
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    QRectF label(0, 0, metrics.horizontalAdvance(words) + 2 * panelMargin, metrics.height() + spacing);
    label.moveCenter(outline.bounds().center());
    painter.setPen(QPen(color, 1));
    painter.setBrush(palette.color(QPalette::Base));
    painter.drawRoundedRect(label, radius, radius);
    painter.setFont(bold);
    painter.setPen(palette.color(QPalette::Text));
    painter.drawText(label, Qt::AlignCenter, words);
}

}  // namespace meshreel
