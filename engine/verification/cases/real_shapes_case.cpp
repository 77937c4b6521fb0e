// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/scratch_folder.h"
#include "engine/models/families/architecture.h"
#include "engine/verification/checkpoint_maker.h"
#include "engine/verification/golden_kinds.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

int numberIn(std::string_view text, const std::string& pattern) {
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        throw Error(ErrorKind::Input, sentence("'{}' is not a number", text), pattern,
                    sentence("Restore the golden case"));
    return value;
}

/// "a..b" or "a,b,c".
std::vector<int> indicesIn(std::string_view text, const std::string& pattern) {
    std::vector<int> indices;
    if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
        const int last = numberIn(text.substr(dots + 2), pattern);
        for (int index = numberIn(text.substr(0, dots), pattern); index <= last; ++index)
            indices.push_back(index);
        return indices;
    }
    while (true) {
        const std::size_t comma = text.find(',');
        indices.push_back(numberIn(text.substr(0, comma), pattern));
        if (comma == std::string_view::npos)
            return indices;
        text.remove_prefix(comma + 1);
    }
}

/// Every name that "blocks.{0..29}.x" or "blocks.{0,2}.x" stands for.
std::vector<std::string> expanded(const std::string& pattern) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = pattern.find('}', open);
    if (open == std::string::npos || close == std::string::npos)
        return {pattern};
    std::vector<std::string> names;
    for (const int index : indicesIn(std::string_view(pattern).substr(open + 1, close - open - 1), pattern))
        for (std::string& name :
             expanded(pattern.substr(0, open) + std::to_string(index) + pattern.substr(close + 1)))
            names.push_back(std::move(name));
    return names;
}

Shapes goldenShapes(const json& tensors) {
    Shapes shapes;
    for (const auto& [pattern, shape] : tensors.items())
        for (const std::string& name : expanded(pattern))
            shapes[name] = shape.get<std::vector<std::int64_t>>();
    return shapes;
}

struct Found {
    Shapes shapes;
    std::int64_t parameters = 0;
    std::size_t otherDtypes = 0;  ///< tensors not of the released dtype
};

Found read(const Checkpoint& checkpoint, DType released) {
    Found found;
    for (const std::string& name : checkpoint.names()) {
        const Tensor tensor = checkpoint.get(name);
        found.shapes[name] = tensor.shape().extents();
        found.parameters += tensor.elements();
        found.otherDtypes += tensor.dtype() == released ? 0 : 1;
    }
    return found;
}

/// Tensors that only one side has, or that differ; `first` becomes one of them.
std::size_t differences(const Shapes& golden, const Shapes& found, std::string& first) {
    std::size_t count = 0;
    const auto differs = [&](const std::string& name, const char* how) {
        if (count++ == 0)
            first = name + " " + how;
    };
    for (const auto& [name, shape] : golden)
        if (const auto ours = found.find(name); ours == found.end())
            differs(name, "is missing");
        else if (ours->second != shape)
            differs(name, "has another shape");
    for (const auto& [name, shape] : found)
        if (!golden.contains(name))
            differs(name, "is unknown to upstream");
    return count;
}

GoldenRow countRow(const std::string& output, std::size_t wrong, std::string note) {
    return {.output = output,
            .maxAbsError = static_cast<double>(wrong),
            .passed = wrong == 0,
            .note = std::move(note)};
}

void verifyArchitecture(const Execution& execution, const Architecture& architecture, const json& golden,
                        GoldenComparison& comparison) {
    const std::string name(architecture.shapes);
    const ScratchFolder scratch;
    const fs::path folder = scratch.path() / "made";
    const MadeCheckpoint made =
        makeCheckpoint(execution, {.architecture = &architecture, .sparse = true}, folder);
    const Found found = read(Checkpoint::open(folder), architecture.family.released);
    std::string first;
    const std::size_t wrong = differences(goldenShapes(golden.at("tensors")), found.shapes, first);
    comparison.add(countRow(name + ".tensors", wrong,
                            wrong > 0 ? first
                                      : fmt::format("{} tensors in {} file{}", made.tensors, made.files,
                                                    made.files > 1 ? "s" : "")));
    comparison.add(
        countRow(name + ".dtype", found.otherDtypes, std::string(nameOf(architecture.family.released))));
    const auto parameters = golden.at("num_params").get<std::int64_t>();
    comparison.add(countRow(name + ".num_params", found.parameters == parameters ? 0 : 1,
                            fmt::format("{}", found.parameters)));
    const json config = readJsonObject(folder / "config.json");
    comparison.add(countRow(name + ".config", json::diff(golden.at("config"), config).size(),
                            fmt::format("{} keys", config.size())));
}

}  // namespace

void verifyRealShapes(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    std::vector<fs::path> shapes;
    for (const fs::directory_entry& entry : fs::directory_iterator(files.folder()))
        if (entry.path().extension() == ".json" && entry.path().filename() != "case.json")
            shapes.push_back(entry.path());
    std::ranges::sort(shapes);
    for (const fs::path& file : shapes) {
        throwIfStopped(execution.stop);
        const std::string name = file.stem().string();
        if (const Architecture* architecture = findArchitecture(name))
            verifyArchitecture(execution, *architecture, readJsonObject(file), comparison);
        else
            comparison.fail(name, "make-checkpoint does not know this architecture");
    }
    comparison.add({.output = "original_tensors",
                    .maxAbsError = std::numeric_limits<double>::quiet_NaN(),
                    .informational = true,
                    .note = "checkpoints are made in diffusers' layout only"});
}

}  // namespace meshreel
