// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/export_place.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include "ui/player/clip.h"

namespace meshreel {

namespace {

constexpr QLatin1String folderKey("export/folder");

}  // namespace

QString exportFolder() {
    for (const QString& folder : {QSettings().value(folderKey).toString(),
                                  QStandardPaths::writableLocation(QStandardPaths::MoviesLocation)})
        if (!folder.isEmpty() && QDir(folder).exists())
            return folder;
    return QDir::homePath();
}

void keepExportFolder(const QString& file) {
    QSettings().setValue(folderKey, QFileInfo(file).absolutePath());
}

QString exportStem(const Clip& clip) {
    return clip.name.empty() ? QStringLiteral("clip") : QString::fromStdString(clip.name);
}

}  // namespace meshreel
