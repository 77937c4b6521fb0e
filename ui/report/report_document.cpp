// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_document.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextObjectInterface>
#include <QTextTable>
#include <algorithm>

namespace meshreel {

namespace {

using report_page::mutedText;
using report_page::smallPixels;

constexpr double headingGap = 8;  ///< between a chart's title and the chart
constexpr int textPixels = 12;
constexpr int sectionPixels = 17;
constexpr int titlePixels = 26;
constexpr double cellPadding = 3;
constexpr double sectionGap = 22;
constexpr double blockGap = 8;
constexpr QRgb ruleColor = qRgb(0xd9, 0xde, 0xe3);
constexpr QRgb softGround = qRgb(0xf4, 0xf6, 0xf8);

constexpr int chartObject = QTextFormat::UserObject + 1;
constexpr int drawingProperty = QTextFormat::UserProperty + 1;
constexpr int titleProperty = QTextFormat::UserProperty + 2;

/// Charts as characters of a text under their titles, drawn as vectors.
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
        font.setPixelSize(textPixels);
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

/// A heading, and the end of what has to stand on its page.
struct Kept {
    QTextBlock heading;
    QTextBlock end;
};

/// Appends each kind of block to a document.
class BlockWriter {
  public:
    explicit BlockWriter(QTextDocument& document) : m_cursor(&document) {}

    [[nodiscard]] const std::vector<Kept>& kept() const { return m_kept; }

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
        m_headings.push_back(m_cursor.block());
        for (const ReportBlock& block : section.blocks)
            std::visit(*this, block);
    }

    void operator()(const ReportTable& table) {
        const auto columns = static_cast<int>(table.columns.size());
        QTextTable* drawn = insertTable(static_cast<int>(table.rows.size()) + 1, columns, true);
        if (columns > wideTable)
            giveFirstColumnRoom(*drawn);
        for (int column = 0; column < columns; ++column) {
            const ReportTable::Column& titled = table.columns[static_cast<std::size_t>(column)];
            const int pixels = columns > wideTable ? smallPixels - 1 : smallPixels;
            fill(drawn->cellAt(0, column), titled.title, titled.isNumber,
                 charFormat(pixels, QFont::DemiBold, QColor(mutedText)));
            for (std::size_t row = 0; row < table.rows.size(); ++row)
                fill(drawn->cellAt(static_cast<int>(row) + 1, column), table.rows[row][column],
                     titled.isNumber, charFormat(pixels));
        }
        keepHeadingsWith(drawn->cellAt(std::min(1, drawn->rows() - 1), 0).lastCursorPosition().block());
        m_cursor.movePosition(QTextCursor::End);
    }

    void operator()(const ReportStills& run) {
        heading(run.run);
        if (!run.problem.isEmpty())
            paragraph(run.problem, charFormat(smallPixels), 0);
        if (run.stills.isEmpty())
            return keepHeadingsWith(m_cursor.block());
        const auto count = static_cast<int>(run.stills.size());
        const double width = report_page::content.width() / count - 2 * cellPadding;
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
        keepHeadingsWith(row->cellAt(1, 0).lastCursorPosition().block());
        m_cursor.movePosition(QTextCursor::End);
    }

    void operator()(const ReportDrawing& chart) {
        QTextCharFormat format;
        format.setObjectType(chartObject);
        format.setProperty(drawingProperty, chart.svg);
        format.setProperty(titleProperty, chart.title);
        m_cursor.insertBlock(blockFormat(0));
        m_cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
        keepHeadingsWith(m_cursor.block());
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
            keepHeadingsWith(m_cursor.block());
        }
    }

  private:
    static constexpr int wideTable = 8;  ///< columns that need smaller letters

    void paragraph(const QString& text, const QTextCharFormat& format, double above) {
        m_cursor.insertBlock(blockFormat(above), format);
        m_cursor.insertText(text);
    }

    void heading(const QString& text) {
        paragraph(text, charFormat(textPixels, QFont::DemiBold), blockGap);
        m_headings.push_back(m_cursor.block());
    }

    void keepHeadingsWith(const QTextBlock& end) {
        for (const QTextBlock& heading : m_headings)
            m_kept.push_back({heading, end});
        m_headings.clear();
    }

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

    /// For names, of which the others would leave too little.
    static void giveFirstColumnRoom(QTextTable& table) {
        constexpr double firstPercent = 17;
        QList<QTextLength> widths(table.columns());
        widths.first() = QTextLength(QTextLength::PercentageLength, firstPercent);
        QTextTableFormat format = table.format();
        format.setColumnWidthConstraints(widths);
        table.setFormat(format);
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
    std::vector<QTextBlock> m_headings;  ///< that nothing follows yet
    std::vector<Kept> m_kept;
};

int pageOf(double y) {
    return static_cast<int>(y / report_page::content.height());
}

/// A heading that would end its page begins the next one. From the first to the last, as each moves what is
/// behind it.
void keepHeadings(const QTextDocument& document, const std::vector<Kept>& kept) {
    const QAbstractTextDocumentLayout& layout = *document.documentLayout();
    for (const Kept& pair : kept) {
        const double heading = layout.blockBoundingRect(pair.heading).bottom();
        const double end = layout.blockBoundingRect(pair.end).bottom();
        if (pageOf(heading - 1) == pageOf(end - 1))
            continue;
        QTextBlockFormat format = pair.heading.blockFormat();
        format.setTopMargin(0);
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(pair.heading).setBlockFormat(format);
    }
}

bool isFolded(const ReportBlock& block) {
    const auto* const text = std::get_if<ReportText>(&block);
    return text != nullptr && text->folded;
}

}  // namespace

std::unique_ptr<QTextDocument> reportDocument(const RunReport& report) {
    auto document = std::make_unique<QTextDocument>();
    document->setUndoRedoEnabled(false);
    document->setUseDesignMetrics(true);
    document->setDocumentMargin(0);
    document->documentLayout()->registerHandler(chartObject, new ChartObjects(document.get()));
    BlockWriter blocks(*document);
    blocks.title(reportTitle(report), reportSubtitle());
    for (const ReportSection& section : reportSections(report))
        if (!std::ranges::all_of(section.blocks, isFolded))
            blocks.section(section);
    document->setPageSize(report_page::content);
    keepHeadings(*document, blocks.kept());
    return document;
}

}  // namespace meshreel

#include "report_document.moc"
