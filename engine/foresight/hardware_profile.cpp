// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/hardware_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/units.h"
#include "engine/project/lost_text.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
#include "engine/project/yaml.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::array kindNames{std::pair(AcceleratorKind::Tpu, std::string_view("tpu")),
                               std::pair(AcceleratorKind::Gpu, std::string_view("gpu")),
                               std::pair(AcceleratorKind::ConsumerGpu, std::string_view("consumer_gpu"))};
constexpr std::array topologies{"pair", "ring", "torus", "switch", "pcie", "line"};
constexpr double leastNumber = 1e-6;  // for a key: other numbers are typing mistakes, and products overflow
constexpr double mostNumber = 1e18;
constexpr double mebi = 1024.0 * 1024.0;

/// A key whose value is a positive number, and where it goes.
struct NumberKey {
    std::string_view name;
    double HardwareProfile::*field;
    double unit;
    bool required;
};

constexpr std::array numberKeys{
    NumberKey{"bf16_tflops", &HardwareProfile::bf16, tera, true},
    NumberKey{"warp_tflops", &HardwareProfile::warp, tera, false},
    NumberKey{"fp8_tflops", &HardwareProfile::fp8, tera, false},
    NumberKey{"convolution_tflops", &HardwareProfile::convolution, tera, false},
    NumberKey{"exponentials_per_second", &HardwareProfile::exponentials, 1, true},
    NumberKey{"memory_gib", &HardwareProfile::memory, 1024 * mebi, true},
    NumberKey{"bandwidth_gb_s", &HardwareProfile::bandwidth, giga, true},
    NumberKey{"scratch_mib", &HardwareProfile::scratch, mebi, false},
};

constexpr std::array textKeys{
    std::pair(std::string_view("title"), &HardwareProfile::title),
    std::pair(std::string_view("device"), &HardwareProfile::device),
    std::pair(std::string_view("numbering"), &HardwareProfile::numbering),
    std::pair(std::string_view("default_program"), &HardwareProfile::defaultProgram),
    std::pair(std::string_view("generation"), &HardwareProfile::generation),
    std::pair(std::string_view("efficiencies_of"), &HardwareProfile::efficienciesOf),
};

/// Collects a profile and everything that is wrong with its file.
class ProfileReader {
  public:
    explicit ProfileReader(const fs::path& file) : m_file(file) {
        m_profile.file = file;
        m_profile.id = file.stem().string();
    }

    HardwareProfile read(const std::string& text) {
        YamlTree tree = readYaml(text);
        for (Problem& problem : tree.problems) {
            problem.place.file = m_file.string();
            m_problems.push_back(std::move(problem));
        }
        if (tree.root.kind != YamlNode::Kind::Map)
            report(tree.root, "", sentence("A hardware profile is a map of keys"),
                   sentence("Copy a file of configs/hardware and change its numbers"));
        for (const YamlNode& node : tree.root.children)
            readKey(node);
        requireAll(tree.root);
        if (hasErrors(m_problems))
            throw ProjectError(std::move(m_problems));
        deriveOptional();
        return std::move(m_profile);
    }

  private:
    void report(const YamlNode& node, std::string_view key, Sentence message, Sentence hint) {
        if (m_problems.size() < problemLimit)
            m_problems.push_back({.id = "hardware-profile-malformed",
                                  .key = std::string(key),
                                  .place = {.file = m_file.string(), .line = std::max(node.line, 1)},
                                  .message = std::move(message),
                                  .fixes = byHand(std::move(hint))});
    }

