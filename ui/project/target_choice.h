// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "engine/base/problem.h"
#include "ui/values/background.h"

namespace meshreel {

struct TargetHardware;

/// The hardware that the open project is planned for beside this machine: a profile of other hardware, or
/// none. Keeps nothing: ProjectTarget does.
class TargetChoice : public QObject {
    Q_OBJECT

  public:
    explicit TargetChoice(QObject* parent = nullptr);

    /// Name or file of the profile; empty: this machine alone.
    [[nodiscard]] const QString& name() const { return m_name; }
    /// Returns the program that runs the model there; empty: the profile's default.
    [[nodiscard]] const QString& program() const { return m_program; }
    /// Reads the profile and fits its efficiencies on another thread; emits changed() when they are there.
    void choose(const QString& name, const QString& program = {});

    /// Null for this machine, and until the profile was read.
    [[nodiscard]] const std::shared_ptr<const TargetHardware>& target() const { return m_target; }

  signals:
    /// The choice, or what is known of it.
    void changed();
    /// The profile cannot be read: the choice is this machine again.
    void failed(const meshreel::Problem& problem);

  private:
    QString m_name;
    QString m_program;
    std::shared_ptr<const TargetHardware> m_target;
    LatestOnly m_reading;
};

}  // namespace meshreel
