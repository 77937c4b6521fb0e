// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/export_button.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QRegularExpression>
#include <QSettings>

#include "ui/charts/chart_sheet.h"
#include "ui/theme/icons.h"

namespace meshreel {

namespace {

constexpr QLatin1String folderKey("export/folder");

/// "html" of "Web page (*.html)".
QString filterSuffix(const QString& filter) {
    static const QRegularExpression pattern(QStringLiteral(R"(\*\.(\w+))"));
    return pattern.match(filter).captured(1);
}

}  // namespace

QString exportFolder(QStandardPaths::StandardLocation first) {
    for (const QString& folder :
         {QSettings().value(folderKey).toString(), QStandardPaths::writableLocation(first)})
        if (!folder.isEmpty() && QDir(folder).exists())
            return folder;
    return QDir::homePath();
}

void keepExportFolder(const QString& file) {
    QSettings().setValue(folderKey, QFileInfo(file).absolutePath());
}

QString askForExport(const ExportedFile& file, QWidget* window) {
    QFileDialog dialog(window, file.title, exportFolder(file.first), file.filters);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(filterSuffix(dialog.selectedNameFilter()));
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog,
                     [&dialog](const QString& filter) { dialog.setDefaultSuffix(filterSuffix(filter)); });
    dialog.selectFile(file.name);
    if (dialog.exec() != QDialog::Accepted)
        return {};
    const QString chosen = dialog.selectedFiles().constFirst();
    keepExportFolder(chosen);
    return chosen;
}

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