    void readKey(const YamlNode& node) {
        m_given.insert(node.key);
        for (const NumberKey& key : numberKeys)
            if (key.name == node.key) {
                m_profile.*key.field = positive(node) * key.unit;
                return;
            }
        for (const auto& [name, field] : textKeys)
            if (name == node.key) {
                m_profile.*field = toText(node);
                return;
            }
        if (node.key == "version")
            whole(node, 1, 1);
        else if (node.key == "kind")
            readKind(node);
        else if (node.key == "matrix_depth")
            m_profile.matrixDepth = whole(node, 1, 4096);
        else if (node.key == "units")
            m_profile.units = whole(node, 1, 1 << 20);
        else if (node.key == "published_as")
            m_profile.publishedAs = texts(node);
        else if (node.key == "sources")
            m_profile.sources = texts(node);
        else if (node.key == "measured")
            m_profile.measured = m_file.parent_path() / toText(node);
        else if (node.key == "links")
            readLinks(node);
        else
            report(node, node.key, sentence("No key of a hardware profile is called {}", node.key),
                   sentence("docs/foresight.md lists the keys"));
    }

    std::string toText(const YamlNode& node, std::string_view key) {
        for (Problem& lost : lostTexts(key, Writing::Name, node)) {
            lost.place.file = m_file.string();
            lost.fixes = byHand(lost.hint());
            m_profile.warnings.push_back(std::move(lost));
        }
        return node.text;
    }

    std::string toText(const YamlNode& node) { return toText(node, node.key); }

    /// Returns 0 when there is none.
    double positive(const YamlNode& node) {
        const auto value = parseReal(node.text);
        if (const auto* number = std::get_if<double>(&value);
            number != nullptr && *number >= leastNumber && *number <= mostNumber)
            return *number;
        report(node, node.key,
               sentence("{} is {}, and must be a number above 0", node.key, excerpt(node.text)),
               sentence("Write a number such as 989 or 3.9e12"));
        return 0;
    }

    std::int64_t whole(const YamlNode& node, std::int64_t least, std::int64_t most) {
        const auto value = parseInteger(node.text);
        if (const auto* number = std::get_if<std::int64_t>(&value);
            number != nullptr && *number >= least && *number <= most)
            return *number;
        report(node, node.key, sentence("{} is {}, and must be a whole number", node.key, excerpt(node.text)),
               sentence("Write a number from {} to {}", least, most));
        return least;
    }

    void readKind(const YamlNode& node) {
        for (const auto& [kind, name] : kindNames)
            if (name == node.text) {
                m_profile.kind = kind;
                return;
            }
        report(node, node.key, sentence("There is no kind of hardware called {}", excerpt(node.text)),
               sentence("Write tpu, gpu or consumer_gpu"));
    }

    std::vector<std::string> texts(const YamlNode& node) {
        std::vector<std::string> result;
        for (const YamlNode& child : node.children)
            if (!child.text.empty())
                result.push_back(toText(child, node.key));
        if (result.empty())
            report(node, node.key, sentence("{} is empty", node.key), sentence("Give a list of texts"));
        return result;
    }

    void readLinks(const YamlNode& node) {
        for (const YamlNode& child : node.children) {
            LinkClass link;
            std::set<std::string> given;
            for (const YamlNode& entry : child.children) {
                given.insert(entry.key);
                readLinkKey(entry, link);
            }
            for (const char* key : {"name", "devices", "gb_s"})
                if (!given.contains(key))
                    report(child, "links", sentence("A link has no {}", key),
                           sentence("Write - {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, "
                                    "topology: switch}}"));
            if (!m_profile.links.empty() && link.devices <= m_profile.links.back().devices)
                report(child, "links",
                       sentence("The link {} reaches no more devices than the one before", link.name),
                       sentence("List links from near to far"));
            m_profile.links.push_back(std::move(link));
        }
        if (m_profile.links.empty())
            report(node, "links", sentence("A profile needs links"), sentence("List one link at least"));
    }

