// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

namespace meshreel {

/// The installed presets by model, each named as its file; what it says of itself is its tool tip.
class PresetMenu : public QMenu {
    Q_OBJECT

  public:
    explicit PresetMenu(QWidget* parent);

  signals:
    void chosen(const QString& file);

  private:
    void fill();
};

}  // namespace meshreel
