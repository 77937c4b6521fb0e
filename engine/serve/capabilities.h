// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

namespace meshreel {

/// Returns what a client can build a form from: {"version", "default_model", "fields": [{"field", "key"}],
/// "keys": [{"name", "title", "help", "section", "type", "unit", "default", "minimum", "maximum", "step",
/// "choices": [{"name", "help"}], "basic", "from_network", "word"}]}. Limits are left out where there are
/// none. "from_network": "value", "upload" (a file that comes with the request), "installed" (a name of what
/// is installed here), "word" (only "word", which stands in place of a file) or "refused".
nlohmann::ordered_json capabilitiesJson();

/// {"object": "list", "data": [{"id", "object": "model", "created", "owned_by"}]}: the installed models.
nlohmann::ordered_json modelsJson();

}  // namespace meshreel
