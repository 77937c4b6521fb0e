// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_document.h"

#include <QAbstractTextDocumentLayout>
#include <QFont>
#include <QPainter>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextBoundaryFinder>
#include <QTextCharFormat>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>
#include <QTextObjectInterface>
#include <QTextTable>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "ui/report/report_contents.h"

namespace meshreel {

namespace {

/// Columns of a table that stand beside each other on paper.
struct ReportTablePart {
    std::vector<std::size_t> columns;  ///< the table's first one, and others in their order
    std::vector<double> widths;        ///< of each, with its padding; together those of the page
};

/// A table on paper.
struct ReportTableLayout {
    int pixels = 0;  ///< height of its letters
    std::vector<ReportTablePart> parts;
};

/// In pixels.
struct ReportTableRoom {
    double width = 0;    ///< of the page
    double padding = 0;  ///< on one side of a cell
    double indent = 0;   ///< of texts, which would otherwise be too close to numbers
};

constexpr double comfortable = 90;  ///< pixels for texts of several words
constexpr double mostWord = 240;    ///< pixels; longer ones, such as paths, may be broken
constexpr double mostFirst = 0.35;  ///< of the page, for the first column
constexpr double endless = 1e6;     ///< pixels
constexpr double slack = 1;         ///< pixel, for rounding

/// How wide a column may be.
struct Range {
    double least = 0;  ///< so that no word is broken
    double most = 0;   ///< so that nothing needs a second line
};

double widthOf(const QString& text, const QFont& font) {
    QTextOption option(Qt::AlignLeft);
    option.setUseDesignMetrics(true);
    option.setWrapMode(QTextOption::NoWrap);
    QTextLayout layout(text, font);
    layout.setTextOption(option);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    if (line.isValid())
        line.setLineWidth(endless);
    layout.endLayout();
    return line.isValid() ? std::ceil(line.naturalTextWidth()) : 0;
}

double longestWord(const QString& text, const QFont& font) {
    QTextBoundaryFinder finder(QTextBoundaryFinder::Line, text);
    double longest = 0;
    qsizetype begin = 0;
    while (finder.toNextBoundary() >= 0) {
        longest = std::max(longest, widthOf(text.mid(begin, finder.position() - begin).trimmed(), font));
        begin = finder.position();
    }
    return longest;
}

void widen(Range& range, const QString& text, const QFont& font, bool canWrap) {
    const double whole = widthOf(text, font);
    const double least =
        canWrap ? std::max(std::min(longestWord(text, font), mostWord), std::min(whole, comfortable)) : whole;
    range.least = std::max(range.least, least);
    range.most = std::max(range.most, whole);
}

Range measureRange(const ReportTable& table, std::size_t column, int pixels) {
    QFont font;
    font.setPixelSize(pixels);
    QFont heading = font;
    heading.setWeight(QFont::DemiBold);
    const ReportTable::Column& titled = table.columns[column];
    const double whole = widthOf(titled.title, heading);
    Range range{titled.isNumber ? whole : longestWord(titled.title, heading), whole};
    for (const QStringList& row : table.rows)
        widen(range, row[static_cast<qsizetype>(column)], font, !titled.isNumber);
    return range;
}

std::vector<Range> measureRanges(const ReportTable& table, int pixels, const ReportTableRoom& room) {
    std::vector<Range> ranges;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        Range range = measureRange(table, column, pixels);
        if (column == 0) {
            range.least = std::min(range.least, mostFirst * room.width);
            range.most = std::min(range.most, mostFirst * room.width);
        }
        const double around = 2 * room.padding + (table.isIndented(column) ? room.indent : 0) + slack;
        range.least += around;
        range.most = std::max(range.most + around, range.least);
        ranges.push_back(range);
    }
    return ranges;
}

double leastOf(const std::vector<Range>& ranges, const std::vector<std::size_t>& columns) {
    double sum = 0;
    for (const std::size_t column : columns)
        sum += ranges[column].least;
    return sum;
}

/// Puts as many columns in each part as have room, but no fewer than the first one and another.
std::vector<std::vector<std::size_t>> splitBy(const std::vector<Range>& ranges, std::size_t most,
                                              double width) {
    std::vector<std::vector<std::size_t>> parts;
    for (std::size_t column = 1; column < ranges.size(); ++column) {
        const bool isFull = parts.empty() || parts.back().size() > most ||
                            leastOf(ranges, parts.back()) + ranges[column].least > width;
        if (isFull)
            parts.push_back({0});
        parts.back().push_back(column);
    }
    return parts;
}

/// Splits into no more parts than are needed, of about equal numbers of columns.
std::vector<std::vector<std::size_t>> split(const std::vector<Range>& ranges, double width) {
    const std::size_t others = ranges.size() - 1;
    const std::vector<std::vector<std::size_t>> full = splitBy(ranges, others, width);
    const std::size_t even = (others + full.size() - 1) / full.size();
    const std::vector<std::vector<std::size_t>> evenParts = splitBy(ranges, even, width);
    return evenParts.size() == full.size() ? evenParts : full;
}

/// What is left beside the least widths goes to those columns that would break lines, then to all.
std::vector<double> shareWidths(const std::vector<Range>& ranges, const std::vector<std::size_t>& columns,
                                double width) {
    const double least = leastOf(ranges, columns);
    double wanted = 0;
    for (const std::size_t column : columns)
        wanted += ranges[column].most - ranges[column].least;
    const double share = wanted > 0 ? std::clamp((width - least) / wanted, 0.0, 1.0) : 0;
    std::vector<double> widths;
    widths.reserve(columns.size());
    for (const std::size_t column : columns)
        widths.push_back(ranges[column].least + share * (ranges[column].most - ranges[column].least));
    const double factor = width / std::accumulate(widths.begin(), widths.end(), 0.0);
    for (double& each : widths)
        each *= factor;
    return widths;
}

ReportTableLayout layoutIn(const std::vector<std::vector<std::size_t>>& parts,
                           const std::vector<Range>& ranges, int pixels, double width) {
    ReportTableLayout layout{.pixels = pixels, .parts = {}};
    for (const std::vector<std::size_t>& columns : parts)
        layout.parts.push_back({columns, shareWidths(ranges, columns, width)});
    return layout;
}

/// Uses one part if its columns have room for every word, number and heading, in smaller letters if need be;
/// otherwise several below each other.
ReportTableLayout layoutOf(const ReportTable& table, const ReportTableRoom& room) {
    std::vector<std::size_t> all(table.columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const int pixels : {report_page::smallPixels, report_page::smallPixels - 1}) {
        const std::vector<Range> ranges = measureRanges(table, pixels, room);
        if (leastOf(ranges, all) <= room.width)
            return layoutIn({all}, ranges, pixels, room.width);
    }
    const std::vector<Range> ranges = measureRanges(table, report_page::smallPixels, room);
    return layoutIn(
        table.columns.size() > 1 ? split(ranges, room.width) : std::vector<std::vector<std::size_t>>{all},
        ranges, report_page::smallPixels, room.width);
}

// Charts as characters of a text, under their titles, drawn as vectors.

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

