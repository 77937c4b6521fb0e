// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <memory>

namespace meshreel {

/// What Qt needs of a session where nobody is logged in, as on a server or in a container: its own platform
/// without a display, and a private runtime folder, which Qt would otherwise ask for aloud and put beside
/// those of others. To be made before QApplication, and to outlive it.
class OffscreenSession {
  public:
    OffscreenSession();

  private:
    std::unique_ptr<QTemporaryDir> m_runtimeFolder;  ///< none where the session has one
};

}  // namespace meshreel
