// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QStringList>
#include <QToolButton>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {

/// Asks what else is to be compared: projects, a run, or timings of elsewhere.
class AddButton : public QToolButton {
    Q_OBJECT

  public:
    /// Takes a text with TIMING SUMMARY blocks in it, hopefully: gives why not, or nothing.
    using TakePasted = std::function<QString(const QString& text)>;

    explicit AddButton(TakePasted takePasted, QWidget* parent = nullptr);

  signals:
    /// The project being edited.
    void openProjectRequested();
    /// Project files, or a run folder.
    void chosen(const QStringList& paths);

  private:
    void askForProjects();
    void askForRun();
    /// Until what is pasted is taken.
    void askForPaste();

    TakePasted m_takePasted;
};

/// Chooses which of the compared runs a chart shows that cannot show all of them together: the devices of
/// one, or block sizes of those that differ in nothing else. Hidden when there is nothing to choose.
class RunChoice : public QComboBox {
    Q_OBJECT

  public:
    explicit RunChoice(QWidget* parent = nullptr);

    /// Offers those runs that give a chart of this kind, with the last choice if it is among them.
    void offer(ChartKind kind, const std::vector<RunRecord>& runs);
    /// Returns those of the offered runs that the chart shows. Empty if none gives such a chart.
    [[nodiscard]] std::vector<RunRecord> shown() const;
    /// Sets the run called so, or its neighbour, from now on.
    void prefer(const std::string& name);

  signals:
    /// The reader chose others.
    void chosen();

  private:
    using Group = std::vector<std::size_t>;  ///< places of runs that are shown together

    void take(int index);
    /// Returns the group of the run; the first group if it is in none.
    [[nodiscard]] int groupOf(const std::string& name) const;

    std::vector<RunRecord> m_runs;
    std::vector<Group> m_groups;
    std::string m_preferred;
};

}  // namespace meshreel
