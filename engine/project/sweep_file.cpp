// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/project/lost_text.h"
#include "engine/project/numbers.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/yaml.h"

namespace meshreel {
namespace {

constexpr std::string_view batchKey = "batch";

/// Collects a sweep and everything that is wrong with its file.
class SweepReader {
  public:
    explicit SweepReader(std::string fileName) : m_file(std::move(fileName)) {}

    SweepFile read(const std::string& text) {
        YamlTree tree = readYaml(text);
        for (Problem& problem : tree.problems) {
            problem.place.file = m_file;
            m_problems.push_back(std::move(problem));
        }
        if (tree.root.kind != YamlNode::Kind::Map)
            report(tree.root, "", sentence("A sweep is a map of keys"), sentence("Begin with version: 1"));
        // What all cells have in common first: strategies and values are tried on it.
        for (const bool base : {true, false})
            for (const YamlNode& node : tree.root.children)
                if ((node.key == "base") == base)
                    readKey(node);
        if (m_sweep.strategies.empty())
            report(tree.root, "strategies", sentence("The sweep names no strategies"),
                   sentence("List at least one: - {{name: ring, attention: tokamax_ring}}"));
        if (hasErrors(m_problems))
            throw ProjectError(std::move(m_problems));
        return std::move(m_sweep);
    }

  private:
    void readKey(const YamlNode& node) {
        if (node.key == "version")
            static_cast<void>(integer(node, 1, 1));
        else if (node.key == "name")
            m_sweep.name = toText(node, Writing::Prose);
        else if (node.key == "arch")
            m_sweep.architecture = node.text;
        else if (node.key == "layers")
            m_sweep.layers = integer(node, 1, 1000);
        else if (node.key == "repeats")
            m_sweep.repeats = static_cast<int>(integer(node, 1, 1000));
        else if (node.key == "trace_batch")
            m_sweep.traceBatch = integer(node, 1, largestBatch);
        else if (node.key == "base")
            readBase(node);
        else if (node.key == "strategies")
            readStrategies(node);
        else if (node.key == "vary")
            readAxes(node);
        else
            report(
                node, node.key, sentence("A sweep has no key {}", node.key),
                sentence(
                    "It has version, name, arch, layers, repeats, trace_batch, base, strategies and vary"));
    }

    void readBase(const YamlNode& node) {
        for (const std::string& setting : listSettings(node))
            apply(node, m_sweep.base, setting);
    }

    void readStrategies(const YamlNode& node) {
        const std::size_t first = m_problems.size();
        for (const YamlNode& item : node.children) {
            const std::size_t before = m_problems.size();
            SweepStrategy strategy = readStrategy(item);
            if (m_problems.size() == before)
                m_sweep.strategies.push_back(std::move(strategy));
        }
        if (!m_sweep.strategies.empty())
            leaveOut(first);
    }

    SweepStrategy readStrategy(const YamlNode& item) {
        const YamlNode* name = item.find("name");
        if (name == nullptr || name->text.empty()) {
            report(item, "strategies", sentence("A strategy has no name"),
                   sentence("Write - {{name: ring, …}}"));
            return {};
        }
        if (std::ranges::find(m_sweep.strategies, name->text, &SweepStrategy::name) !=
            m_sweep.strategies.end())
            report(item, "strategies", sentence("Two strategies are called {}", name->text),
                   sentence("Give each a name of its own"));
        SweepStrategy strategy{.name = toText(*name, Writing::Name), .settings = {}};
        for (std::string& setting : listSettings(item))
            if (!setting.starts_with("name="))
                strategy.settings.push_back(std::move(setting));
        checkSettings(item, strategy.settings);
        return strategy;
    }

    void readAxes(const YamlNode& node) {
        for (const YamlNode& axis : node.children) {
            if (axis.kind != YamlNode::Kind::List || axis.children.empty()) {
                report(axis, axis.key, sentence("The values that {} varies over are not a list", axis.key),
                       sentence("Write {}: [1, 2]", axis.key));
                continue;
            }
            const std::size_t first = m_problems.size();
            if (axis.key == batchKey ? readBatches(axis) : readValues(axis))
                leaveOut(first);
        }
    }

