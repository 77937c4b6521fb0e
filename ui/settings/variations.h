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

  signals:
    void changed();

  private:
    QSpinBox* m_videos;
    QCheckBox* m_fresh;
};

}  // namespace meshreel
