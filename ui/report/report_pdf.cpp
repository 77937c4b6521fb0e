// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_pdf.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>
#include <QTextTable>
#include <algorithm>

namespace meshreel {

namespace {

// The page is laid out in pixels of 96 dpi, whatever the screen has.
constexpr int layoutResolution = 96;
constexpr int pdfResolution = 300;
constexpr QSizeF page{794, 1123};
constexpr double pageMargin = 52;
constexpr double footerHeight = 28;
constexpr double headingHeight = 24;  ///< of a chart
constexpr int textPixels = 12;
constexpr int smallPixels = 10;
constexpr int sectionPixels = 17;
constexpr int titlePixels = 26;
constexpr double cellPadding = 3;
constexpr double sectionGap = 22;
constexpr double blockGap = 8;
constexpr QRgb mutedText = qRgb(0x5d, 0x68, 0x73);
constexpr QRgb ruleColor = qRgb(0xd9, 0xde, 0xe3);
constexpr QRgb softGround = qRgb(0xf4, 0xf6, 0xf8);

constexpr int chartObject = QTextFormat::UserObject + 1;
constexpr int drawingProperty = QTextFormat::UserProperty + 1;
constexpr int titleProperty = QTextFormat::UserProperty + 2;

QSizeF contentSize() {
    return {page.width() - 2 * pageMargin, page.height() - 2 * pageMargin - footerHeight};
}

/// Charts as characters of a text under their titles, drawn as vectors.
class ChartObjects : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

  public:
    using QObject::QObject;

    QSizeF intrinsicSize(QTextDocument* /*document*/, int /*position*/,
                         const QTextFormat& /*format*/) override {
        const double width = contentSize().width() - 1;  // a full line would wrap
        return {width, width * reportChartSize.height() / reportChartSize.width() + headingHeight};
    }

    void drawObject(QPainter* painter, const QRectF& area, QTextDocument* /*document*/, int /*position*/,
                    const QTextFormat& format) override {
        QSvgRenderer drawing(format.property(drawingProperty).toByteArray());
        QFont font;
        font.setPixelSize(textPixels);
        font.setWeight(QFont::DemiBold);
        painter->save();
        painter->setFont(font);
        painter->setPen(Qt::black);
        painter->drawText(area, Qt::AlignLeft | Qt::AlignTop, format.property(titleProperty).toString());
        drawing.render(painter, area.adjusted(0, headingHeight, 0, 0));
        painter->restore();
    }
};

QTextCharFormat charFormat(int pixels, QFont::Weight weight = QFont::Normal, QColor color = Qt::black) {
    QFont font;
    font.setPixelSize(pixels);
    font.setWeight(weight);
    QTextCharFormat format;
    format.setFont(font);
    format.setForeground(color);
    return format;
}

QTextBlockFormat blockFormat(double above, double below = 0) {
    QTextBlockFormat format;
    format.setTopMargin(above);
    format.setBottomMargin(below);
    return format;
}

/// Appends each kind of block to a document.
class PdfWriter {
  public:
    explicit PdfWriter(QTextDocument& document) : m_cursor(&document) {}

    void title(const QString& text, const QString& subtitle) {
        m_cursor.setBlockFormat(blockFormat(0));
        m_cursor.insertText(text, charFormat(titlePixels, QFont::DemiBold));
        paragraph(subtitle, charFormat(textPixels, QFont::Normal, QColor(mutedText)), 2);
    }

    /// Charts and fixed-pitch blocks begin a page, as they would be torn apart otherwise.
    void section(const ReportSection& section) {
        const ReportBlock& first = section.blocks.front();
        const bool ofItsOwn =
            std::holds_alternative<ReportDrawing>(first) || std::holds_alternative<ReportText>(first);
        QTextBlockFormat format = blockFormat(ofItsOwn ? 0 : sectionGap, blockGap);
        if (ofItsOwn)
            format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        m_cursor.insertBlock(format, charFormat(sectionPixels, QFont::DemiBold));
        m_cursor.insertText(section.title);
        for (const ReportBlock& block : section.blocks)
            std::visit(*this, block);
    }

    void operator()(const ReportTable& table) {
        const auto columns = static_cast<int>(table.columns.size());
        QTextTable* drawn = insertTable(static_cast<int>(table.rows.size()) + 1, columns, true);
        for (int column = 0; column < columns; ++column) {
            const ReportTable::Column& titled = table.columns[static_cast<std::size_t>(column)];
            const int pixels = columns > wideTable ? smallPixels - 1 : smallPixels;
            fill(drawn->cellAt(0, column), titled.title, titled.isNumber,
                 charFormat(pixels, QFont::DemiBold, QColor(mutedText)));
            for (std::size_t row = 0; row < table.rows.size(); ++row)
                fill(drawn->cellAt(static_cast<int>(row) + 1, column), table.rows[row][column],
                     titled.isNumber, charFormat(pixels));
        }
        m_cursor.movePosition(QTextCursor::End);
    }

