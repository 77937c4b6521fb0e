// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>

#include "ui/project/project_document.h"

namespace meshreel {

class TargetChoice;

/// Lets each project have its own hardware to be planned for: the choice follows the open project, and what
/// is chosen is kept with it, while it is open and, if it has a file, for the next time that file is opened.
/// A project without a file begins with this machine alone. A profile that was kept and cannot be read now,
/// as on a disk that is not there, stays kept: it is tried again the next time.
///
/// Files of projects do not hold it, as other programs read them: it is kept by their paths, those opened
/// last first, in the settings of the Studio.
class ProjectTarget : public QObject {
    Q_OBJECT

  public:
    /// Both outlive this.
    ProjectTarget(ProjectDocument& document, TargetChoice& choice, QObject* parent = nullptr);

  private:
    void takeUp();
    void keep() const;

    ProjectDocument& m_document;
    TargetChoice& m_choice;
    TargetName m_takenUp;     ///< what was kept with the open project
    bool m_isUnread = false;  ///< it could not be read, and nothing was chosen since
};

}  // namespace meshreel
