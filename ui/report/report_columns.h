// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "ui/report/report_contents.h"

namespace meshreel {

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
    double padding = 0;  ///< of one side of a cell
    double indent = 0;   ///< of texts, which stand close behind numbers otherwise
};

/// In one part where its columns have room for every word, number and heading, in smaller letters if need be;
/// otherwise in several below each other.
ReportTableLayout layoutOf(const ReportTable& table, const ReportTableRoom& room);

}  // namespace meshreel
