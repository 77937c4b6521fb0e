// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QLocale>
#include <QStringList>
#include <QTranslator>

#include "ui/window/application.h"

namespace meshreel::testing {

/// All that the Studio speaks; the program is compiled with LANGUAGES.
inline const QStringList& languages() {
    static const QStringList all = QStringLiteral("en|" LANGUAGES).split(QLatin1Char('|'));
    return all;
}

/// In place of the one before.
inline void speak(const QString& language) {
    qDeleteAll(qApp->findChildren<QTranslator*>());
    installTranslations(*qApp, QLocale(language));
}

}  // namespace meshreel::testing