    /// The height of all lines of the title and the gap below.
    static double titleHeight(const QTextFormat& format, double width) {
        const QRectF room(0, 0, width, report_page::content.height());
        return QFontMetricsF(titleFont())
                   .boundingRect(room, Qt::AlignLeft | Qt::TextWordWrap,
                                 format.property(titleProperty).toString())
                   .height() +
               headingGap;
    }
};

/// Lets the document draw them.
void registerCharts(QTextDocument& document) {
    document.documentLayout()->registerHandler(chartObject, new ChartObjects(&document));
}

/// The format of the QChar::ObjectReplacementCharacter that stands for the chart, as wide as a page of a
/// report.
QTextCharFormat chartFormat(const ReportDrawing& chart) {
    QTextCharFormat format;
    format.setObjectType(chartObject);
    format.setProperty(drawingProperty, chart.svg);
    format.setProperty(titleProperty, chart.title);
    return format;
}

using report_page::mutedText;
using report_page::smallPixels;
using report_page::textPixels;

constexpr int sectionPixels = 17;
constexpr int titlePixels = 26;
constexpr double cellPadding = 3;
constexpr double textIndent = 6;  ///< of texts after numbers
constexpr double tableGap = 4;
constexpr double partGap = 14;  ///< above the further parts of a table
constexpr double sectionGap = 22;
constexpr double blockGap = 8;
constexpr QRgb ruleColor = qRgb(0xd9, 0xde, 0xe3);
constexpr QRgb softGround = qRgb(0xf4, 0xf6, 0xf8);

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

