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

/// Makes the application speak the language of `locale`, as far as there is a translation.
void installTranslations(QCoreApplication& application, const QLocale& locale);

}  // namespace meshreel
