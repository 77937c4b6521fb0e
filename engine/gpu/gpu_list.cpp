// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/record_json.h"
#include "engine/base/system.h"
#include "engine/gpu/asked_process.h"
#include "engine/gpu/unopened_gpus.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using Clock = AskedProcess::Clock;

// ---- Where drivers are ----

std::string environmentOr(const char* variable, std::string otherwise) {
    const char* value = std::getenv(variable);
    return value == nullptr || *value == '\0' ? std::move(otherwise) : std::string(value);
}

/// The parts between colons, without empty ones.
std::vector<fs::path> pathList(std::string_view text) {
    std::vector<fs::path> paths;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(':'));
        if (!part.empty())
            paths.emplace_back(part);
        text.remove_prefix(std::min(text.size(), part.size() + 1));
    }
    return paths;
}

std::vector<fs::path> searchedFolders() {
    const std::string home = environmentOr("HOME", "");
    std::vector<fs::path> roots = pathList(environmentOr("XDG_CONFIG_HOME", home + "/.config"));
    for (const std::string& list : {environmentOr("XDG_CONFIG_DIRS", "/etc/xdg"), std::string("/etc"),
                                    environmentOr("XDG_DATA_HOME", home + "/.local/share"),
                                    environmentOr("XDG_DATA_DIRS", "/usr/local/share:/usr/share")})
        for (const fs::path& root : pathList(list))
            roots.push_back(root);
    return roots;
}

void addManifests(const fs::path& place, std::vector<fs::path>& manifests) {
    std::vector<fs::path> found;
    std::error_code failure;
    if (isFile(place))
        found.push_back(place);
    else
        for (const fs::directory_entry& entry : fs::directory_iterator(place, failure))
            if (entry.path().extension() == ".json")
                found.push_back(entry.path());
    std::ranges::sort(found);
    for (const fs::path& each : found)
        if (std::ranges::find(manifests, each) == manifests.end())
            manifests.push_back(each);
}

// ---- What is remembered ----

/// A driver that failed, and how its files were then.
struct FailedDriver {
    fs::path manifest;
    std::string stamp;
    Sentence why;

    static constexpr auto fields() {
        return std::tuple(field("manifest", &FailedDriver::manifest), field("stamp", &FailedDriver::stamp),
                          field("why", &FailedDriver::why));
    }
};

/// A driver without a real GPU, and how its files and the cards of the system were when it said so.
struct SoftwareDriver {
    fs::path manifest;
    std::string stamp;
    Sentence why;
    std::vector<GpuFacts> gpus;

    static constexpr auto fields() {
        return std::tuple(field("manifest", &SoftwareDriver::manifest),
                          field("stamp", &SoftwareDriver::stamp), field("why", &SoftwareDriver::why),
                          field("gpus", &SoftwareDriver::gpus));
    }
};

struct KnownDrivers {
    std::vector<FailedDriver> failed;
    std::vector<SoftwareDriver> software;

    static constexpr auto fields() {
        return std::tuple(field("failed", &KnownDrivers::failed), field("software", &KnownDrivers::software));
    }
};

std::string fileStamp(const fs::path& file) {
    std::error_code failure;
    const fs::path real = fs::canonical(file, failure);
    if (failure)
        return {};
    const auto size = fs::file_size(real, failure);
    const auto time = fs::last_write_time(real, failure).time_since_epoch().count();
    return fmt::format("{} {} {}", real.string(), size, time);
}

/// Changes with the manifest and with the library that it names.
std::string readStamp(const fs::path& manifest) {
    std::string stamp = fileStamp(manifest);
    try {
        const fs::path library = readJsonObject(manifest).at("ICD").at("library_path").get<std::string>();
        for (const fs::path& folder : {manifest.parent_path(), fs::path("/usr/lib/x86_64-linux-gnu"),
                                       fs::path("/usr/lib64"), fs::path("/usr/lib")})
            if (const std::string found = fileStamp(folder / library); !found.empty())
                return stamp + ", " + found;
    } catch (const std::exception&) {
        // A manifest that cannot be read has no library: its own stamp is all there is.
    }
    return stamp;
}

