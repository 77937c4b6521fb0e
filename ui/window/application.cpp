// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/application.h"

#include <QGuiApplication>
#include <QIcon>
#include <QLibraryInfo>
#include <QLocale>
#include <QSettings>
#include <QTranslator>
#include <filesystem>

#include "engine/base/disk_calls.h"
#include "engine/base/paths.h"
#include "engine/base/version.h"

namespace meshreel {

void setUpApplication(QCoreApplication& application) {
    QCoreApplication::setOrganizationName(QStringLiteral("Meshreel"));
    QCoreApplication::setApplicationName(QStringLiteral("meshreel-studio"));
    QCoreApplication::setApplicationVersion(QString::fromStdString(std::string(versionNumber())));
    if (qobject_cast<QGuiApplication*>(&application) != nullptr) {
        QGuiApplication::setDesktopFileName(QStringLiteral("org.meshreel.Studio"));
        QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/org.meshreel.Studio.svg")));
    }
    installTranslations(application, QLocale());
}

QString keepDamagedSettings() {
    const QString file = QSettings().fileName();
    std::error_code stays;
    const std::filesystem::path aside = freePath(file.toStdString() + ".damaged");
    stays = copyContent(file.toStdString(), aside);
    if (stays)
        return {};
    // From the copy, because Qt reports a file's faults only to its first reader.
    if (QSettings(QString::fromStdString(aside.string()), QSettings::IniFormat).status() ==
        QSettings::FormatError)
        return QCoreApplication::translate(
                   "meshreel::Settings", "Some kept settings could not be read; a copy of their file is %1.")
            .arg(QString::fromStdString(withTilde(aside)));
    std::filesystem::remove(aside, stays);
    return {};
}

void installTranslations(QCoreApplication& application, const QLocale& wanted) {
    // English has its plural forms from a catalogue too, and the C locale is shown in English.
    const QLocale locale = wanted.language() == QLocale::C ? QLocale(QLocale::English) : wanted;
    struct Catalogue {
        QString name;
        QString folder;
    };
    for (const Catalogue& catalogue :
         {Catalogue{QStringLiteral("qtbase"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)},
          Catalogue{QStringLiteral("meshreel"), QStringLiteral(":/i18n")}}) {
        auto* translator = new QTranslator(&application);
        if (translator->load(locale, catalogue.name, QStringLiteral("_"), catalogue.folder))
            QCoreApplication::installTranslator(translator);
        else
            delete translator;
    }
}

}  // namespace meshreel
