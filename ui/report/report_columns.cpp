// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_columns.h"

#include <QFont>
#include <QTextBoundaryFinder>
#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/report/report_page.h"

namespace meshreel {

namespace {

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

Range rangeOf(const ReportTable& table, std::size_t column, int pixels) {
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

std::vector<Range> rangesOf(const ReportTable& table, int pixels, const ReportTableRoom& room) {
    std::vector<Range> ranges;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        Range range = rangeOf(table, column, pixels);
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

/// As many columns in each part as have room, but no fewer than the first one and another.
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

/// In no more parts than are needed, of about equal numbers of columns.
std::vector<std::vector<std::size_t>> split(const std::vector<Range>& ranges, double width) {
    const std::size_t others = ranges.size() - 1;
    const std::vector<std::vector<std::size_t>> full = splitBy(ranges, others, width);
    const std::size_t even = (others + full.size() - 1) / full.size();
    const std::vector<std::vector<std::size_t>> evenParts = splitBy(ranges, even, width);
    return evenParts.size() == full.size() ? evenParts : full;
}

/// What is left beside the least widths goes to those columns that would break lines, then to all.
std::vector<double> widthsOf(const std::vector<Range>& ranges, const std::vector<std::size_t>& columns,
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
        layout.parts.push_back({columns, widthsOf(ranges, columns, width)});
    return layout;
}

}  // namespace

ReportTableLayout layoutOf(const ReportTable& table, const ReportTableRoom& room) {
    std::vector<std::size_t> all(table.columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const int pixels : {report_page::smallPixels, report_page::smallPixels - 1}) {
        const std::vector<Range> ranges = rangesOf(table, pixels, room);
        if (leastOf(ranges, all) <= room.width)
            return layoutIn({all}, ranges, pixels, room.width);
    }
    const std::vector<Range> ranges = rangesOf(table, report_page::smallPixels, room);
    return layoutIn(
        table.columns.size() > 1 ? split(ranges, room.width) : std::vector<std::vector<std::size_t>>{all},
        ranges, report_page::smallPixels, room.width);
}

}  // namespace meshreel
