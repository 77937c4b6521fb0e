// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <QString>

namespace meshreel {

/// A command line of MaxDiffusion as it is pasted from a terminal or a script.
struct PastedCommand {
    std::vector<std::string> words;  ///< key=value, and what else follows the program
    QString config;                  ///< the config it names; empty when it names none
};

/// Words as a shell separates them: quotes hold them together, a backslash at the end of a line goes on with
/// the next. What stands before the program or config it starts (interpreters, variables) is left out.
PastedCommand readPastedCommand(const QString& text);

}  // namespace meshreel
