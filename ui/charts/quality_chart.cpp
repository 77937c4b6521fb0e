// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/quality_chart.h"

#include <QChart>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLegend>
#include <QLineF>
#include <QLineSeries>
#include <QLocale>
#include <QPainter>
#include <QPen>
#include <QScatterSeries>
#include <QValueAxis>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/units.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/pair_ranking.h"
#include "engine/timing/verdict.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr double marksOverPoints = 45;  ///< height in the stack; Qt's series and axes stand below 10
constexpr double pointDiameter = 11;
constexpr double barWidth = 1.5;
constexpr double capLength = 8;
constexpr double nameGap = 9;  ///< pixels between a point and its name
constexpr double mostNameShare = 0.4;
constexpr double evenShare = 50;  ///< of a setting that is neither preferred nor passed over

QString shareText(double share) {
    return QLocale().toString(percent * share, 'f', 0);
}

QPointF pointOf(const QualityRow& row) {
    return {row.inference.median, percent * row.ranked.preference->share};
}

}  // namespace

QualityMarks::QualityMarks(QChart& chart, QXYSeries& points, std::vector<QualityRow> rows)
    : QGraphicsItem(&chart),
      m_chart(chart),
      m_points(points),
      m_rows(std::move(rows)),
      m_area(chart.plotArea()) {
    setZValue(marksOverPoints);
    setAcceptedMouseButtons(Qt::NoButton);
    QObject::connect(&chart, &QChart::plotAreaChanged, &chart, [this](const QRectF& area) {
        prepareGeometryChange();
        m_area = area;
    });
}

QString QualityMarks::nameOf(std::size_t row) const {
    const QFontMetricsF metrics(ChartStyle::font());
    return metrics.elidedText(QString::fromStdString(m_rows[row].label), Qt::ElideMiddle,
                              mostNameShare * m_area.width());
}

/// To the right of its point, to the left, above or below it, a little off the bars.
std::vector<QRectF> QualityMarks::namePlaces() const {
    const QFontMetricsF metrics(ChartStyle::font());
    std::vector<QRectF> taken;
    for (const QualityRow& row : m_rows) {
        QRectF point(QPointF(), QSizeF(pointDiameter, pointDiameter));
        point.moveCenter(m_chart.mapToPosition(pointOf(row), &m_points));
        taken.push_back(point);
    }
    std::vector<QRectF> places;
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        const QPointF at = m_chart.mapToPosition(pointOf(m_rows[row]), &m_points);
        const QSizeF size(metrics.horizontalAdvance(nameOf(row)) + 2, metrics.height());
        const double above = at.y() - size.height() - nameGap / 2;
        const double below = at.y() + nameGap / 2;
        const double right = at.x() + nameGap;
        const double left = at.x() - nameGap - size.width();
        QRectF place;
        for (const QPointF& corner :
             {QPointF(right, above), QPointF(right, below), QPointF(left, above), QPointF(left, below)}) {
            const QRectF box(corner, size);
            const bool free =
                std::ranges::none_of(taken, [&box](const QRectF& other) { return box.intersects(other); });
            if (m_area.contains(box) && free) {
                place = box;
                taken.push_back(box);
                break;
            }
        }
        places.push_back(place);
    }
    return places;
}

void QualityMarks::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
    const auto inside = [this](const QPointF& place) {
        return QPointF(std::clamp(place.x(), m_area.left(), m_area.right()),
                       std::clamp(place.y(), m_area.top(), m_area.bottom()));
    };
    painter->setPen(QPen(ChartStyle::series(0), barWidth));
    for (const QualityRow& row : m_rows) {
        const QPointF middle = pointOf(row);
        if (!m_area.contains(m_chart.mapToPosition(middle, &m_points)))
            continue;
        const auto at = [&](double seconds, double share) {
            return m_chart.mapToPosition({seconds, percent * share}, &m_points);
        };
        const Preference& preference = *row.ranked.preference;
        for (const auto& [from, to] :
             {std::pair(at(middle.x(), preference.low), at(middle.x(), preference.high)),
              std::pair(at(row.inference.fastest, preference.share),
                        at(row.inference.slowest, preference.share))}) {
            if (QLineF(from, to).length() < pointDiameter)
                continue;
            painter->drawLine(inside(from), inside(to));
            const QPointF cap = from.x() == to.x() ? QPointF(capLength / 2, 0) : QPointF(0, capLength / 2);
            for (const QPointF& end : {from, to})
                if (m_area.contains(end))
                    painter->drawLine(inside(end - cap), inside(end + cap));
        }
    }
    painter->setFont(ChartStyle::font());
    painter->setPen(m_chart.legend()->labelColor());
    const std::vector<QRectF> places = namePlaces();
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        if (!places[row].isEmpty() && m_area.contains(m_chart.mapToPosition(pointOf(m_rows[row]), &m_points)))
            painter->drawText(places[row], Qt::AlignCenter | Qt::TextDontClip, nameOf(row));
}

