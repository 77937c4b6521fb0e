// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timing_columns.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

namespace meshreel {

namespace {

struct TimingColumn {
    std::string_view name;  ///< of comparisonTable()
    const char* title;      ///< context "meshreel::ReportContents"
};

constexpr std::array timingColumns{
    TimingColumn{"run", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Run")},
    TimingColumn{"attention", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Attention")},
    TimingColumn{"devices", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Devices")},
    TimingColumn{"workers", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Workers")},
    TimingColumn{"size", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Video")},
    TimingColumn{"steps", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Steps")},
    TimingColumn{"load_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Load, s")},
    TimingColumn{"compile_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Compile, s")},
    TimingColumn{"inference_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Inference, s")},
    TimingColumn{"denoise_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Denoising, s")},
    TimingColumn{"decode_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Decoding, s")},
    TimingColumn{"step_s", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Step, s")},
    TimingColumn{"speed", QT_TRANSLATE_NOOP("meshreel::ReportContents", "Speed")},
};

}  // namespace

QString timingColumnTitle(std::string_view name) {
    const auto* const found = std::ranges::find(timingColumns, name, &TimingColumn::name);
    return found == timingColumns.end()
               ? QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))
               : QCoreApplication::translate("meshreel::ReportContents", found->title);
}

}  // namespace meshreel
