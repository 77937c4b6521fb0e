// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <string>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

/// Where a style holds the prompt that it is put around.
inline constexpr QLatin1String styleMark("{prompt}");

/// Every text that a prompt with alternatives stands for, the last choice changing fastest: "a {red|blue}
/// {ball|cube}" gives four. Choices may be empty and hold further ones; braces without a bar stay as they
/// are. The first `most` of them, as a slip of a key makes many.
QStringList promptVariants(const QString& prompt, qsizetype most);

/// Warns of braces that a run would take for words of the prompt: alternatives, and the mark of a style.
std::vector<Problem> promptProblems(const std::string& prompt);

}  // namespace meshreel
