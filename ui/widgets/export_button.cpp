// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/export_button.h"

#include <QMenu>

#include "ui/charts/chart_export.h"
#include "ui/theme/icons.h"
#include "ui/widgets/export_place.h"

namespace meshreel {

ExportButton::ExportButton(const QString& stem, QWidget* parent) : QToolButton(parent), m_stem(stem) {
    auto* menu = new QMenu(this);
    for (const ChartFormat& format : chartFormats()) {
        const QString extension =
            QString::fromLatin1(format.extension.data(), static_cast<qsizetype>(format.extension.size()));
        const QString title = chartFormatTitle(format);
        m_formats += menu->addAction(tr("%1…", "file format").arg(title), this,
                                     [this, extension, title] { askForFile(extension, title); });
    }
    setMenu(menu);
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIcon(themedIcon(QStringLiteral("export")));
    setText(tr("Export"));
    setToolTip(tr("Write the chart to a file"));
}

void ExportButton::setFormatsEnabled(bool enabled) {
    for (QAction* format : m_formats)
        format->setEnabled(enabled);
}

void ExportButton::askForFile(const QString& extension, const QString& title) {
    const QString file = askForExport({.title = tr("Export the chart"),
                                       .name = QStringLiteral("%1.%2").arg(m_stem, extension),
                                       .filters = QStringLiteral("%1 (*.%2)").arg(title, extension)},
                                      this);
    if (!file.isEmpty())
        emit exportRequested(file);
}

}  // namespace meshreel
