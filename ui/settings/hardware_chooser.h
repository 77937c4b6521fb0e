// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/edits.h"

namespace meshreel {

class TargetChoice;

/// Chooses what the project is planned for: this machine, one of the profiles, or a profile's file.
class HardwareChooser : public FormComboBox {
    Q_OBJECT

  public:
    /// Several may follow the same choice.
    HardwareChooser(TargetChoice& choice, QWidget* parent);

  private:
    void refresh();
    void take(int index);

    TargetChoice& m_choice;
};

}  // namespace meshreel
