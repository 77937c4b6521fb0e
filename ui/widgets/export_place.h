// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStandardPaths>
#include <QString>

class QWidget;

namespace meshreel {

/// Where the last export went; at first the folder that the desktop has for such files, or the home folder
/// where there is none.
QString exportFolder(QStandardPaths::StandardLocation first = QStandardPaths::DocumentsLocation);

/// Of the file that was chosen, for the next exports.
void keepExportFolder(const QString& file);

/// A file that is to be written.
struct ExportedFile {
    QString title;    ///< of the dialog that asks for it
    QString name;     ///< unless another one is given
    QString filters;  ///< as of QFileDialog; a name without an extension gets the first of the chosen one
    QStandardPaths::StandardLocation first = QStandardPaths::DocumentsLocation;  ///< of exportFolder()
};

/// Asks where it is to be; empty when that is given up.
QString askForExport(const ExportedFile& file, QWidget* window);

}  // namespace meshreel
