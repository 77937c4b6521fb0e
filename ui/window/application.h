// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCoreApplication;
class QLocale;

namespace meshreel {

/// Name, language and settings of the Studio, and the icon of its windows where it may have some.
void setUpApplication(QCoreApplication& application);

/// Makes the application speak the language of `locale`, as far as there is a translation.
void installTranslations(QCoreApplication& application, const QLocale& locale);

}  // namespace meshreel
