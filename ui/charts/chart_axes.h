// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBarCategoryAxis>
#include <QObject>
#include <QStringList>

class QAbstractAxis;
class QChart;
class QFontMetricsF;
class QLogValueAxis;
class QString;
class QValueAxis;

namespace meshreel {

/// What charts, and the numbers behind them, call the step that records count as 0.
inline constexpr int firstShownStep = 1;

inline constexpr int usualTicks = 5;

/// 1, 2 or 5 times a power of ten: the tick distance that gives about so many ticks over `span`.
double niceInterval(double span, int ticks = usualTicks);

/// Returns how many ticks have room for their labels along a vertical axis of this length in pixels.
int ticksInHeight(const QValueAxis& axis, double pixels);

/// Ticks at nice distances, the range widened to whole ones; where `high` is not above `low`, 0 to 1.
void setTicks(QValueAxis* axis, double low, double high, int ticks = usualTicks);

/// Sets ticks from 0 for a vertical axis of the chart, with no more of them than have room for their labels,
/// whatever height the chart gets.
void setFittedTicks(QChart* chart, QValueAxis* axis, double high);

/// Shows the axis's title only while the chart is high enough for it beside the labels, none of which may be
/// cut.
void keepTitleOfHighChart(QChart* chart, QAbstractAxis* axis);

/// Whole numbers from 0 to a little past `last`, all of them when few; 0 to 10 before anything is known.
void setCountTicks(QValueAxis* axis, int last);

/// Returns whether the axis was given its ticks by setCountTicks().
bool countsWholeNumbers(const QValueAxis& axis);

/// Shows exactly this range, with the given tick interval and labels.
void showTicks(QValueAxis* axis, double low, double high, double interval, const QString& labelFormat);

/// Shows exactly this part of a range that got its ticks from setTicks() or setCountTicks(), with about so
/// many.
void showPart(QValueAxis* axis, double low, double high, int ticks);

/// What a vertical axis has to have room for.
struct ValueExtent {
    double from = 0;   ///< where a linear axis begins
    double least = 0;  ///< the lowest value, where a logarithmic axis begins
    double most = 0;   ///< the highest
};

/// The left axis of a chart, linear or logarithmic as its reader wishes.
class ScaledAxis : public QObject {
    Q_OBJECT

  public:
    explicit ScaledAxis(QChart* chart);
    ~ScaledAxis() override;

    /// Returns the axis in use.
    [[nodiscard]] QAbstractAxis* axis() const;
    void setTitle(const QString& title);
    void setExtent(const ValueExtent& extent);

    /// Returns whether all values have a logarithm.
    [[nodiscard]] bool canBeLogarithmic() const;
    [[nodiscard]] bool isLogarithmic() const { return m_isLogarithmic; }
    /// The series move to the other axis. Stays linear until it can be logarithmic.
    void setLogarithmic(bool logarithmic);

  signals:
    /// The result of canBeLogarithmic() has changed.
    void possibilityChanged();
    /// axis() is another one.
    void replaced();

  private:
    void fit();
    void placeTicks();
    void place();
    void replaceAxis();

    QChart* m_chart;
    QValueAxis* m_linear;
    QLogValueAxis* m_logarithmic;
    ValueExtent m_extent;
    int m_ticks = 0;  ///< ticks of the linear axis; 0: not set yet
    bool m_wanted = false;
    bool m_isLogarithmic = false;
};

/// Pixels that a name in a chart may take if there is room for all: those of about 24 letters.
double usualNameRoom(const QFontMetricsF& letters);

/// Shortens each name to a number of pixels. It cuts out the middle; if different names would then look
/// equal, one end, or what they have in common at both; and if they still look equal, it numbers them.
QStringList shortenedNames(const QStringList& names, const QFontMetricsF& letters, double room);

/// The names of lying bars. Long ones are shortened, and all are written in smaller letters where the bars
/// are thin; where even those have no room, some are left out.
class NameAxis : public QBarCategoryAxis {
    Q_OBJECT

  public:
    /// Different names, from below. The chart owns the axis.
    NameAxis(QStringList names, QChart* chart);

    /// Returns the whole name of a bar, from below.
    [[nodiscard]] QString nameAt(int index) const { return m_names.value(index); }

    /// Again, as the chart has other letters.
    void fit();

  private:
    QStringList m_names;
    QChart& m_chart;
    bool m_fitting = false;
};

/// Returns the whole name of a bar or group of bars.
QString categoryName(QBarCategoryAxis& axis, int index);

}  // namespace meshreel
