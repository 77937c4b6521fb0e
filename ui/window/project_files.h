// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "ui/values/engine_use.h"

class QAction;
class QMenu;
class QWidget;

namespace meshreel {

struct Problem;
class ProjectDocument;

/// Returns whether the work may be stopped so that the window closes: asks, unless it is short.
bool mayBeStopped(EngineWork work, QWidget* window);

/// New, open, save, save as and the recent files of one window's project, with the questions they ask.
class ProjectFiles : public QObject {
    Q_OBJECT

  public:
    ProjectFiles(ProjectDocument& document, QWidget* window);

    /// Returns whether the project would be lost with the window: it is changed, and neither its file nor a
    /// run has it as it is now.
    [[nodiscard]] bool hasUnsavedChanges() const;
    /// A run has the project as it is now.
    void noteStored();
    /// Returns true when nothing would be lost: there are no unsaved changes, they were saved now, or may be
    /// discarded.
    bool mayReplaceProject();
    /// Asks when the window closes; a project without a file needs no question, because it is kept.
    bool mayClose();
    /// After mayClose(): the window does close, and what its user does not save is discarded.
    void noteClosing();
    /// False, after wentWrong(), when the file cannot be used, or when the user does not agree to what it
    /// names.
    bool load(const QString& file);
    bool saveTo(const QString& file);

    [[nodiscard]] QStringList recentFiles() const;
    /// Puts a file first among them: a project, a storyboard.
    void remember(const QString& file);

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
    enum class Changes { Settled, Discarded, Open };
    /// Asks what to do with unsaved changes; without any they are settled.
    Changes askAboutChanges();
    void startNew();
    void askToOpen();
    bool save();
    bool saveAs();
    void fillRecentMenu();

    ProjectDocument& m_document;
    QWidget* m_window;
    Actions m_actions;
    QString m_settled;  ///< the project's text that is stored elsewhere, or need not be
};

/// Keeps what is being edited and nowhere saved, a moment after each change, so that neither a crash nor
/// closing the window loses it. Each window has a file of its own.
class ProjectRecovery : public QObject {
    Q_OBJECT

  public:
    /// The files are in `folder`. Both outlive this.
    ProjectRecovery(ProjectDocument& document, const ProjectFiles& files, const std::filesystem::path& folder,
                    QObject* parent);

    /// Keeps a line beside the project as well: `tell` returns it, empty for none, and `take` gets it when
    /// the project came back.
    void keepBeside(std::function<std::string()> tell, std::function<void(const std::string&)> take);
    /// Returns what was kept, as an unsaved change of the file that it belonged to. False: there is nothing.
    bool bringBack();
    /// Now; what needs no keeping any more is removed.
    void keep();

  signals:
    /// It is only in this window.
    void keepingFailed(const QString& sentence);

  private:
    enum class Place { Kept, Empty };
    void takePlace(Place first);

    ProjectDocument& m_document;
    const ProjectFiles& m_files;
    std::filesystem::path m_folder;
    std::filesystem::path m_file;  ///< empty: more windows than places, and nothing is kept
    std::unique_ptr<QLockFile> m_lock;
    std::function<std::string()> m_tellBeside;
    std::function<void(const std::string&)> m_takeBeside;
    QTimer m_pause;
    bool m_holdsAnother = false;  ///< the file has what nobody asked for yet, and must stay
    bool m_hasFailed = false;
};

}  // namespace meshreel
