// SPDX-License-Identifier: GPL-3.0-or-later
// Prints translations/engine_strings.h: every word and sentence of the engine that the Studio shows, of its
// tables, of the presets in the folder that is named first and of the sources in the others, in the form that
// lupdate reads.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/attention_volume.h"
#include "engine/base/limits.h"
#include "engine/foresight/efficiencies.h"
#include "engine/foresight/foresight_model.h"
#include "engine/measure/benchmarks/benchmark_groups.h"
#include "engine/measure/benchmarks/benchmark_measurement.h"
#include "engine/measure/tile_search.h"
#include "engine/media/video_writer.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/model_family.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/project/block_presets.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/presets.h"
#include "engine/project/project_keys.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/video_measures.h"
#include "engine/sampling/step_caches.h"
#include "sentence_scan.h"

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
        for (const std::string_view text :
             {key.section, key.title, key.help, key.unit, key.automatic, key.inactive})
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

void addModels(Listing& listing) {
    for (const meshreel::ModelFamily& family : meshreel::modelFamilies())
        listing.add(family.title);
    for (const meshreel::WanTaskRow& task : meshreel::wanTasks())
        listing.add(task.title);
    for (const meshreel::Architecture& architecture : meshreel::architectures())
        listing.add(architecture.help);
    for (const meshreel::StepCacheRow& cache : meshreel::stepCaches())
        listing.add(cache.name);
}

void addTables(Listing& listing) {
    for (const meshreel::BlockPreset& preset : meshreel::blockPresets())
        for (const std::string_view text : {preset.name, preset.source, preset.otherwise})
            listing.add(text);
    for (const meshreel::VideoFormatInfo& format : meshreel::videoFormats())
        for (const std::string_view text : {format.title, format.help})
            listing.add(text);
    for (const meshreel::ChartKindRow& kind : meshreel::chartKinds())
        listing.add(kind.help);
    for (const meshreel::MeasureRow& measure : meshreel::measureRows())
        for (const std::string_view text : {measure.title, measure.help})
            listing.add(text);
    for (const meshreel::BenchmarkGroup& group : meshreel::benchmarkGroups())
        listing.add(group.help);
    for (const std::string_view help : {meshreel::allBenchmarksHelp, meshreel::gpuBenchmarksHelp})
        listing.add(help);
    for (const meshreel::TileGridRow& mode : meshreel::tileGridModes())
        listing.add(mode.help);
    for (const std::string_view purpose : meshreel::trafficPurposes())
        listing.add(purpose);
    for (const meshreel::CauseRow& cause : meshreel::causeRows())
        for (const std::string_view text : {cause.title, cause.faster})
            listing.add(text);
    for (const meshreel::LimitRow& row : meshreel::limitRows())
        for (const std::string_view text : {row.unit, row.of})
            listing.add(text);
    using enum meshreel::EfficiencyBasis;
    for (const meshreel::EfficiencyBasis basis : {OwnTimes, HardwareTimes, ClassMean})
        listing.add(meshreel::nameOf(basis));
}

void addPresets(Listing& listing, const std::filesystem::path& folder) {
    for (const meshreel::PresetProject& preset : meshreel::presetProjects(folder))
        listing.add(preset.description);
}

std::string contentOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void addSentences(Listing& listing, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> sources;
    // The server speaks to programs and to the terminal that it was started in: English, as the command line.
    const auto isOfServer = [](const std::filesystem::path& path) {
        return path.parent_path().filename() == "serve";
    };
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (isOfServer(entry.path()))
            continue;
        else if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
            sources.push_back(entry.path());
    std::ranges::sort(sources);
    for (const std::filesystem::path& source : sources)
        for (const std::string& pattern : meshreel::sentencePatterns(contentOf(source)))
            listing.add(pattern);
}

}  // namespace

int main(int count, char** words) {
    if (count < 3) {
        std::cerr << "list_engine_strings PRESETS FOLDER...\n";
        return 2;
    }
    std::cout << "// SPDX-License-Identifier: GPL-3.0-or-later\n"
                 "// Made by list_engine_strings; read by lupdate only.\n"
                 "// clang-format off\n";
    Listing listing;
    addKeys(listing);
    addAttentionModes(listing);
    addModels(listing);
    addTables(listing);
    addPresets(listing, words[1]);
    for (int folder = 2; folder < count; ++folder)
        addSentences(listing, words[folder]);
}
