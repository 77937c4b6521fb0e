// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextCharFormat>

#include "ui/report/report_contents.h"

class QTextDocument;

namespace meshreel {

// Charts as characters of a text, under their titles, drawn as vectors.

/// Lets the document draw them.
void registerCharts(QTextDocument& document);

/// Of the QChar::ObjectReplacementCharacter that stands for the chart, as wide as a page of a report.
QTextCharFormat chartFormat(const ReportDrawing& chart);

}  // namespace meshreel
