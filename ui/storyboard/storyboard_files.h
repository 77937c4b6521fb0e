// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <string>

class QAction;
class QWidget;

namespace meshreel {

struct Problem;
struct Project;
class StoryboardDocument;

/// New, open, save and save as of one window's storyboard, with the questions they ask.
class StoryboardFiles : public QObject {
    Q_OBJECT

  public:
    /// The document outlives this.
    StoryboardFiles(StoryboardDocument& document, QWidget* window);

    /// Lets the user choose a file; it is openRequested().
    void askToOpen();
    /// Returns whether the storyboard would be lost with the window: it is changed, and neither its file has
    /// it as it is now, nor was it discarded.
    [[nodiscard]] bool hasUnsavedChanges() const;
    /// Returns true when nothing would be lost: there are no unsaved changes, they were saved now, or may be
    /// discarded.
    bool mayReplace();
    /// Asks when the window closes; a storyboard without a file needs no question, because it is kept.
    bool mayClose();
    /// After mayClose(): the window does close, and what its user does not save is discarded.
    void noteClosing();
    /// False, after wentWrong(), when the file cannot be used, or when the user does not agree to what its
    /// shots name.
    bool load(const QString& file);
    bool saveTo(const QString& file);
    /// Asks for a file when it has none.
    bool save();
    /// A storyboard of one shot, with the settings of the project. False when the present one is kept.
    bool startNew(const Project& project);

    /// For menus; owned by this object.
    struct Actions {
        QAction *startNew, *save, *saveAs;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }

  signals:
    void newRequested();
    /// The storyboard is saved or asked about next: what is still being typed belongs to it.
    void aboutToStore();
    /// The user chose a file.
    void openRequested(const QString& path);
    void wentWrong(const meshreel::Problem& problem);

  private:
    bool saveAs();
    void refresh();

    StoryboardDocument& m_document;
    QWidget* m_window;
    Actions m_actions;
    std::optional<std::string> m_discarded;  ///< a text that need not be kept
};

}  // namespace meshreel