    void operator()(const ReportStills& run) {
        heading(run.run);
        if (!run.problem.isEmpty())
            return paragraph(run.problem, charFormat(smallPixels), 0);
        if (run.stills.isEmpty())
            return;
        const auto count = static_cast<int>(run.stills.size());
        const double width = contentSize().width() / count - 2 * cellPadding;
        QTextTable* row = insertTable(2, count, false);
        for (int index = 0; index < count; ++index) {
            const Still& still = run.stills.at(index);
            QTextImageFormat format;
            format.setWidth(width);
            format.setHeight(width * still.picture.height() / still.picture.width());
            row->cellAt(0, index).firstCursorPosition().insertImage(still.picture);
            resizeImage(row->cellAt(0, index).firstCursorPosition(), format);
            fill(row->cellAt(1, index), still.caption, false,
                 charFormat(smallPixels - 1, QFont::Normal, QColor(mutedText)));
        }
        m_cursor.movePosition(QTextCursor::End);
    }

    void operator()(const ReportDrawing& chart) {
        QTextCharFormat format;
        format.setObjectType(chartObject);
        format.setProperty(drawingProperty, chart.svg);
        format.setProperty(titleProperty, chart.title);
        m_cursor.insertBlock(blockFormat(0));
        m_cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
    }

    void operator()(const ReportText& text) {
        if (text.folded)
            return;
        heading(text.title);
        QTextCharFormat format = charFormat(smallPixels);
        format.setFontFamilies({QStringLiteral("monospace")});
        format.setFontFixedPitch(true);
        QTextBlockFormat block = blockFormat(0);
        block.setBackground(QColor(softGround));
        block.setNonBreakableLines(true);
        for (const QString& line : text.text.split(QLatin1Char('\n'))) {
            m_cursor.insertBlock(block, format);
            m_cursor.insertText(line);
        }
    }

  private:
    static constexpr int wideTable = 8;  ///< columns that need smaller letters

    void paragraph(const QString& text, const QTextCharFormat& format, double above) {
        m_cursor.insertBlock(blockFormat(above), format);
        m_cursor.insertText(text);
    }

    void heading(const QString& text) { paragraph(text, charFormat(textPixels, QFont::DemiBold), blockGap); }

    QTextTable* insertTable(int rows, int columns, bool ruled) {
        QTextTableFormat format;
        format.setCellPadding(cellPadding);
        format.setCellSpacing(0);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_None);
        format.setBorder(0);
        format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
        format.setHeaderRowCount(ruled ? 1 : 0);
        format.setTopMargin(blockGap / 2);
        m_cursor.insertBlock(blockFormat(0));
        QTextTable* table = m_cursor.insertTable(rows, columns, format);
        if (ruled)
            rule(*table);
        return table;
    }

    static void rule(QTextTable& table) {
        QTextTableCellFormat format;
        format.setBottomBorder(1);
        format.setBottomBorderBrush(QColor(ruleColor));
        format.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        for (int row = 0; row < table.rows(); ++row)
            for (int column = 0; column < table.columns(); ++column)
                table.cellAt(row, column).setFormat(format);
    }

    static void fill(const QTextTableCell& cell, const QString& text, bool isNumber,
                     const QTextCharFormat& format) {
        QTextCursor cursor = cell.firstCursorPosition();
        QTextBlockFormat block;
        block.setAlignment(isNumber ? Qt::AlignRight : Qt::AlignLeft);
        cursor.setBlockFormat(block);
        cursor.insertText(text, format);
    }

    static void resizeImage(QTextCursor cursor, const QTextImageFormat& size) {
        cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor);
        QTextImageFormat format = cursor.charFormat().toImageFormat();
        format.setWidth(size.width());
        format.setHeight(size.height());
        cursor.setCharFormat(format);
    }

    QTextCursor m_cursor;
};

void paintFooter(QPainter& painter, const QString& words, int number, int pages) {
    const QRectF foot(pageMargin, page.height() - pageMargin, page.width() - 2 * pageMargin, footerHeight);
    QFont font;
    font.setPixelSize(smallPixels);
    painter.setFont(font);
    painter.setPen(QColor(mutedText));
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop, words);
    painter.drawText(foot, Qt::AlignRight | Qt::AlignTop, QStringLiteral("%1 / %2").arg(number).arg(pages));
}

void paintPages(QTextDocument& document, QPdfWriter& writer, const QString& words) {
    QPainter painter(&writer);
    const double scale = static_cast<double>(pdfResolution) / layoutResolution;
    painter.scale(scale, scale);
    const QSizeF content = contentSize();
    for (int number = 0; number < document.pageCount(); ++number) {
        if (number > 0)
            writer.newPage();
        const QRectF shown(QPointF(0, number * content.height()), content);
        painter.save();
        painter.translate(pageMargin, pageMargin - shown.top());
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
    QTextDocument document;
    document.setUndoRedoEnabled(false);
    document.setUseDesignMetrics(true);
    document.setDocumentMargin(0);
    ChartObjects charts;
    document.documentLayout()->registerHandler(chartObject, &charts);
    PdfWriter blocks(document);
    blocks.title(reportTitle(report), reportSubtitle());
    for (const ReportSection& section : reportSections(report)) {
        const bool hidden = std::ranges::all_of(section.blocks, [](const ReportBlock& block) {
            const auto* const text = std::get_if<ReportText>(&block);
            return text != nullptr && text->folded;
        });
        if (hidden)
            continue;
        blocks.section(section);
    }
    document.setPageSize(contentSize());

    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Meshreel"));
    writer.setTitle(reportTitle(report));
    writer.setResolution(pdfResolution);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF());
    paintPages(document, writer, reportTitle(report));
    return bytes;
}

}  // namespace meshreel

#include "report_pdf.moc"
