// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>

#include "ui/values/engine_use.h"

class QAction;
class QMenu;
class QWidget;

namespace meshreel {

class ProjectDocument;
struct Problem;

/// Whether the work may be stopped so that the window closes: asks, unless it is short.
bool mayBeStopped(EngineWork work, QWidget* window);

/// New, open, save, save as and the recent files of one window's project, with the questions they ask.
class ProjectFiles : public QObject {
    Q_OBJECT

  public:
    ProjectFiles(ProjectDocument& document, QWidget* window);

    /// True when nothing would be lost: the project is unchanged, was saved now, or may be discarded.
    bool mayReplaceProject();
    /// False, after wentWrong(), when the file cannot be used.
    bool load(const QString& file);
    bool saveTo(const QString& file);

    [[nodiscard]] QStringList recentFiles() const;

    /// For menus and tool bars; owned by this object and its window.
    struct Actions {
        QAction* startNew;
        QAction* open;
        QAction* save;
        QAction* saveAs;
        QMenu* recent;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }

  signals:
    /// The user chose a file or folder: a project, a run or a video.
    void openRequested(const QString& path);
    void wentWrong(const meshreel::Problem& problem);
    void noted(const QString& sentence);

  private:
    void startNew();
    void askToOpen();
    bool save();
    bool saveAs();
    void remember(const QString& file);
    void fillRecentMenu();

    ProjectDocument& m_document;
    QWidget* m_window;
    Actions m_actions;
};

}  // namespace meshreel
