// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBlock>
#include <QTextCursor>
#include <vector>

#include "ui/report/report_contents.h"

class QTextTable;

namespace meshreel {

struct ReportTablePart;

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

}  // namespace meshreel