namespace {

class QualityChart : public ReadableChart {
  public:
    explicit QualityChart(std::vector<QualityRow> rows);

    [[nodiscard]] std::optional<ChartValue> valueNear(const QPointF& position) override;
    [[nodiscard]] QList<QPointF> valuePlaces() override;

  private:
    void addEvenLine();
    [[nodiscard]] static QString wordsOf(const QualityRow& row);

    std::vector<QualityRow> m_rows;
    QValueAxis* m_seconds;
    QValueAxis* m_share;
    QScatterSeries* m_points;
};

QualityChart::QualityChart(std::vector<QualityRow> rows)
    : m_rows(std::move(rows)),
      m_seconds(new QValueAxis(this)),
      m_share(new QValueAxis(this)),
      m_points(new QScatterSeries(this)) {
    addAxis(m_seconds, Qt::AlignBottom);
    addAxis(m_share, Qt::AlignLeft);
    m_seconds->setTitleText(QCoreApplication::translate("RunCharts", "Seconds of inference"));
    m_share->setTitleText(QCoreApplication::translate("RunCharts", "Preferred in % of comparisons"));
    double slowest = 0;
    for (const QualityRow& row : m_rows)
        slowest = std::max(slowest, row.inference.slowest);
    constexpr double room = 1.15;  // for names to the right
    setTicks(m_seconds, 0, room * slowest);
    setFittedTicks(this, m_share, percent);
    keepTitleOfHighChart(this, m_share);
    addEvenLine();
    m_points->setMarkerSize(pointDiameter);
    m_points->setColor(ChartStyle::series(0));
    m_points->setBorderColor(Qt::transparent);
    for (const QualityRow& row : m_rows)
        m_points->append(pointOf(row));
    addSeries(m_points);
    m_points->attachAxis(m_seconds);
    m_points->attachAxis(m_share);
    leaveOutOfLegend(*m_points);  // it has no names
    legend()->hide();
    new QualityMarks(*this, *m_points, m_rows);  // the chart's child
    ChartStyle::print().applyTo(*this);
}

void QualityChart::addEvenLine() {
    auto* even = new QLineSeries(this);
    even->setPen(QPen(ChartStyle::guide(), 1, Qt::DashLine));
    even->append(0, evenShare);
    even->append(m_seconds->max(), evenShare);
    addSeries(even);
    even->attachAxis(m_seconds);
    even->attachAxis(m_share);
    leaveOutOfLegend(*even);
}

QString QualityChart::wordsOf(const QualityRow& row) {
    const Preference& preference = *row.ranked.preference;
    QStringList lines{QString::fromStdString(row.label),
                      QCoreApplication::translate("RunCharts", "Preferred: %1 % (%2 to %3 %), %4 votes")
                          .arg(shareText(preference.share), shareText(preference.low),
                               shareText(preference.high), QLocale().toString(row.ranked.votes)),
                      QCoreApplication::translate("RunCharts", "Seconds of inference: %1")
                          .arg(threeDigits(row.inference.median))};
    if (row.inference.count > 1)
        lines.back() += QCoreApplication::translate("RunCharts", " (%1 to %2)", "least and most seconds")
                            .arg(threeDigits(row.inference.fastest), threeDigits(row.inference.slowest));
    return lines.join(QLatin1Char('\n'));
}

std::optional<ChartValue> QualityChart::valueNear(const QPointF& position) {
    std::optional<ChartValue> nearest;
    double distance = pointingReach;
    for (const QualityRow& row : m_rows) {
        const QPointF at = mapToPosition(pointOf(row), m_points);
        const double away = QLineF(at, position).length();
        if (away >= distance || !plotArea().contains(at))
            continue;
        distance = away;
        nearest = {at, pointOf(row), wordsOf(row)};
    }
    return nearest;
}

QList<QPointF> QualityChart::valuePlaces() {
    QList<QPointF> places;
    for (const QualityRow& row : m_rows)
        if (const QPointF at = mapToPosition(pointOf(row), m_points); plotArea().contains(at))
            places.append(at);
    return places;
}

}  // namespace

ChartSheet qualitySheet(const std::vector<RunRecord>& runs) {
    const std::vector<QualityRow> rows = qualityRows(runs);
    if (!haveVotes(rows))
        throw Error(ErrorKind::Project, sentence("Nobody has voted on the videos of these runs"), {},
                    sentence("Compare them in pairs with Rate, in the Studio"));
    std::vector<QualityRow> drawn;
    std::ranges::copy_if(rows, std::back_inserter(drawn),
                         [](const QualityRow& row) { return row.isPlaced() && row.ranked.group == 0; });
    if (drawn.empty())
        throw Error(ErrorKind::Project,
                    sentence("None of these runs is finished: their seconds are not known"), {},
                    sentence("Resume the runs"));
    return {.draw = [drawn]() -> std::unique_ptr<QChart> { return std::make_unique<QualityChart>(drawn); },
            .numbers = qualityTable(rows)};
}

}  // namespace meshreel
