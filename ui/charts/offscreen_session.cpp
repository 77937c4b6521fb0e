// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/offscreen_session.h"

#include <QFile>

namespace meshreel {

OffscreenSession::OffscreenSession() {
    constexpr const char* runtimeFolder = "XDG_RUNTIME_DIR";
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!qEnvironmentVariableIsEmpty(runtimeFolder))
        return;
    m_runtimeFolder = std::make_unique<QTemporaryDir>();
    if (m_runtimeFolder->isValid())
        qputenv(runtimeFolder, QFile::encodeName(m_runtimeFolder->path()));
}

}  // namespace meshreel
