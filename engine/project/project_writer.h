// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

namespace meshreel {

struct YamlNode;

/// What the text of a project is to say of each key: the project's value, or a text that was refused as one.
class WantedText {
  public:
    explicit WantedText(const Project& project, RefusedTexts refused = {});

    /// Returns whether the value need not be written.
    [[nodiscard]] bool isDefault(const ProjectKey& key) const;
    /// Returns the value as written after the key's colon.
    [[nodiscard]] std::string yaml(const ProjectKey& key) const;
    /// Returns whether the node says the key's value.
    [[nodiscard]] bool isSaidBy(const YamlNode& node, const ProjectKey& key) const;

  private:
    const Project& m_project;
    RefusedTexts m_refused;
};

/// Returns whether a line begins with the name of a key or of a group of keys: a text that YAML cannot read
/// may be a project all the same.
bool namesAKey(const std::string& text);

/// Returns a text that YAML cannot read with another value of one key: after its name if a line begins with
/// that, else in a line at the end.
std::string withKeyLine(const std::string& text, const ProjectKey& key, const std::string& yaml);

}  // namespace meshreel
