// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

namespace meshreel {

struct ProjectKey;

/// A word or sentence of the engine's tables (key titles, help, sections, units, choices) in the language of
/// the application.
QString engineText(std::string_view english);

/// Title of the key of this name; empty when there is none.
QString titleOfKey(std::string_view keyName);

/// The range, step or default of a key for people, in the language of the application; empty when everything
/// is legal.
QString limitsText(const ProjectKey& key);

}  // namespace meshreel
