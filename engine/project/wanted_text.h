// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/project/project_file.h"

namespace meshreel {

struct YamlNode;

/// What the text of a project is to say of each key: the project's value, or a text that was refused as one.
class WantedText {
  public:
    explicit WantedText(const Project& project, RefusedTexts refused = {});

    /// No text has to say it.
    [[nodiscard]] bool isDefault(const ProjectKey& key) const;
    /// As it stands behind the key's colon.
    [[nodiscard]] std::string yaml(const ProjectKey& key) const;
    /// Whether the node says it as the key's value.
    [[nodiscard]] bool isSaidBy(const YamlNode& node, const ProjectKey& key) const;

  private:
    const Project& m_project;
    RefusedTexts m_refused;
};

}  // namespace meshreel
