// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_chart_object.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QSvgRenderer>
#include <QTextDocument>
#include <QTextObjectInterface>

#include "ui/report/report_page.h"

namespace meshreel {

namespace {

constexpr double headingGap = 8;  ///< between a chart's title and the chart

constexpr int chartObject = QTextFormat::UserObject + 1;
constexpr int drawingProperty = QTextFormat::UserProperty + 1;
constexpr int titleProperty = QTextFormat::UserProperty + 2;

class ChartObjects : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

  public:
    using QObject::QObject;

    QSizeF intrinsicSize(QTextDocument* /*document*/, int /*position*/, const QTextFormat& format) override {
        const double width = report_page::content.width() - 1;  // a full line would wrap
        return {width,
                width * reportChartSize.height() / reportChartSize.width() + titleHeight(format, width)};
    }

    void drawObject(QPainter* painter, const QRectF& area, QTextDocument* /*document*/, int /*position*/,
                    const QTextFormat& format) override {
        QSvgRenderer drawing(format.property(drawingProperty).toByteArray());
        painter->save();
        painter->setFont(titleFont());
        painter->setPen(Qt::black);
        painter->drawText(area, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                          format.property(titleProperty).toString());
        drawing.render(painter, area.adjusted(0, titleHeight(format, area.width()), 0, 0));
        painter->restore();
    }

  private:
    static QFont titleFont() {
        QFont font;
        font.setPixelSize(report_page::textPixels);
        font.setWeight(QFont::DemiBold);
        return font;
    }

    /// Of as many lines as the title needs, with the gap behind them.
    static double titleHeight(const QTextFormat& format, double width) {
        const QRectF room(0, 0, width, report_page::content.height());
        return QFontMetricsF(titleFont())
                   .boundingRect(room, Qt::AlignLeft | Qt::TextWordWrap,
                                 format.property(titleProperty).toString())
                   .height() +
               headingGap;
    }
};

}  // namespace

void registerCharts(QTextDocument& document) {
    document.documentLayout()->registerHandler(chartObject, new ChartObjects(&document));
}

QTextCharFormat chartFormat(const ReportDrawing& chart) {
    QTextCharFormat format;
    format.setObjectType(chartObject);
    format.setProperty(drawingProperty, chart.svg);
    format.setProperty(titleProperty, chart.title);
    return format;
}

}  // namespace meshreel

#include "report_chart_object.moc"