void setWidths(QTextTable& table, const std::vector<double>& widths) {
    QList<QTextLength> lengths;
    for (const double width : widths)
        lengths += QTextLength(QTextLength::FixedLength, width);
    QTextTableFormat format = table.format();
    format.setColumnWidthConstraints(lengths);
    table.setFormat(format);
}

void rule(QTextTable& table) {
    QTextTableCellFormat format;
    format.setBottomBorder(1);
    format.setBottomBorderBrush(QColor(ruleColor));
    format.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    for (int row = 0; row < table.rows(); ++row)
        for (int column = 0; column < table.columns(); ++column)
            table.cellAt(row, column).setFormat(format);
}

void fill(const QTextTableCell& cell, const QString& text, const QTextBlockFormat& block,
          const QTextCharFormat& format) {
    QTextCursor cursor = cell.firstCursorPosition();
    cursor.setBlockFormat(block);
    cursor.insertText(text, format);
}

void resizeImage(QTextCursor cursor, const QTextImageFormat& size) {
    cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor);
    QTextImageFormat format = cursor.charFormat().toImageFormat();
    format.setWidth(size.width());
    format.setHeight(size.height());
    cursor.setCharFormat(format);
}

/// A heading, and the end of what has to stand on its page.
struct KeptHeading {
    QTextBlock heading;
    QTextBlock end;
};

/// Appends the blocks of a report to a document that draws charts.
class ReportBlocks {
  public:
    explicit ReportBlocks(QTextDocument& document) : m_cursor(&document) {}

    void title(const QString& text, const QString& subtitle);
    /// Charts and fixed-pitch blocks begin a page, as they would be torn apart otherwise.
    void section(const ReportSection& section);

    // The kinds of blocks. Folded texts are left out.
    void operator()(const ReportTable& table);
    void operator()(const ReportStills& run);
    void operator()(const ReportDrawing& chart);
    void operator()(const ReportText& text);

    [[nodiscard]] const std::vector<KeptHeading>& kept() const { return m_kept; }

  private:
    void tablePart(const ReportTable& table, const ReportTablePart& part, int pixels, double above);
    void paragraph(const QString& text, const QTextCharFormat& format, double above);
    void heading(const QString& text);
    void keepHeadingsWith(const QTextBlock& end);
    QTextTable* insertTable(int rows, int columns, bool ruled, double above);

    QTextCursor m_cursor;
    std::vector<QTextBlock> m_headings;  ///< that nothing follows yet
    std::vector<KeptHeading> m_kept;
};

void ReportBlocks::title(const QString& text, const QString& subtitle) {
    m_cursor.setBlockFormat(blockFormat(0));
    m_cursor.insertText(text, charFormat(titlePixels, QFont::DemiBold));
    paragraph(subtitle, charFormat(textPixels, QFont::Normal, QColor(mutedText)), 2);
}

