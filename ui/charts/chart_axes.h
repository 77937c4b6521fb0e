// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAbstractAxis;
class QChart;
class QString;
class QValueAxis;

namespace meshreel {

inline constexpr int usualTicks = 5;

/// 1, 2 or 5 times a power of ten: the tick distance that gives about so many ticks over `span`.
double niceInterval(double span, int ticks = usualTicks);

/// How many ticks have room for their labels along a vertical axis of this length in pixels.
int ticksInHeight(const QValueAxis& axis, double pixels);

/// Ticks at nice distances, the range widened to whole ones; where `high` is not above `low`, 0 to 1.
void setTicks(QValueAxis* axis, double low, double high, int ticks = usualTicks);

/// The same from 0 for a vertical axis of the chart, with no more ticks than have room for their labels,
/// whatever height the chart gets.
void setFittedTicks(QChart* chart, QValueAxis* axis, double high);

/// Shows the axis's title only while the chart is high enough for it beside the labels, none of which is cut.
void keepTitleOfHighChart(QChart* chart, QAbstractAxis* axis);

/// Whole numbers from 0 to a little past `last`, all of them when few; 0 to 10 before anything is known.
void setCountTicks(QValueAxis* axis, int last);

/// Whether the axis was given its ticks by setCountTicks().
bool countsWholeNumbers(const QValueAxis& axis);

/// Exactly this range, with ticks at such a distance and such labels.
void showTicks(QValueAxis* axis, double low, double high, double interval, const QString& labelFormat);

/// Exactly this part of a range that got its ticks from setTicks() or setCountTicks(), with about so many.
void showPart(QValueAxis* axis, double low, double high, int ticks);

}  // namespace meshreel
