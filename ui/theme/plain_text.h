// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace meshreel {

/// For tool tips and labels that Qt reads mark-up in, and opens pictures of: they show `text` as it is.
QString asPlainText(const QString& text);

}  // namespace meshreel
