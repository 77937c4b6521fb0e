// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStandardPaths>
#include <QString>
#include <QToolButton>

class QWidget;

namespace meshreel {

/// Where the last export went; at first the folder that the desktop has for such files, or the home folder
/// where there is none.
QString exportFolder(QStandardPaths::StandardLocation first = QStandardPaths::DocumentsLocation);

/// Keeps the folder of the chosen file for the next exports.
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

/// Asks in which format and to which file a chart is to be written.
class ExportButton : public QToolButton {
    Q_OBJECT

  public:
    /// `stem` is what the file is called unless another name is given.
    ExportButton(const QString& stem, QWidget* parent);

    /// Whether there is a chart to be written; menu() may hold more.
    void setFormatsEnabled(bool enabled);

  signals:
    void exportRequested(const QString& file);

  private:
    void askForFile(const QString& extension, const QString& title);

    QString m_stem;
    QList<QAction*> m_formats;
};

}  // namespace meshreel
