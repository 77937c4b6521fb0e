// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

namespace meshreel {

/// Title of a column of comparisonTable() in the language of the application; its name where it has none.
QString timingColumnTitle(std::string_view name);

}  // namespace meshreel
