// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_pdf.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>

#include "ui/report/report_document.h"
#include "ui/report/report_page.h"

namespace meshreel {

namespace {

constexpr double layoutResolution = 96;
constexpr int pdfResolution = 300;

void paintFooter(QPainter& painter, const QString& words, int number, int pages) {
    const QRectF foot(report_page::margin, report_page::size.height() - report_page::margin,
                      report_page::size.width() - 2 * report_page::margin, report_page::footer);
    QFont font;
    font.setPixelSize(report_page::smallPixels);
    painter.setFont(font);
    painter.setPen(QColor(report_page::mutedText));
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop, words);
    painter.drawText(foot, Qt::AlignRight | Qt::AlignTop, QStringLiteral("%1 / %2").arg(number).arg(pages));
}

void paintPages(QTextDocument& document, QPdfWriter& writer, const QString& words) {
    QPainter painter(&writer);
    const double scale = static_cast<double>(pdfResolution) / layoutResolution;
    painter.scale(scale, scale);
    const QSizeF content = report_page::content;
    for (int number = 0; number < document.pageCount(); ++number) {
        if (number > 0)
            writer.newPage();
        const QRectF shown(QPointF(0, number * content.height()), content);
        painter.save();
        painter.translate(report_page::margin, report_page::margin - shown.top());
        QAbstractTextDocumentLayout::PaintContext context;
        context.clip = shown;
        context.palette.setColor(QPalette::Text, Qt::black);
        painter.setClipRect(shown);
        document.documentLayout()->draw(&painter, context);
        painter.restore();
        paintFooter(painter, words, number + 1, document.pageCount());
    }
}

}  // namespace

QByteArray reportPdf(const RunReport& report) {
    const std::unique_ptr<QTextDocument> document = reportDocument(report);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Meshreel"));
    writer.setTitle(reportTitle(report));
    writer.setResolution(pdfResolution);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF());
    paintPages(*document, writer, reportTitle(report));
    return bytes;
}

}  // namespace meshreel
