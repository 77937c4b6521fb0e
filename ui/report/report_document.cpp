// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/report_document.h"

#include <QAbstractTextDocumentLayout>
#include <algorithm>

#include "ui/report/report_blocks.h"
#include "ui/report/report_chart_object.h"
#include "ui/report/report_page.h"

namespace meshreel {

namespace {

int pageOf(double y) {
    return static_cast<int>(y / report_page::content.height());
}

/// A heading that would end its page begins the next one. From the first to the last, as each moves what is
/// behind it.
void keepHeadings(const QTextDocument& document, const std::vector<KeptHeading>& kept) {
    const QAbstractTextDocumentLayout& layout = *document.documentLayout();
    for (const KeptHeading& pair : kept) {
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
