// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRgb>
#include <QSizeF>

/// An A4 page of a report, in pixels of 96 dpi, whatever the screen has.
namespace meshreel::report_page {

inline constexpr QSizeF size{794, 1123};
inline constexpr double margin = 52;
inline constexpr double footer = 28;
/// Room for the text.
inline constexpr QSizeF content{size.width() - 2 * margin, size.height() - 2 * margin - footer};
inline constexpr int textPixels = 12;
inline constexpr int smallPixels = 10;  ///< letters of tables and footers
inline constexpr QRgb mutedText = qRgb(0x5d, 0x68, 0x73);

}  // namespace meshreel::report_page
