// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QCheckBox;
class QSpinBox;

namespace meshreel {

/// How many videos Run makes, and whether each has a new seed. Belongs to this program, not to the project.
class Variations : public QWidget {
    Q_OBJECT

  public:
    explicit Variations(QWidget* parent = nullptr);

    [[nodiscard]] int videos() const;
    [[nodiscard]] bool freshSeeds() const;
    void set(int videos, bool freshSeeds);
    /// Returns what the user chose of new seeds, whatever the project at hand has.
    [[nodiscard]] bool wantsFreshSeeds() const { return m_wantsFresh; }
    /// New seeds are off for a project that has one of its own, until another project comes or the user
    /// chooses.
    void suspendFreshSeeds();
    void resumeFreshSeeds();

  signals:
    void changed();

  private:
    QSpinBox* m_videos;
    QCheckBox* m_fresh;
    bool m_wantsFresh = false;
};

}  // namespace meshreel
