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
namespace {

/// Returns the language of the catalogue; empty where the folder has none for the locale.
QString installCatalogue(QCoreApplication& application, const QLocale& locale, const QString& name,
                         const QString& folder) {
    auto* translator = new QTranslator(&application);
    if (translator->load(locale, name, QStringLiteral("_"), folder)) {
        QCoreApplication::installTranslator(translator);
        return translator->language();
    }
    delete translator;
    return {};
}

}  // namespace

void setUpApplication(QCoreApplication& application) {
    QCoreApplication::setOrganizationName(QStringLiteral("Meshreel"));
    QCoreApplication::setApplicationName(QStringLiteral("meshreel-studio"));
    QCoreApplication::setApplicationVersion(QString::fromStdString(std::string(versionNumber())));
    if (qobject_cast<QGuiApplication*>(&application) != nullptr) {
        QGuiApplication::setDesktopFileName(QStringLiteral("org.meshreel.Studio"));
        QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/org.meshreel.Studio.svg")));
    }
    if (const QLocale spoken = installTranslations(application, QLocale()); spoken != QLocale())
        QLocale::setDefault(spoken);  // the system's own, with what it says of numbers, stays where it fits
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

QLocale installTranslations(QCoreApplication& application, const QLocale& wanted) {
    // English has its plural forms from a catalogue too, and the C locale is shown in English.
    const QLocale english(QLocale::English);
    const QLocale locale = wanted.language() == QLocale::C ? english : wanted;
    const QString language =
        installCatalogue(application, locale, QStringLiteral("meshreel"), QStringLiteral(":/i18n"));
    const QLocale words = language.isEmpty() ? english : QLocale(language);
    const QLocale spoken = words.language() == locale.language() ? locale : words;
    if (language.isEmpty())
        installCatalogue(application, english, QStringLiteral("meshreel"), QStringLiteral(":/i18n"));
    installCatalogue(application, spoken, QStringLiteral("qtbase"),
                     QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    return spoken;
}

}  // namespace meshreel
