// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRgb>
#include <QSizeF>
#include <QTextDocument>
#include <memory>

#include "ui/report/report_contents.h"

namespace meshreel::report_page {

/// An A4 page of a report, in pixels of 96 dpi, whatever the screen has.

inline constexpr QSizeF size{794, 1123};
inline constexpr double margin = 52;
inline constexpr double footer = 28;
/// Room for the text.
inline constexpr QSizeF content{size.width() - 2 * margin, size.height() - 2 * margin - footer};
inline constexpr int textPixels = 12;
inline constexpr int smallPixels = 10;  ///< letters of tables and footers
inline constexpr QRgb mutedText = qRgb(0x5d, 0x68, 0x73);

}  // namespace meshreel::report_page

namespace meshreel {

/// Returns the report laid out in pages of report_page::content: charts stay vectors, folded texts are left
/// out, and no heading is alone at the end of a page.
std::unique_ptr<QTextDocument> reportDocument(const RunReport& report);

}  // namespace meshreel
