// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryFile>
#include <string>

#include "engine/project/project.h"

namespace meshreel::testing {

/// The embedded model: 8 heads, and a batch of two with guidance.
inline Project projectOn(int devices, const char* mode, int ulyssesShards = -1) {
    Project project;
    project.prompt = "a red ball";
    project.attention = mode;
    project.devices = devices;
    project.ulyssesShards = ulyssesShards;
    return project;
}

/// Where ranks run, as a project names it.
class HostsFile {
  public:
    explicit HostsFile(const char* text) {
        if (!m_file.open() || m_file.write(text) < 0 || !m_file.flush())
            qFatal("cannot write a file of hosts");
    }
    [[nodiscard]] std::string path() const { return m_file.fileName().toStdString(); }

  private:
    QTemporaryFile m_file;
};

}  // namespace meshreel::testing
