// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QToolButton>
#include <functional>

namespace meshreel {

/// Asks what else is to be compared: projects, a run, or timings of elsewhere.
class AddButton : public QToolButton {
    Q_OBJECT

  public:
    /// Whether a text with TIMING SUMMARY blocks in it, hopefully, was taken.
    using TakePasted = std::function<bool(const QString& text)>;

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

}  // namespace meshreel