/// The cards of the system as its kernel drivers show them, and whether this user may open them. A driver
/// that found none before may find a new one.
std::string cardStamp() {
    std::vector<std::string> names;
    std::error_code failure;
    for (const char* folder : {"/dev/dri", "/dev"})
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
            if (const std::string name = entry.path().filename().string();
                folder == std::string_view("/dev/dri") || name.starts_with("nvidia") ||
                name.starts_with("dxg"))
                names.push_back(name + (::access(entry.path().c_str(), R_OK | W_OK) == 0 ? "" : " closed"));
    std::ranges::sort(names);
    std::string stamp;
    for (const std::string& name : names)
        stamp += " " + name;
    return stamp;
}

bool isReal(const GpuFacts& gpu) {
    return gpu.kind != GpuKind::Software;
}

/// Devices in software, whose memory is the host's: what is free of it is read anew.
std::vector<GpuFacts> withFreeMemory(std::vector<GpuFacts> gpus) {
    for (GpuFacts& gpu : gpus)
        if (gpu.memoryFree)
            gpu.memoryFree = std::min(gpu.memoryTotal, static_cast<double>(availableMemory()));
    return gpus;
}

KnownDrivers readKnown(const fs::path& memory) {
    if (memory.empty() || !isFile(memory))
        return {};
    try {
        return takeFields<KnownDrivers>(RecordJson::parse(readFile(memory)));
    } catch (const std::exception&) {
        return {};  // a damaged memory: they are asked once more
    }
}

void writeKnown(const fs::path& memory, const KnownDrivers& known) {
    if (memory.empty())
        return;
    try {
        if (known.failed.empty() && known.software.empty() && !isThere(memory))
            return;
        fs::create_directories(memory.parent_path());
        RecordJson json = RecordJson::object();
        putFields(json, known);
        writeFileAtomically(memory, json.dump(1) + "\n");
    } catch (const std::exception&) {
        // What cannot be remembered is asked again; the list is as good.
    }
}

// ---- Asking ----

/// A driver that is being asked.
class Asked {
  public:
    Asked(const fs::path& manifest, std::vector<std::string> line) {
        m_driver.manifest = manifest;
        line.push_back(manifest.string());
        m_process = std::make_unique<AskedProcess>(line);
    }

    [[nodiscard]] GpuDriver answer(Clock::time_point deadline) {
        const AskedProcess::Answer answer = m_process->answer(deadline);
        if (!answer.status)
            return failed(sentence("it does not answer"));
        if (answer.signal())
            return failed(
                sentence("it crashed when it was asked for its devices (signal {})", *answer.signal()));
        try {
            const RecordJson json = RecordJson::parse(answer.text);
            m_driver.why = JsonValue<Sentence>::take(json, "why");
            m_driver.gpus = JsonValue<std::vector<GpuFacts>>::take(json, "gpus");
            m_isUncertain = json.value("uncertain", false);
            return m_driver;
        } catch (const RecordJson::exception&) {
            return failed(sentence("it ended the program that asked it (exit code {})", *answer.status));
        }
    }

    /// An error ended the answer: the same driver may have devices the next time.
    [[nodiscard]] bool isUncertain() const { return m_isUncertain; }

  private:
    GpuDriver failed(Sentence why) {
        m_driver.state = DriverState::Failed;
        m_driver.why = std::move(why);
        return m_driver;
    }

    GpuDriver m_driver;
    bool m_isUncertain = false;
    std::unique_ptr<AskedProcess> m_process;
};

}  // namespace

std::vector<fs::path> driverManifests() {
    std::vector<fs::path> manifests;
    for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
        if (const std::string named = environmentOr(variable, ""); !named.empty()) {
            for (const fs::path& place : pathList(named))
                addManifests(place, manifests);
            return manifests;
        }
    for (const fs::path& root : searchedFolders())
        addManifests(root / "vulkan/icd.d", manifests);
    return manifests;
}

namespace {

/// Without its card a driver does not start: that holds until the cards of this system change.
bool isForAnotherCard(const Error& failure) {
    const auto* const ofVulkan = dynamic_cast<const VulkanFailure*>(&failure);
    return ofVulkan != nullptr && ofVulkan->result() == VK_ERROR_INCOMPATIBLE_DRIVER;
}

std::string answerBy(GpuFacts (&ask)(const VulkanLibrary&, VkPhysicalDevice), const fs::path& manifest) {
    RecordJson json = RecordJson::object();
    std::vector<GpuFacts> gpus;
    Sentence why;
    bool isUncertain = false;
    try {
        const std::array manifests{manifest};
        const VulkanLibrary library(manifests);
        for (VkPhysicalDevice device : library.devices())
            gpus.push_back(ask(library, device));
        if (gpus.empty())
            why = sentence("it finds no device of its own");
    } catch (const Error& failure) {
        gpus.clear();
        why = failure.asSentence();
        isUncertain = !isForAnotherCard(failure);
    }
    JsonValue<Sentence>::put(json, "why", why);
    JsonValue<std::vector<GpuFacts>>::put(json, "gpus", gpus);
    json["uncertain"] = isUncertain;
    return json.dump();
}

}  // namespace

