// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/export_place.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>

namespace meshreel {

namespace {

constexpr QLatin1String folderKey("export/folder");

/// "html" of "Web page (*.html)".
QString suffixOf(const QString& filter) {
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
    dialog.setDefaultSuffix(suffixOf(dialog.selectedNameFilter()));
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog,
                     [&dialog](const QString& filter) { dialog.setDefaultSuffix(suffixOf(filter)); });
    dialog.selectFile(file.name);
    if (dialog.exec() != QDialog::Accepted)
        return {};
    const QString chosen = dialog.selectedFiles().constFirst();
    keepExportFolder(chosen);
    return chosen;
}

}  // namespace meshreel
