// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace meshreel {

/// Every text that a prompt with alternatives stands for, the last choice changing fastest: "a {red|blue}
/// {ball|cube}" gives four. Choices may be empty and hold further ones; braces without a bar stay as they
/// are. At most a thousand variants.
QStringList promptVariants(const QString& prompt);

}  // namespace meshreel