std::string answerOfDriver(const fs::path& manifest) {
    return answerBy(askGpu, manifest);
}

std::string answerOfUnopenedDriver(const fs::path& manifest) {
    return answerBy(askUnopenedGpu, manifest);
}

std::vector<GpuDriver> askDrivers(const DriverQuestion& question) {
    const KnownDrivers before = readKnown(question.memory);
    const std::vector<fs::path> manifests = driverManifests();
    const std::string cards = cardStamp();
    std::map<fs::path, std::string> stamps;
    std::map<fs::path, GpuDriver> known;               // without being asked
    std::map<fs::path, std::unique_ptr<Asked>> asked;  // all at once: each takes a while to load
    for (const fs::path& manifest : manifests) {
        stamps[manifest] = readStamp(manifest);
        const auto failed = std::ranges::find_if(before.failed, [&](const FailedDriver& each) {
            return each.manifest == manifest && each.stamp == stamps[manifest];
        });
        const auto software = std::ranges::find_if(before.software, [&](const SoftwareDriver& each) {
            return each.manifest == manifest && each.stamp == stamps[manifest] + cards;
        });
        if (failed != before.failed.end() && !question.again)
            known[manifest] = {.manifest = manifest, .state = DriverState::Skipped, .why = failed->why};
        else if (software != before.software.end() && question.remembersSoftware)
            known[manifest] = {
                .manifest = manifest, .why = software->why, .gpus = withFreeMemory(software->gpus)};
        else
            asked[manifest] = std::make_unique<Asked>(manifest, question.program);
    }
    const auto deadline = Clock::now() + question.patience;
    std::vector<GpuDriver> drivers;
    KnownDrivers now;
    for (const fs::path& manifest : manifests) {
        const auto child = asked.find(manifest);
        drivers.push_back(child != asked.end() ? child->second->answer(deadline) : known.at(manifest));
        const GpuDriver& driver = drivers.back();
        if (driver.state != DriverState::Answered)
            now.failed.push_back({manifest, stamps[manifest], driver.why});
        else if (std::ranges::none_of(driver.gpus, isReal) &&
                 (child == asked.end() || !child->second->isUncertain()))
            now.software.push_back({manifest, stamps[manifest] + cards, driver.why, driver.gpus});
    }
    if (!asked.empty())
        writeKnown(question.memory, now);
    return drivers;
}

DriverQuestion usualQuestion() {
    return {.program = {(executableFolder() / "meshreel").string(), "devices", "--of-driver"},
            .memory = userCacheFolder() / "gpu-drivers.json"};
}

std::vector<GpuDriver> recentDrivers() {
    constexpr std::chrono::seconds recent{5};  // the free memory of real GPUs changes
    static std::mutex mutex;
    static std::optional<std::vector<GpuDriver>> drivers;
    static Clock::time_point when;
    const std::lock_guard lock(mutex);
    if (!drivers || Clock::now() - when > recent) {
        DriverQuestion question = usualQuestion();
        question.program.back() = "--of-unopened-driver";
        question.remembersSoftware = true;
        drivers = askDrivers(question);
        when = Clock::now();
    }
    return *drivers;
}

std::vector<GpuFacts> listGpus(const std::vector<GpuDriver>& drivers) {
    std::vector<GpuFacts> gpus;
    for (const GpuDriver& driver : drivers)
        gpus.insert(gpus.end(), driver.gpus.begin(), driver.gpus.end());
    return gpus;
}

Sentence whyNoGpu(const std::vector<GpuDriver>& drivers) {
    if (drivers.empty())
        return sentence("no Vulkan driver is installed");
    const std::vector<GpuFacts> gpus = listGpus(drivers);
    if (gpus.empty())
        return sentence("no Vulkan driver finds a device");
    if (std::ranges::none_of(gpus, [](const GpuFacts& gpu) { return gpu.missing.empty(); }))
        return sentence("no GPU has what Meshreel needs");
    return {};
}

}  // namespace meshreel
