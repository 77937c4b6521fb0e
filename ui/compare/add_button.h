// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QToolButton>

namespace meshreel {

/// Asks what else is to be compared: projects, a run, or timings of elsewhere.
class AddButton : public QToolButton {
    Q_OBJECT

  public:
    explicit AddButton(QWidget* parent = nullptr);

  signals:
    /// The project being edited.
    void openProjectRequested();
    /// Project files, or a run folder.
    void chosen(const QStringList& paths);
    /// A text with TIMING SUMMARY blocks in it, hopefully.
    void pasted(const QString& text);

  private:
    void askForProjects();
    void askForRun();
    void askForPaste();
};

}  // namespace meshreel