void ReportBlocks::section(const ReportSection& section) {
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

void ReportBlocks::operator()(const ReportTable& table) {
    const ReportTableLayout layout = layoutOf(
        table, {.width = report_page::content.width(), .padding = cellPadding, .indent = textIndent});
    for (std::size_t part = 0; part < layout.parts.size(); ++part)
        tablePart(table, layout.parts[part], layout.pixels, part == 0 ? tableGap : partGap);
}

void ReportBlocks::tablePart(const ReportTable& table, const ReportTablePart& part, int pixels,
                             double above) {
    const auto columns = static_cast<int>(part.columns.size());
    QTextTable* drawn = insertTable(static_cast<int>(table.rows.size()) + 1, columns, true, above);
    setWidths(*drawn, part.widths);
    for (int column = 0; column < columns; ++column) {
        const std::size_t source = part.columns[static_cast<std::size_t>(column)];
        const ReportTable::Column& titled = table.columns[source];
        QTextBlockFormat block;
        block.setAlignment(titled.isNumber ? Qt::AlignRight : Qt::AlignLeft);
        block.setLeftMargin(table.isIndented(source) ? textIndent : 0);
        fill(drawn->cellAt(0, column), titled.title, block,
             charFormat(pixels, QFont::DemiBold, QColor(mutedText)));
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            fill(drawn->cellAt(static_cast<int>(row) + 1, column),
                 table.rows[row][static_cast<qsizetype>(source)], block, charFormat(pixels));
    }
    keepHeadingsWith(drawn->cellAt(std::min(1, drawn->rows() - 1), 0).lastCursorPosition().block());
    m_cursor.movePosition(QTextCursor::End);
}

void ReportBlocks::operator()(const ReportStills& run) {
    heading(run.run);
    if (!run.problem.isEmpty())
        paragraph(run.problem, charFormat(smallPixels), 0);
    if (run.stills.isEmpty())
        return keepHeadingsWith(m_cursor.block());
    const auto count = static_cast<int>(run.stills.size());
    const double width = report_page::content.width() / count - 2 * cellPadding;
    QTextTable* row = insertTable(2, count, false, tableGap);
    for (int index = 0; index < count; ++index) {
        const Still& still = run.stills.at(index);
        QTextImageFormat format;
        format.setWidth(width);
        format.setHeight(width * still.picture.height() / still.picture.width());
        row->cellAt(0, index).firstCursorPosition().insertImage(still.picture);
        resizeImage(row->cellAt(0, index).firstCursorPosition(), format);
        fill(row->cellAt(1, index), still.caption, blockFormat(0),
             charFormat(smallPixels - 1, QFont::Normal, QColor(mutedText)));
    }
    keepHeadingsWith(row->cellAt(1, 0).lastCursorPosition().block());
    m_cursor.movePosition(QTextCursor::End);
}

void ReportBlocks::operator()(const ReportDrawing& chart) {
    m_cursor.insertBlock(blockFormat(0));
    m_cursor.insertText(QString(QChar::ObjectReplacementCharacter), chartFormat(chart));
    keepHeadingsWith(m_cursor.block());
}

void ReportBlocks::operator()(const ReportText& text) {
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

void ReportBlocks::paragraph(const QString& text, const QTextCharFormat& format, double above) {
    m_cursor.insertBlock(blockFormat(above), format);
    m_cursor.insertText(text);
}

void ReportBlocks::heading(const QString& text) {
    paragraph(text, charFormat(textPixels, QFont::DemiBold), blockGap);
    m_headings.push_back(m_cursor.block());
}

void ReportBlocks::keepHeadingsWith(const QTextBlock& end) {
    for (const QTextBlock& heading : m_headings)
        m_kept.push_back({heading, end});
    m_headings.clear();
}

QTextTable* ReportBlocks::insertTable(int rows, int columns, bool ruled, double above) {
    QTextTableFormat format;
    format.setCellPadding(cellPadding);
    format.setCellSpacing(0);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_None);
    format.setBorder(0);
    format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
    format.setHeaderRowCount(ruled ? 1 : 0);
    format.setTopMargin(above);
    m_cursor.insertBlock(blockFormat(0));
    QTextTable* table = m_cursor.insertTable(rows, columns, format);
    if (ruled)
        rule(*table);
    return table;
}

int pageAt(double y) {
    return static_cast<int>(y / report_page::content.height());
}

/// A heading that would end its page begins the next one. From the first to the last, as each moves what is
/// behind it.
void keepHeadings(const QTextDocument& document, const std::vector<KeptHeading>& kept) {
    const QAbstractTextDocumentLayout& layout = *document.documentLayout();
    for (const KeptHeading& pair : kept) {
        const double heading = layout.blockBoundingRect(pair.heading).bottom();
        const double end = layout.blockBoundingRect(pair.end).bottom();
        if (pageAt(heading - 1) == pageAt(end - 1))
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
    registerCharts(*document);
    ReportBlocks blocks(*document);
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
