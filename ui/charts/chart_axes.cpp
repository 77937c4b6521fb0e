// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_axes.h"

#include <QAbstractSeries>
#include <QChart>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QHash>
#include <QLogValueAxis>
#include <QScopedValueRollback>
#include <QSet>
#include <QTextDocument>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr int fewestTicks = 1;
constexpr double labelPitch = 2.2;  ///< of tick labels, in heights of their letters: closer ones are left out
constexpr double titledHeight = 11;  ///< of a chart whose axis has a title, in heights of its letters
constexpr int emptyCount = 10;       ///< length of a count axis before anything is known
// Qt Charts writes numbers as the reader's language does only for formats with a precision.
constexpr const char* countFormat = "%.1d";
constexpr const char* logarithmicFormat = "%.6g";
constexpr double endMargin = 0.02;  ///< share of a count axis kept free behind its last value

QString decimalFormat(double interval) {
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(interval))));
    return QStringLiteral("%.%1f").arg(decimals);
}

}  // namespace

double niceInterval(double span, int ticks) {
    const double raw = span / ticks;
    const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
    const double share = raw / magnitude;
    return magnitude * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

int ticksInHeight(const QValueAxis& axis, double pixels) {
    const double pitch = labelPitch * QFontMetricsF(axis.labelsFont()).height();
    return std::clamp(static_cast<int>(pixels / pitch), fewestTicks, usualTicks);
}

void setTicks(QValueAxis* axis, double low, double high, int ticks) {
    const bool drawable = std::isfinite(low) && std::isfinite(high) && high > low;
    if (!drawable) {
        low = 0;
        high = 1;
    }
    const double interval = niceInterval(high - low, ticks);
    showTicks(axis, std::floor(low / interval) * interval, std::ceil(high / interval) * interval, interval,
              decimalFormat(interval));
}

void setFittedTicks(QChart* chart, QValueAxis* axis, double high) {
    axis->setTruncateLabels(false);
    const auto fit = [chart, axis, high, placed = 0]() mutable {
        const double height = chart->plotArea().height();
        const int ticks = height > 0 ? ticksInHeight(*axis, height) : usualTicks;
        if (ticks == placed)
            return;  // the reader may have zoomed
        placed = ticks;
        setTicks(axis, 0, high, ticks);
    };
    QObject::connect(chart, &QChart::plotAreaChanged, axis, fit);
    setTicks(axis, 0, high);
}

void keepTitleOfHighChart(QChart* chart, QAbstractAxis* axis) {
    axis->setTruncateLabels(false);
    const auto fit = [chart, axis] {
        axis->setTitleVisible(chart->size().height() >
                              titledHeight * QFontMetricsF(axis->labelsFont()).height());
    };
    QObject::connect(chart, &QGraphicsWidget::geometryChanged, axis, fit);
    fit();
}

void setCountTicks(QValueAxis* axis, int last) {
    const double end = last > 0 ? last : emptyCount;
    showTicks(axis, 0, end + std::max(end * endMargin, 0.2), std::max(1.0, niceInterval(end)),
              QLatin1StringView(countFormat));
}

bool countsWholeNumbers(const QValueAxis& axis) {
    return axis.labelFormat() == QLatin1StringView(countFormat);
}

void showTicks(QValueAxis* axis, double low, double high, double interval, const QString& labelFormat) {
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickAnchor(0);
    axis->setLabelFormat(labelFormat);
    // Qt Charts counts the ticks at once: never those of a long range at a short distance.
    if (interval >= axis->tickInterval()) {
        axis->setTickInterval(interval);
        axis->setRange(low, high);
    } else {
        axis->setRange(low, high);
        axis->setTickInterval(interval);
    }
}

void showPart(QValueAxis* axis, double low, double high, int ticks) {
    const double interval = niceInterval(high - low, ticks);
    if (countsWholeNumbers(*axis))
        showTicks(axis, low, high, std::max(1.0, interval), axis->labelFormat());
    else
        showTicks(axis, low, high, interval, decimalFormat(interval));
}

namespace {

constexpr double headroom = 1.08;    ///< share of the axis kept above the highest value
constexpr double decadesFrom = 100;  ///< ratio of most and least from which ticks are powers of ten
constexpr double decade = 10;
constexpr double octave = 2;

void copyLook(const QAbstractAxis& from, QAbstractAxis& to) {
    to.setTitleText(from.titleText());
    to.setTitleFont(from.titleFont());
    to.setTitleBrush(from.titleBrush());
    to.setLabelsFont(from.labelsFont());
    to.setLabelsBrush(from.labelsBrush());
    to.setLinePen(from.linePen());
    to.setGridLinePen(from.gridLinePen());
}

}  // namespace

ScaledAxis::ScaledAxis(QChart* chart)
    : QObject(chart), m_chart(chart), m_linear(new QValueAxis(this)), m_logarithmic(new QLogValueAxis(this)) {
    m_logarithmic->setLabelFormat(QLatin1StringView(logarithmicFormat));
    m_logarithmic->setTruncateLabels(false);
    m_linear->setTruncateLabels(false);
    chart->addAxis(m_linear, Qt::AlignLeft);
    connect(chart, &QChart::plotAreaChanged, this, &ScaledAxis::fit);
}

ScaledAxis::~ScaledAxis() = default;

QAbstractAxis* ScaledAxis::axis() const {
    return m_isLogarithmic ? static_cast<QAbstractAxis*>(m_logarithmic) : m_linear;
}

void ScaledAxis::setTitle(const QString& title) {
    axis()->setTitleText(title);
}

void ScaledAxis::setExtent(const ValueExtent& extent) {
    const bool could = canBeLogarithmic();
    m_extent = extent;
    if (could != canBeLogarithmic())
        emit possibilityChanged();
    if (m_isLogarithmic != (m_wanted && canBeLogarithmic()))
        replaceAxis();
    else
        place();
}

bool ScaledAxis::canBeLogarithmic() const {
    return m_extent.least > 0 && m_extent.most >= m_extent.least;
}

void ScaledAxis::setLogarithmic(bool logarithmic) {
    m_wanted = logarithmic;
    if (m_isLogarithmic != (m_wanted && canBeLogarithmic()))
        replaceAxis();
}

void ScaledAxis::replaceAxis() {
    QAbstractAxis* former = axis();
    m_isLogarithmic = !m_isLogarithmic;
    QAbstractAxis* next = axis();
    copyLook(*former, *next);
    QList<QAbstractSeries*> moved;
    const QList<QAbstractSeries*> all = m_chart->series();
    for (QAbstractSeries* series : all)
        if (series->attachedAxes().contains(former))
            moved.append(series);
    place();
    if (m_isLogarithmic)
        m_linear->setRange(m_extent.least, m_extent.most);  // which series take along: without zero
    m_chart->removeAxis(former);
    former->setParent(this);
    m_chart->addAxis(next, Qt::AlignLeft);
    for (QAbstractSeries* series : moved)
        series->attachAxis(next);
    place();
    emit replaced();
}

void ScaledAxis::fit() {
    if (!m_isLogarithmic)
        placeTicks();
}

void ScaledAxis::placeTicks() {
    const double height = m_chart->plotArea().height();
    const int ticks = height > 0 ? ticksInHeight(*m_linear, height) : usualTicks;
    if (ticks == m_ticks)
        return;  // the reader may have zoomed
    m_ticks = ticks;
    setTicks(m_linear, m_extent.from, m_extent.most * headroom, ticks);
}

void ScaledAxis::place() {
    if (!m_isLogarithmic) {
        m_ticks = 0;
        placeTicks();
        return;
    }
    const double base = m_extent.most / m_extent.least < decadesFrom ? octave : decade;
    const auto power = [base](double value) { return std::log(value) / std::log(base); };
    const double low = std::floor(power(m_extent.least));
    const double high = std::max(low + 1, std::ceil(power(m_extent.most)));
    m_logarithmic->setBase(base);
    m_logarithmic->setRange(std::pow(base, low), std::pow(base, high));
}

namespace {

constexpr int usualLetters = 24;

QStringList elided(const QStringList& names, const QFontMetricsF& letters, Qt::TextElideMode mode,
                   double room) {
    QStringList shortened;
    for (const QString& name : names)
        shortened += letters.elidedText(name, mode, room);
    return shortened;
}

qsizetype differing(const QStringList& names) {
    return QSet<QString>(names.begin(), names.end()).size();
}

/// How many letters all names begin with alike, up to the last whole word.
qsizetype sharedStart(const QStringList& names) {
    const QString& first = names.constFirst();
    qsizetype length = first.size();
    for (const QString& name : names) {
        const auto [end, other] =
            std::mismatch(first.begin(), first.begin() + length, name.begin(), name.end());
        length = end - first.begin();
    }
    while (length > 0 && (first[length - 1].isLetterOrNumber() || first[length - 1].isSurrogate()))
        --length;
    return length;
}

QStringList reversed(QStringList names) {
    for (QString& name : names)
        std::reverse(name.begin(), name.end());
    return names;
}

/// The names without the words that all of them begin and end with.
QStringList differingParts(const QStringList& names) {
    const QString gap(QChar(0x2026));  // …
    const qsizetype start = sharedStart(names);
    const qsizetype end = sharedStart(reversed(names));
    QStringList parts;
    for (const QString& name : names) {
        const QString part = name.mid(start, std::max<qsizetype>(0, name.size() - start - end));
        parts += (start > 0 ? gap : QString()) + part + (end > 0 ? gap : QString());
    }
    return parts;
}

/// The second of two different names that look the same gets "(2)" behind it.
QStringList numbered(const QStringList& names, const QStringList& shortened) {
    QStringList told;
    QHash<QString, QStringList> meant;
    for (qsizetype index = 0; index < names.size(); ++index) {
        QStringList& same = meant[shortened[index]];
        if (!same.contains(names[index]))
            same += names[index];
        const qsizetype number = same.indexOf(names[index]) + 1;
        told += number == 1 ? shortened[index] : QStringLiteral("%1 (%2)").arg(shortened[index]).arg(number);
    }
    return told;
}

}  // namespace

double usualNameRoom(const QFontMetricsF& letters) {
    return usualLetters * letters.averageCharWidth();
}

QStringList shortenedNames(const QStringList& names, const QFontMetricsF& letters, double room) {
    for (const Qt::TextElideMode mode : {Qt::ElideMiddle, Qt::ElideLeft, Qt::ElideRight}) {
        QStringList shortened = elided(names, letters, mode, room);
        if (differing(shortened) == differing(names))
            return shortened;
    }
    QStringList parts = elided(differingParts(names), letters, Qt::ElideMiddle, room);
    if (differing(parts) == differing(names))
        return parts;
    const double numberRoom = letters.horizontalAdvance(QStringLiteral(" (99)"));
    return numbered(names, elided(names, letters, Qt::ElideMiddle, room - numberRoom));
}

namespace {

constexpr double barNames = 1.5;    ///< room of a bar's name: nothing else distinguishes the bars
constexpr double mostShare = 0.3;   ///< of the width, for the names
constexpr int leastPixels = 6;      ///< for letters, so that those who look closely can read them
constexpr double nameMargin = 0.5;  ///< pixels that Qt Charts keeps free around a label

/// The height of a label as Qt Charts lays it out.
double labelHeight(const QFont& font) {
    QTextDocument label;
    label.setDocumentMargin(nameMargin);
    label.setDefaultFont(font);
    label.setPlainText(QStringLiteral("8"));
    return label.size().height();
}

/// The chart's letters, made smaller for lines at this distance in pixels: for every second of them where
/// letters would be too small for all, and so on. Qt Charts leaves out those that overlap.
QFont lettersFor(double pitch) {
    for (double lines = pitch;; lines += pitch) {
        QFont font = ChartStyle::font();
        int pixels = QFontInfo(font).pixelSize();
        while (pixels > leastPixels && labelHeight(font) > std::floor(lines))
            font.setPixelSize(--pixels);
        if (pixels > leastPixels || labelHeight(font) <= std::floor(lines))
            return font;
    }
}

}  // namespace

NameAxis::NameAxis(QStringList names, QChart* chart)
    : QBarCategoryAxis(chart), m_names(std::move(names)), m_chart(*chart) {
    setTruncateLabels(false);
    fit();
    connect(chart, &QChart::plotAreaChanged, this, &NameAxis::fit);
}

void NameAxis::fit() {
    if (m_fitting || m_names.isEmpty())
        return;
    const QScopedValueRollback guard(m_fitting, true);
    QFont font = ChartStyle::font();
    double room = barNames * usualNameRoom(QFontMetricsF(font));
    if (const double height = m_chart.plotArea().height(); height > 0) {
        font = lettersFor(height / static_cast<double>(m_names.size()));
        const QMargins margins = m_chart.margins();
        room = std::min(room, mostShare * (m_chart.size().width() - margins.left() - margins.right()));
    }
    QStringList shown = shortenedNames(m_names, QFontMetricsF(font), room);
    for (QString& name : shown)
        name = name.toHtmlEscaped();  // Qt Charts would read mark-up, and open pictures
    if (shown != categories())
        setCategories(shown);
    setLabelsFont(font);
}

QString categoryName(QBarCategoryAxis& axis, int index) {
    const auto* named = qobject_cast<NameAxis*>(&axis);
    return named == nullptr ? axis.categories().value(index) : named->nameAt(index);
}

}  // namespace meshreel

#include "moc_chart_axes.cpp"
