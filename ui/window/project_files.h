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

    /// Whether the project would be lost with the window: it is changed, and neither its file nor a run has
    /// it as it is now.
    [[nodiscard]] bool hasUnsavedChanges() const;
    /// A run has the project as it is now.
    void noteStored();
    /// True when nothing would be lost: there are no unsaved changes, they were saved now, or may be
    /// discarded.
    bool mayReplaceProject();
    /// The same when the window closes; a project without a file needs no question, as it is kept.
    bool mayClose();
    /// False, after wentWrong(), when the file cannot be used, or when the user does not agree to what it
    /// names.
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
    QString m_settled;  ///< the project's text that is stored elsewhere, or need not be
};

}  // namespace meshreel
