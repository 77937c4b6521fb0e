// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

namespace meshreel {

/// What lets the engine compute for long.
enum class EngineWork { Run, BlockSizes, Sweep, Benchmark, Measurement };

/// What computes at the moment. Two works at once would slow each other down, and what they time would be
/// wrong.
class EngineUse : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// Follows a worker that signals when it begins and ends.
    template <typename Worker>
    void watch(EngineWork work, const Worker& worker, void (Worker::*busyChanged)(bool)) {
        connect(&worker, busyChanged, this, [this, work](bool busy) { set(work, busy); });
    }

    /// Returns what began first; nothing while the engine is free.
    [[nodiscard]] std::optional<EngineWork> atHand() const;
    /// Returns why `work` cannot begin beside the current works, and what to do; empty when it can. Runs make
    /// a measurement wait for them, and wait for everything else.
    [[nodiscard]] QString obstacleTo(EngineWork work) const;

  signals:
    void changed();

  private:
    void set(EngineWork work, bool busy);

    std::vector<EngineWork> m_works;  ///< in the order in which they began
};

}  // namespace meshreel
