// SPDX-License-Identifier: GPL-3.0-or-later
// Prints translations/engine_strings.h: every word and sentence of the engine's tables that the Studio shows,
// in the form that lupdate reads.
#include <iomanip>
#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_volume.h"
#include "engine/attention/block_presets.h"
#include "engine/planning/cost/mesh_traffic.h"
#include "engine/project/project_keys.h"
#include "engine/studies/tile_grid.h"
#include "engine/timing/chart_kinds.h"

namespace {

/// Prints each string once, in the order of first use.
class Listing {
  public:
    void add(std::string_view text) {
        if (!text.empty() && m_listed.insert(std::string(text)).second)
            std::cout << "QT_TRANSLATE_NOOP(\"Engine\", " << std::quoted(text) << ")\n";
    }

  private:
    std::set<std::string> m_listed;
};

void addKeys(Listing& listing) {
    for (const meshreel::ProjectKey& key : meshreel::projectKeys()) {
        for (const std::string_view text : {key.section, key.title, key.help, key.unit, key.inactive})
            listing.add(text);
        if (key.choices == nullptr)
            continue;
        for (const meshreel::Choice& choice : key.choices())
            listing.add(choice.help);
    }
}

void addAttentionModes(Listing& listing) {
    for (const meshreel::AttentionMode& mode : meshreel::attentionModes()) {
        for (const std::string_view text :
             {mode.help, mode.when, mode.limits, attentionSharding(mode), mode.instead})
            listing.add(text);
    }
}

void addTables(Listing& listing) {
    for (const meshreel::BlockPreset& preset : meshreel::blockPresets())
        for (const std::string_view text : {preset.name, preset.source, preset.otherwise})
            listing.add(text);
    for (const meshreel::ChartKindRow& kind : meshreel::chartKinds())
        listing.add(kind.help);
    for (const meshreel::TileGridRow& mode : meshreel::tileGridModes())
        listing.add(mode.help);
    for (const std::string_view purpose : meshreel::trafficPurposes())
        listing.add(purpose);
}

}  // namespace

int main() {
    std::cout << "// SPDX-License-Identifier: GPL-3.0-or-later\n"
                 "// Made by list_engine_strings; read by lupdate only.\n"
                 "// clang-format off\n";
    Listing listing;
    addKeys(listing);
    addAttentionModes(listing);
    addTables(listing);
}
