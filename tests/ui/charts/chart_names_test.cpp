// SPDX-License-Identifier: GPL-3.0-or-later
// What is written in charts of many runs.
#include <QBarCategoryAxis>
#include <QChartView>
#include <QFontMetricsF>
#include <QGraphicsTextItem>
#include <QLegendMarker>
#include <QSet>
#include <QTest>
#include <QValueAxis>
#include <algorithm>

#include "tests/support/charts/charted_runs.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/run_charts.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

/// What stands in a chart, with where it stands.
std::vector<std::pair<QString, QRectF>> writtenIn(const QGraphicsScene& scene) {
    std::vector<std::pair<QString, QRectF>> written;
    const QList<QGraphicsItem*> items = scene.items();
    for (const QGraphicsItem* item : items)
        if (const auto* text = dynamic_cast<const QGraphicsTextItem*>(item);
            text && text->isVisible() && !text->toPlainText().isEmpty())
            written.emplace_back(text->toPlainText(), text->sceneBoundingRect());
    return written;
}

/// Runs with names that differ at their end and in their middle only.
std::vector<RunRecord> manyRuns(int count, bool longNames) {
    std::vector<RunRecord> runs;
    for (int index = 0; index < count; ++index) {
        runs.push_back(someRun(1));
        const std::string number = std::to_string(100 + index);
        runs.back().name = longNames
                               ? "sweep-of-all-modes-of-attention-u" + number + "-and-of-all-block-sizes"
                               : "t" + number;
    }
    return runs;
}

void addManyRuns() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("runs");
    QTest::addColumn<bool>("longNames");
    for (const QSize size : {QSize(785, 200), QSize(400, 220), QSize(840, 350), QSize(1200, 675)})
        for (const int runs : {1, 4, 8, 13})
            for (const bool longNames : {false, true})
                QTest::addRow("%d x %d, %d runs, %s names", size.width(), size.height(), runs,
                              longNames ? "long" : "short")
                    << size << runs << longNames;
}

}  // namespace

class ChartNamesTest : public QObject {
    Q_OBJECT

  private slots:
    void threeDigitsNeedNoExponent();
    void longNamesAreShortenedApart();
    void everyBarHasItsName_data();
    void everyBarHasItsName();
    void everyRunIsInTheLegend_data();
    void everyRunIsInTheLegend();
    void efficiencyIsToldFromSpeed();
};

void ChartNamesTest::longNamesAreShortenedApart() {
    const QFontMetricsF letters(ChartStyle::font());
    const double room = usualNameRoom(letters);
    const auto differing = [](const QStringList& names) {
        return QSet<QString>(names.begin(), names.end()).size();
    };
    const QString same = QStringLiteral("the same beginning of all names");
    const QStringList shortNames{QStringLiteral("ring"), QStringLiteral("ulysses")};
    QCOMPARE(shortenedNames(shortNames, letters, room), shortNames);
    QCOMPARE(shortenedNames({same, same}, letters, room).size(), 2);
    const QStringList inTheMiddle{same + QLatin1String(" u2 ") + same, same + QLatin1String(" u4 ") + same};
    QCOMPARE(shortenedNames(inTheMiddle, letters, room),
             QStringList({QStringLiteral("\u2026u2\u2026"), QStringLiteral("\u2026u4\u2026")}));
    for (const QStringList& names :
         {QStringList{same + QLatin1String(" 1"), same + QLatin1String(" 2")},
          QStringList{QLatin1String("1 ") + same, QLatin1String("2 ") + same},
          QStringList{same + QLatin1String(" 1 ") + same, same + QLatin1String(" 2 ") + same}}) {
        const QStringList shortened = shortenedNames(names, letters, room);
        QCOMPARE(differing(shortened), 2);
        for (const QString& name : shortened) {
            QVERIFY2(letters.horizontalAdvance(name) <= room, qPrintable(name));
            QVERIFY(name.contains(QChar(0x2026)));
        }
    }
}

void ChartNamesTest::everyBarHasItsName_data() {
    addManyRuns();
}

