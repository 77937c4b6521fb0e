// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QCoreApplication;
class QLocale;

namespace meshreel {

/// Name, language and settings of the Studio, and the icon of its windows where it may have some.
void setUpApplication(QCoreApplication& application);

/// Keeps a copy of settings that cannot be read completely under a name of its own, and says so; empty when
/// they can. What can be read of them still counts.
QString keepDamagedSettings();

/// Makes the application speak the language of `wanted`, or English where there is no translation: its words,
/// those of Qt's own dialogs, and with them the direction of its layout. Returns the locale for numbers and
/// dates that go with the words: `wanted` where it is of their language.
QLocale installTranslations(QCoreApplication& application, const QLocale& wanted);

}  // namespace meshreel
