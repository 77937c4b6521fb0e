// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace meshreel {

/// Escapes `text` for tool tips and labels, in which Qt interprets mark-up and opens pictures: they show it
/// unchanged.
QString asPlainText(const QString& text);

}  // namespace meshreel
