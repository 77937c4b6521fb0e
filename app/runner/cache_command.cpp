// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/runner/command.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/pipelines/preview_cache.h"
#include "engine/pipelines/text_conditioning.h"
#include "engine/weights/cache/cache_folder.h"
#include "engine/weights/cache/packed_weights.h"

namespace meshreel {
namespace {

struct CacheArguments {
    bool weights = false;
    bool prompts = false;
    bool previews = false;
    bool json = false;
};

/// One of the caches, as the command line names it.
struct NamedCache {
    std::string_view name;
    CacheFolder folder;
    void (*verify)(const std::filesystem::path& entry);
};

void verifyWeightsEntry(const std::filesystem::path& entry) {
    PackedWeightsFile::open(entry)->verify();
}

/// Returns the named caches, or all.
std::vector<NamedCache> chosenCaches(const CacheArguments& arguments) {
    const Caches caches = userCaches();
    const bool all = !arguments.weights && !arguments.prompts && !arguments.previews;
    std::vector<NamedCache> chosen;
    if (all || arguments.prompts)
        chosen.push_back({"prompts", caches.prompts, verifyPromptEntry});
    if (all || arguments.weights)
        chosen.push_back({"weights", caches.weights, verifyWeightsEntry});
    if (all || arguments.previews)
        chosen.push_back({"previews", caches.previews, verifyPreviewEntry});
    return chosen;
}

std::string timeText(const CacheEntry& entry) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       std::chrono::time_point_cast<std::chrono::seconds>(entry.lastUsed));
}

nlohmann::json entryJson(const CacheEntry& entry) {
    return {{"file", entry.file.string()}, {"bytes", entry.bytes}, {"last_used", timeText(entry)}};
}

nlohmann::json cacheJson(const NamedCache& cache) {
    nlohmann::json json{{"folder", cache.folder.path().string()},
                        {"limit_bytes", cache.folder.limitBytes()},
                        {"bytes", 0},
                        {"entries", nlohmann::json::array()}};
    std::uint64_t bytes = 0;
    for (const CacheEntry& entry : cache.folder.entries()) {
        bytes += entry.bytes;
        json["entries"].push_back(entryJson(entry));
    }
    json["bytes"] = bytes;
    return json;
}

int list(const CacheArguments& arguments) {
    nlohmann::json json;
    for (const NamedCache& cache : chosenCaches(arguments)) {
        const nlohmann::json described = cacheJson(cache);
        json[std::string(cache.name)] = described;
        if (arguments.json)
            continue;
        say("{}: {} entries, {} of {}, in {}\n", cache.name, described["entries"].size(),
            formatBytes(described["bytes"]), formatBytes(cache.folder.limitBytes()),
            withTilde(cache.folder.path()));
        for (const CacheEntry& entry : cache.folder.entries())
            say("  {}  {:>10}  {}\n", timeText(entry), formatBytes(entry.bytes),
                entry.file.filename().string());
    }
    if (arguments.json)
        say("{}\n", json.dump(2));
    return 0;
}

/// Why the entry is damaged, or nothing.
std::optional<std::string> findDamage(const NamedCache& cache, const CacheEntry& entry) {
    try {
        cache.verify(entry.file);
        return std::nullopt;
    } catch (const Error& failure) {
        return failure.what();
    }
}

int verifyCache(const CacheArguments& arguments) {
    nlohmann::json json = nlohmann::json::array();
    std::size_t damaged = 0;
    for (const NamedCache& cache : chosenCaches(arguments))
        for (const CacheEntry& entry : cache.folder.entries()) {
            const std::optional<std::string> damage = findDamage(cache, entry);
            damaged += damage ? 1 : 0;
            json.push_back({{"file", entry.file.string()}, {"ok", !damage}});
            if (damage)
                json.back()["why"] = *damage;
            if (!arguments.json)
                say("{}  {}\n", damage ? "damaged" : "ok     ", damage.value_or(entry.file.string()));
        }
    if (arguments.json)
        say("{}\n", json.dump(2));
    if (damaged > 0)
        throw Error(ErrorKind::Mismatch, fmt::format("{} of {} entries are damaged", damaged, json.size()),
                    {}, "They are not used; meshreel cache clear removes them");
    return 0;
}

int clear(const CacheArguments& arguments) {
    nlohmann::json json;
    for (const NamedCache& cache : chosenCaches(arguments)) {
        const std::size_t removed = cache.folder.clear();
        json[std::string(cache.name)] = removed;
        if (!arguments.json)
            say("{}: {} entries removed\n", cache.name, removed);
    }
    if (arguments.json)
        say("{}\n", json.dump(2));
    return 0;
}

struct CacheAction {
    const char* name;
    const char* help;
    int (*run)(const CacheArguments&);
};
constexpr std::array cacheActions{
    CacheAction{"list", "Print what is kept, how large it is and when it was used", list},
    CacheAction{"verify", "Read everything again and compare its checksums", verifyCache},
    CacheAction{"clear", "Remove everything", clear},
};

}  // namespace

Action declareCache(CLI::App& app) {
    const auto arguments = std::make_shared<CacheArguments>();
    app.require_subcommand(1);
    for (const CacheAction& action : cacheActions) {
        CLI::App* command = app.add_subcommand(action.name, action.help);
        command->add_flag("--weights", arguments->weights, "Packed weights only");
        command->add_flag("--prompts", arguments->prompts, "Encoded prompts only");
        command->add_flag("--previews", arguments->previews, "Previews fitted to VAEs only");
        command->add_flag("--json", arguments->json, "Print JSON");
    }
    return [arguments, &app] {
        for (const CacheAction& action : cacheActions)
            if (app.got_subcommand(action.name))
                return action.run(*arguments);
        return 0;
    };
}

}  // namespace meshreel