    void readLinkKey(const YamlNode& entry, LinkClass& link) {
        constexpr double micro = 1e-6;
        if (entry.key == "name")
            link.name = toText(entry, "links");
        else if (entry.key == "devices")
            link.devices = whole(entry, 1, std::int64_t{1} << 30);
        else if (entry.key == "gb_s")
            link.bandwidth = positive(entry) * giga;
        else if (entry.key == "ports")
            link.ports = static_cast<int>(whole(entry, 1, 64));
        else if (entry.key == "latency_us")
            link.latency = positive(entry) * micro;
        else if (entry.key == "units_share")
            link.unitsShare = std::min(positive(entry), 1.0);
        else if (entry.key == "topology") {
            link.topology = entry.text;
            if (!std::ranges::count(topologies, link.topology))
                report(entry, "links", sentence("There is no topology called {}", excerpt(entry.text)),
                       sentence("Write pair, ring, torus, switch, pcie or line"));
        } else {
            report(entry, "links", sentence("No key of a link is called {}", excerpt(entry.key)),
                   sentence("Write name, devices, gb_s, ports, latency_us, units_share or topology"));
        }
    }

    void requireAll(const YamlNode& root) {
        const auto require = [&](std::string_view key) {
            if (!m_given.contains(std::string(key)))
                report(root, key, sentence("The profile has no {}", key),
                       sentence("docs/foresight.md says what it means"));
        };
        for (const NumberKey& key : numberKeys)
            if (key.required)
                require(key.name);
        for (const char* key : {"title", "kind", "sources", "default_program", "links"})
            require(key);
    }

    void deriveOptional() {
        HardwareProfile& profile = m_profile;
        if (profile.warp == 0)
            profile.warp = profile.bf16;
        if (profile.fp8 == 0)
            profile.fp8 = profile.bf16;
        if (profile.convolution == 0)
            profile.convolution = profile.bf16;
        if (profile.efficienciesOf.empty())
            profile.efficienciesOf = profile.id;
        if (profile.publishedAs.empty())
            profile.publishedAs = {profile.title};
    }

    fs::path m_file;
    HardwareProfile m_profile;
    std::set<std::string> m_given;
    std::vector<Problem> m_problems;
};

}  // namespace

std::string_view nameOf(AcceleratorKind kind) {
    return kindNames.at(static_cast<std::size_t>(kind)).second;
}

Hardware readHardwareProfile(const fs::path& file) {
    return std::make_shared<const HardwareProfile>(ProfileReader(file).read(readFile(file)));
}

fs::path hardwareFolder() {
    const fs::path resources = resourceFolder();
    const fs::path installed = resources / "configs" / "hardware";
    return isFolder(installed) ? installed : resources.parent_path() / "configs" / "hardware";
}

namespace {

std::vector<fs::path> profileFiles() {
    std::vector<fs::path> files;
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(hardwareFolder(), unreadable))
        if (entry.path().extension() == ".yaml")
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

}  // namespace

std::vector<Hardware> hardwareProfiles() {
    std::vector<Hardware> profiles;
    for (const fs::path& file : profileFiles())
        profiles.push_back(readHardwareProfile(file));
    return profiles;
}

Hardware requireHardware(const std::string& nameOrFile) {
    if (nameOrFile.ends_with(".yaml") || nameOrFile.find('/') != std::string::npos)
        return readHardwareProfile(expandTilde(nameOrFile));
    std::vector<Sentence> names;
    for (const fs::path& file : profileFiles()) {
        try {
            const Hardware profile = readHardwareProfile(file);
            if (profile->id == nameOrFile)
                return profile;
            names.emplace_back(profile->id);
        } catch (const Error&) {
            if (file.stem() == nameOrFile)  // another one's faults are not in the way
                throw;
        }
    }
    throw Error(ErrorKind::Project, sentence("There is no hardware profile called {}", nameOrFile),
                "--hardware", sentence("Profiles: {}; or give the path of a file", commaList(names)));
}

Hardware hardwareNamedIn(std::string_view text, const std::vector<Hardware>& profiles) {
    Hardware best;
    std::size_t longest = 0;
    for (const Hardware& profile : profiles)
        for (const std::string& words : profile->publishedAs)
            if (words.size() > longest && text.find(words) != std::string_view::npos) {
                best = profile;
                longest = words.size();
            }
    return best;
}

}  // namespace meshreel