    /// Whether one of the values can be used; the same below.
    bool readBatches(const YamlNode& axis) {
        m_sweep.batches.clear();
        for (const YamlNode& value : axis.children) {
            const std::size_t before = m_problems.size();
            const std::int64_t batch = integer(value, 1, largestBatch);
            if (m_problems.size() == before)
                m_sweep.batches.push_back(batch);
        }
        return !m_sweep.batches.empty();
    }

    bool readValues(const YamlNode& axis) {
        SweepAxis read{.key = axis.key, .values = {}};
        for (const YamlNode& value : axis.children) {
            const std::size_t before = m_problems.size();
            checkSettings(value, {fmt::format("{}={}", axis.key, value.text)});
            warnOfLost(axis.key, value);
            if (m_problems.size() == before)
                read.values.push_back(value.text);
        }
        m_sweep.axes.push_back(std::move(read));
        return !m_sweep.axes.back().values.empty();
    }

    /// "key=value" of every scalar of a map; keys of inner maps behind a dot.
    std::vector<std::string> listSettings(const YamlNode& map, const std::string& prefix = {}) {
        std::vector<std::string> settings;
        for (const YamlNode& child : map.children) {
            if (child.kind == YamlNode::Kind::Map) {
                std::vector<std::string> inner = listSettings(child, prefix + child.key + ".");
                std::ranges::move(inner, std::back_inserter(settings));
            } else if (child.kind == YamlNode::Kind::Scalar) {
                settings.push_back(fmt::format("{}{}={}", prefix, child.key, child.text));
                warnOfLost(prefix + child.key, child);
            } else if (auto lost = lostValue(child.key, writingOf(prefix + child.key), child)) {
                report(child, child.key, std::move(lost->message), lost->hint());
            } else {
                report(child, child.key, sentence("{} has no single value", child.key),
                       sentence("Lists go under vary"));
            }
        }
        return settings;
    }

    static Writing writingOf(const std::string& key) {
        const ProjectKey* known = findProjectKey(key);
        return known == nullptr ? Writing::Fixed : meshreel::writingOf(*known);
    }

    std::string toText(const YamlNode& node, Writing writing) {
        warn(lostTexts(node.key, writing, node));
        return node.text;
    }

    void warnOfLost(const std::string& key, const YamlNode& value) {
        warn(lostTexts(key, writingOf(key), value));
    }

    /// Nobody sets a key of a sweep but the author of the file.
    void warn(std::vector<Problem> lost) {
        for (Problem& problem : lost) {
            problem.place.file = m_file;
            problem.fixes = byHand(problem.hint());
            m_sweep.warnings.push_back(std::move(problem));
        }
    }

    std::int64_t integer(const YamlNode& node, std::int64_t least, std::int64_t most) {
        const auto parsed = parseInteger(node.text);
        const auto* number = std::get_if<std::int64_t>(&parsed);
        if (number != nullptr && *number >= least && *number <= most)
            return *number;
        report(node, node.key, sentence("\"{}\" is not a whole number from {} to {}", node.text, least, most),
               sentence("Write {}", least));
        return least;
    }

    /// Every setting must be one that a project can have.
    void checkSettings(const YamlNode& node, const std::vector<std::string>& settings) {
        for (const std::string& setting : settings) {
            Project project = m_sweep.base;
            apply(node, project, setting);
        }
    }

    /// The problems from `first` on are those of entries that are left out, because others stay.
    void leaveOut(std::size_t first) {
        for (std::size_t index = first; index < m_problems.size(); ++index)
            m_sweep.leftOut.emplace_back(ErrorKind::Input, m_problems[index]);
        m_problems.resize(first);
    }

    void apply(const YamlNode& node, Project& project, const std::string& setting) {
        try {
            applyOverride(project, setting);
        } catch (const ProjectError& error) {
            for (Problem problem : error.problems()) {
                problem.place = {.file = m_file, .line = node.line};
                m_problems.push_back(std::move(problem));
            }
        }
    }

