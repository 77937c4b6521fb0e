// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/kept_frame.h"

#include <QBuffer>
#include <QByteArray>
#include <QIODevice>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"

namespace meshreel {

namespace {

constexpr const char* framesFolder = "frames";
constexpr const char* pngEnding = ".png";
constexpr int numberDigits = 4;

bool holds(const std::filesystem::path& file, const std::string& bytes) {
    try {
        return readFile(file) == bytes;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::filesystem::path keepFrame(const QImage& frame, const std::string& clipName, int number) {
    QByteArray png;
    QBuffer buffer(&png);
    buffer.open(QIODevice::WriteOnly);
    frame.save(&buffer, "PNG");
    const std::string bytes = png.toStdString();
    const std::filesystem::path folder = userDataFolder() / framesFolder;
    std::filesystem::create_directories(folder);
    const QString name = QStringLiteral("%1-frame-%2")
                             .arg(QString::fromStdString(fileNameFrom(clipName)))
                             .arg(number, numberDigits, 10, QLatin1Char('0'));
    const std::filesystem::path base = folder / name.toStdString();
    const std::filesystem::path usual = base.string() + pngEnding;
    if (holds(usual, bytes))
        return usual;
    std::filesystem::path file = freePath(base, pngEnding);
    writeFileAtomically(file, bytes);
    return file;
}

}  // namespace meshreel
