// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/yaml.h"

namespace meshreel {

/// Where overrides were given.
inline const std::string overrideSource = "command line";

/// One value given for a key, and where; not yet read as any type.
struct GivenValue {
    std::string file;
    int line = 0;
    YamlNode node;
};

/// What a file and overrides say, by full key name ("flash_block_sizes.block_q"); later ones replace earlier
/// ones.
struct GivenValues {
    std::string file;
    bool complete = true;  ///< the whole file could be read
    std::map<std::string, GivenValue, std::less<>> values;
    std::vector<Problem> problems;

    void addFile(const std::string& text, const std::string& fileName);
    /// "key=value", from the command line.
    void addOverride(const std::string& text);

  private:
    void addEntry(const std::string& prefix, const YamlNode& node, const std::string& source);
    void addNestedOverride(const std::string& name, const std::string& value);
    void reportOverride(const std::string& name, Sentence message, Sentence hint);
};

}  // namespace meshreel
