// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop/trash.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

namespace meshreel {

namespace {

/// By https://specifications.freedesktop.org/trash-spec: Trash in the home folder, .Trash and .Trash-1000 on
/// other volumes.
bool liesInTrash(const QString& path) {
    const QStringList folders = QFileInfo(path).absolutePath().split(QLatin1Char('/'));
    return std::ranges::any_of(folders, [](const QString& folder) {
        return folder == QLatin1String("Trash") || folder.startsWith(QLatin1String(".Trash"));
    });
}

/// Brings back what stands as `name` in the folder `files` of what was taken for a trash.
void bringBack(const QString& moved, const QString& path) {
    QDir folder(QFileInfo(moved).absolutePath());
    QDir().rename(moved, path);
    folder.cdUp();
    folder.remove(QStringLiteral("info/%1.trashinfo").arg(QFileInfo(moved).fileName()));
    for (const char* emptied : {"info", "files"})
        folder.rmdir(QLatin1String(emptied));
}

}  // namespace

bool moveToTrash(const QString& path) {
    QString moved;
    if (!QFile::moveToTrash(path, &moved))
        return false;
    // Where it can make no trash, Qt 6.4 takes the working directory for one.
    if (liesInTrash(moved))
        return true;
    bringBack(moved, path);
    return false;
}

}  // namespace meshreel
