// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_blocks.h"

#include <QTextTable>
#include <algorithm>

#include "ui/report/report_chart_object.h"
#include "ui/report/report_columns.h"
#include "ui/report/report_page.h"

namespace meshreel {

namespace {

using report_page::mutedText;
using report_page::smallPixels;
using report_page::textPixels;

constexpr int sectionPixels = 17;
constexpr int titlePixels = 26;
constexpr double cellPadding = 3;
constexpr double textIndent = 6;  ///< of texts behind numbers
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

}  // namespace

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

}  // namespace meshreel
