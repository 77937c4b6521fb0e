// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rating/ranking_view.h"

#include <QFontMetrics>
#include <QLocale>
#include <QPainter>
#include <QPalette>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/units.h"
#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"

namespace meshreel {

namespace {

constexpr double barThickness = 8;
constexpr double dotDiameter = 12;
constexpr double barOpacity = 0.35;
constexpr int placeWidth = 64;
constexpr int leastBarWidth = 160;
constexpr double lineHeights = 2.2;  ///< of a line, in heights of its letters
constexpr double nameShare = 0.38;   ///< of the width
constexpr double middle = 0.5;

QString wholePercent(double share) {
    return QLocale().toString(percent * share, 'f', 0);
}

QString placeText(const RankedItem& ranked) {
    if (!ranked.preference)
        return QStringLiteral("–");
    const QString best = QLocale().toString(ranked.bestPlace);
    return ranked.bestPlace == ranked.worstPlace
               ? best
               : RankingView::tr("%1 to %2", "places").arg(best, QLocale().toString(ranked.worstPlace));
}

}  // namespace

RankingView::RankingView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Ranking of the settings"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
}

void RankingView::setLines(std::vector<RankingLine> lines) {
    m_lines = std::move(lines);
    QStringList texts;
    for (const RankingLine& line : m_lines)
        texts += lineText(line);
    setAccessibleDescription(texts.join(QLatin1Char('\n')));
    updateGeometry();
    update();
}

QString RankingView::lineText(const RankingLine& line) {
    if (!line.ranked.preference)
        return tr("%1: no votes yet", "setting").arg(line.name);
    const Preference& preference = *line.ranked.preference;
    return tr("%1: %2, preferred in %3 % (%4 to %5 %), %n votes", "place, setting, share and its interval",
              line.ranked.votes)
        .arg(placeText(line.ranked), line.name, wholePercent(preference.share), wholePercent(preference.low),
             wholePercent(preference.high));
}

int RankingView::lineHeight() const {
    return static_cast<int>(std::lround(lineHeights * fontMetrics().height()));
}

QSize RankingView::sizeHint() const {
    constexpr int usualWidth = 720;
    return {usualWidth, static_cast<int>(m_lines.size()) * lineHeight()};
}

QSize RankingView::minimumSizeHint() const {
    return {placeWidth + 2 * leastBarWidth, sizeHint().height()};
}

void RankingView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t line = 0; line < m_lines.size(); ++line) {
        const int top = static_cast<int>(line) * lineHeight();
        if (line > 0 && m_lines[line].ranked.group != m_lines[line - 1].ranked.group) {
            painter.setPen(QPen(mixedColor(palette().color(QPalette::Window),
                                           palette().color(QPalette::WindowText), barOpacity),
                                1, Qt::DotLine));
            painter.drawLine(0, top, width(), top);
        }
        paintLine(painter, m_lines[line], QRect(0, top, width(), lineHeight()));
    }
}

void RankingView::paintLine(QPainter& painter, const RankingLine& line, const QRect& place) const {
    const int nameWidth = static_cast<int>(nameShare * place.width());
    const QString numbers =
        line.ranked.preference
            ? tr("%1 % (%2 to %3)", "share and its interval, percentages")
                  .arg(wholePercent(line.ranked.preference->share), wholePercent(line.ranked.preference->low),
                       wholePercent(line.ranked.preference->high))
            : tr("no votes");
    const int numberWidth =
        fontMetrics().horizontalAdvance(tr("%1 % (%2 to %3)", "share and its interval, percentages")
                                            .arg(wholePercent(1), wholePercent(1), wholePercent(1))) +
        spacing;
    const QRect placeBox(place.left(), place.top(), placeWidth, place.height());
    const QRect nameBox(placeBox.right() + spacing, place.top(), nameWidth, place.height());
    const QRect numberBox(place.right() - numberWidth, place.top(), numberWidth, place.height());
    const QRect barBox(nameBox.right() + spacing, place.top(),
                       std::max(0, numberBox.left() - nameBox.right() - 2 * spacing), place.height());
    painter.setPen(line.ranked.preference ? palette().color(QPalette::WindowText) : mutedColor(palette()));
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.drawText(placeBox, Qt::AlignRight | Qt::AlignVCenter, placeText(line.ranked));
    painter.setFont(font());
    painter.drawText(nameBox, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(line.name, Qt::ElideMiddle, nameBox.width()));
    painter.setPen(mutedColor(palette()));
    painter.drawText(numberBox, Qt::AlignRight | Qt::AlignVCenter, numbers);
    if (line.ranked.preference)
        paintBar(painter, *line.ranked.preference, barBox);
}

void RankingView::paintBar(QPainter& painter, const Preference& preference, const QRect& place) const {
    const QColor accent = palette().color(QPalette::Highlight);
    const double y = place.center().y() + middle;
    const auto at = [&place](double share) { return place.left() + share * place.width(); };
    painter.setPen(Qt::NoPen);
    QColor track = palette().color(QPalette::WindowText);
    constexpr double trackOpacity = 0.08;
    track.setAlphaF(static_cast<float>(trackOpacity));
    painter.setBrush(track);
    painter.drawRoundedRect(QRectF(at(0), y - barThickness / 2, place.width(), barThickness),
                            barThickness / 2, barThickness / 2);
    QColor range = accent;
    range.setAlphaF(static_cast<float>(barOpacity));
    painter.setBrush(range);
    painter.drawRoundedRect(QRectF(at(preference.low), y - barThickness / 2,
                                   at(preference.high) - at(preference.low), barThickness),
                            barThickness / 2, barThickness / 2);
    painter.setPen(QPen(mutedColor(palette()), 1, Qt::DashLine));
    painter.drawLine(QPointF(at(middle), place.top()), QPointF(at(middle), place.bottom() + 1));
    painter.setPen(Qt::NoPen);
    painter.setBrush(accent);
    painter.drawEllipse(QPointF(at(preference.share), y), dotDiameter / 2, dotDiameter / 2);
}

}  // namespace meshreel

#include "moc_ranking_view.cpp"