void ChartNamesTest::everyBarHasItsName() {
    QFETCH(const QSize, size);
    QFETCH(const int, runs);
    QFETCH(const bool, longNames);
    QChartView view(runChart(ChartKind::Stages, manyRuns(runs, longNames)).draw().release());
    view.resize(size);
    view.show();
    QCoreApplication::processEvents();
    const QRectF plot = view.chart()->plotArea();
    QVERIFY2(plot.left() < 0.4 * size.width(), "names leave room for the bars");
    QSet<QString> names;
    double above = plot.bottom();
    auto written = writtenIn(*view.scene());
    std::ranges::sort(written, std::greater<>(), [](const auto& each) { return each.second.top(); });
    for (const auto& [text, place] : written) {
        if (place.right() > plot.left() + 1 || text == QLatin1String("Seconds"))
            continue;
        QVERIFY2(place.left() >= -1, qPrintable(text));
        QVERIFY2(place.bottom() <= above + 1, "names do not lie upon each other");
        above = place.top();
        names += text;
    }
    QCOMPARE(names.size(), runs);
    auto* axis = qobject_cast<QBarCategoryAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    QCOMPARE(categoryName(*axis, 0), QString::fromStdString(manyRuns(runs, longNames).back().name));
}

void ChartNamesTest::everyRunIsInTheLegend_data() {
    addManyRuns();
}

void ChartNamesTest::everyRunIsInTheLegend() {
    QFETCH(const QSize, size);
    QFETCH(const int, runs);
    QFETCH(const bool, longNames);
    for (const ChartKind kind : {ChartKind::Memory, ChartKind::Steps}) {
        QChartView view(runChart(kind, manyRuns(runs, longNames)).draw().release());
        view.resize(size);
        view.show();
        QCoreApplication::processEvents();
        QSet<QString> entries;
        const QList<QLegendMarker*> markers = view.chart()->legend()->markers();
        for (const QLegendMarker* marker : markers)
            if (marker->isVisible())
                entries += marker->label();
        QCOMPARE(entries.size(), kind == ChartKind::Memory ? runs + 1 : runs);  // and what was planned
        const QRectF plot = view.chart()->plotArea();
        QVERIFY2(plot.width() > 0.4 * size.width() && plot.height() > 0.5 * size.height(),
                 "the legend leaves room for the chart");
        QSet<QString> seen;
        for (const auto& [text, place] : writtenIn(*view.scene()))
            if (entries.contains(text)) {
                seen += text;
                QVERIFY2(view.sceneRect().adjusted(-1, -1, 1, 1).contains(place), qPrintable(text));
                QVERIFY2(!plot.intersects(place.adjusted(2, 2, -2, -2)), qPrintable(text));
            }
        QCOMPARE(seen, entries);
    }
}

void ChartNamesTest::efficiencyIsToldFromSpeed() {
    std::vector<RunRecord> runs = manyRuns(6, false);
    for (int index = 0; RunRecord & run : runs)
        run.attention = "mode_number_" + std::to_string(++index);
    QChartView view(runChart(ChartKind::Scaling, runs).draw().release());
    view.resize(785, 200);
    view.show();
    QCoreApplication::processEvents();
    QChart& chart = *view.chart();
    qsizetype rings = 0;
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* series : all)
        if (const auto* marks = qobject_cast<HollowMarks*>(series)) {
            ++rings;
            QCOMPARE(marks->color(), chart.backgroundBrush().color());
            QVERIFY(marks->borderColor() != marks->color());
        }
    QCOMPARE(rings, 6);
    const auto axes = chart.axes(Qt::Vertical);
    const auto right = std::ranges::find(axes, Qt::AlignRight, &QAbstractAxis::alignment);
    QVERIFY2(qobject_cast<QValueAxis*>(*right)->max() > 105, "the mark at 100 % is whole");
    int labels = 0;
    for (const auto& [text, place] : writtenIn(*view.scene())) {
        QVERIFY2(!text.endsWith(QLatin1String("...")), qPrintable(text));
        labels += static_cast<int>(place.left() > chart.plotArea().right() && text == QLatin1String("100"));
    }
    QCOMPARE(labels, 1);
}

void ChartNamesTest::threeDigitsNeedNoExponent() {
    QCOMPARE(threeDigits(0.012345), QStringLiteral("0.0123"));
    QCOMPARE(threeDigits(1.2), QStringLiteral("1.20"));
    QCOMPARE(threeDigits(12.345), QStringLiteral("12.3"));
    QCOMPARE(threeDigits(0), QStringLiteral("0.00"));
    QCOMPARE(threeDigits(1234.4), QLocale().toString(1234));
}

MESHREEL_TEST_CLASS(ChartNamesTest)
#include "chart_names_test.moc"
