// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>
#include <filesystem>
#include <span>
#include <string_view>

#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// One way to write a chart to a file.
struct ChartFormat {
    std::string_view extension;  ///< without the dot
    const char* title;           ///< context "ChartFormats"
    /// The bytes of the file.
    QByteArray (*encode)(const ChartSheet& sheet);
};

/// The drawing as SVG; `size` in pixels of 96 dpi is what its letters are laid out for.
QByteArray chartSvg(const ChartSheet& sheet, const QSize& size = {1200, 675});

/// PNG, SVG, PDF, CSV and JSON.
std::span<const ChartFormat> chartFormats();

/// The row's title in the language of the application.
QString chartFormatTitle(const ChartFormat& format);

/// Writes the chart in the format of the file's extension: complete or not at all. CSV and JSON hold its
/// numbers. Throws Error{Project} for other extensions, and what writeFileAtomically throws.
void exportChart(const std::filesystem::path& file, const ChartSheet& sheet);

}  // namespace meshreel