    void report(const YamlNode& node, const std::string& key, Sentence message, Sentence hint) {
        m_problems.push_back({.id = "sweep-malformed",
                              .key = key,
                              .place = {.file = m_file, .line = node.line},
                              .message = std::move(message),
                              .fixes = byHand(std::move(hint))});
    }

    static constexpr std::int64_t largestBatch = 1024;

    std::string m_file;
    SweepFile m_sweep;
    std::vector<Problem> m_problems;
};

/// Adds the cells of one batch and strategy, the last axis fastest.
void addCells(const SweepFile& sweep, const SweepCell& start, std::size_t axis,
              std::vector<SweepCell>& cells) {
    if (axis == sweep.axes.size()) {
        for (const SweepStrategy& strategy : sweep.strategies) {
            SweepCell& cell = cells.emplace_back(start);
            cell.strategy = strategy.name;
            for (const std::string& setting : strategy.settings)
                applyOverride(cell.project, setting);
        }
        return;
    }
    for (const std::string& value : sweep.axes[axis].values) {
        SweepCell next = start;
        next.values.emplace_back(sweep.axes[axis].key, value);
        applyOverride(next.project, fmt::format("{}={}", sweep.axes[axis].key, value));
        addCells(sweep, next, axis + 1, cells);
    }
}

}  // namespace

std::string SweepCell::name() const {
    std::string name = strategy;
    for (const auto& [key, value] : values)
        name += fmt::format(", {}={}", key, value);
    return name + fmt::format(", batch {}", batch);
}

SweepFile readSweep(const std::string& text, const std::string& fileName) {
    return SweepReader(fileName).read(text);
}

SweepFile loadSweep(const std::filesystem::path& file) {
    SweepFile sweep = readSweep(readFile(file), withTilde(file));
    if (sweep.name.empty())
        sweep.name = readableStem(file);
    sweep.file = std::filesystem::absolute(file);
    return sweep;
}

namespace {

struct ModeStrategy {
    std::string attention;
    std::int64_t ulyssesShards = -1;
};

/// Returns the project's own strategy, then others that shard tokens in another way, or compute with another
/// kernel on one device.
std::vector<ModeStrategy> strategiesBeside(const Project& project) {
    std::vector<ModeStrategy> all{{project.attention, project.ulyssesShards}};
    const std::int64_t context =
        project.iciContextParallelism > 0 ? project.iciContextParallelism : project.devices;
    const auto add = [&](const char* mode, std::int64_t shards) {
        if (mode != project.attention)
            all.push_back({mode, shards});
    };
    if (context == 1) {
        add("flash", -1);
        add("ulysses_custom", -1);
        return all;
    }
    add("ulysses", -1);
    add("tokamax_ring", -1);
    std::int64_t shards = context / 2;
    while (shards > 1 && context % shards != 0)
        --shards;
    if (shards > 1)
        add("ulysses_ring", shards);
    return all;
}

}  // namespace

std::string newSweepText(const Project& project) {
    constexpr int repeats = 3;
    std::string text = fmt::format(
        "version: 1\n"
        "# Each strategy is timed in turn on random weights of the project's model. Further keys, such as\n"
        "# vary: {{height: [480, 720]}}, multiply the cells.\n"
        "repeats: {}\n"
        "base:\n",
        repeats);
    std::istringstream lines(saveProjectText(project));
    std::string base;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("version:"))
            base += line.empty() ? "\n" : "  " + line + "\n";
    if (base.empty())
        text.replace(text.size() - 1, 1, " {}\n");
    text += base + "strategies:\n";
    for (const ModeStrategy& strategy : strategiesBeside(project))
        text += fmt::format("  - {{name: {0}, attention: {0}, ulysses_shards: {1}}}\n", strategy.attention,
                            strategy.ulyssesShards);
    return text;
}

std::vector<SweepCell> sweepCells(const SweepFile& sweep) {
    std::vector<SweepCell> cells;
    for (const std::int64_t batch : sweep.batches)
        addCells(sweep, {.strategy = {}, .values = {}, .batch = batch, .project = sweep.base}, 0, cells);
    return cells;
}

}  // namespace meshreel
