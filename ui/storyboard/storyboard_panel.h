// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/film/film_plan.h"
#include "ui/running/event_queue.h"
#include "ui/storyboard/film_clip.h"
#include "ui/storyboard/film_watch.h"
#include "ui/storyboard/storyboard_model.h"
#include "ui/values/background.h"

class QAction;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace meshreel {

class ClampedText;
class EmptyState;
class PlayerWidget;
class ShotEditor;
class StoryboardDocument;
class StoryboardStrip;
class PanelToolBar;

/// A storyboard: its shots in a row, the chosen one with what can be changed of it, the film in a player, and
/// what is left to make, with the time and memory that it takes. Says what is to be done; the window does it.
class StoryboardPanel : public QWidget {
    Q_OBJECT

  public:
    explicit StoryboardPanel(StoryboardDocument& document, QWidget* parent = nullptr);
    ~StoryboardPanel() override;

    [[nodiscard]] FilmWatch& watch() { return m_watch; }
    [[nodiscard]] StoryboardModel& model() { return m_model; }
    [[nodiscard]] StoryboardStrip& strip() const { return *m_strip; }
    [[nodiscard]] ShotEditor& editor() const { return *m_editor; }
    [[nodiscard]] PlayerWidget& player() const { return *m_player; }
    [[nodiscard]] QPushButton& makeButton() const { return *m_make; }
    /// Returns what is left to make and what it takes.
    [[nodiscard]] QString summary() const;

    struct Actions {
        QAction *add, *duplicate, *left, *right, *remove, *share, *save;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }

    /// Why nothing can be made now; empty when it can.
    void setObstacle(const QString& reason);
    /// A film is being made, or no more.
    void setMaking(bool making);
    /// What happens while it is made.
    void follow(const std::vector<StudioEvent>& events);
    /// The film, or else the shots that are made; stops when it plays.
    void play();

  signals:
    /// What changed is to be made.
    void makeRequested();
    void cancelRequested();
    void newRequested();
    void openRequested();
    void saveRequested();
    /// All shots are to share the settings of the project.
    void shareRequested();
    void wentWrong(const meshreel::Problem& problem);

  protected:
    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    void makeActions();
    QAction* makeAction(const char* icon, const QString& text, const QString& tip);
    QWidget* makeTools();
    QWidget* makeFooter();
    void connectStrip();
    /// Reads the film as it is now, unless the player has it.
    void readClip(bool thenPlay);
    void showClip(FilmClip film);
    void showChosen(int shot);
    void beginShot(const std::filesystem::path& run);
    void showProgress();
    void refresh();
    /// What is wrong with what all shots share.
    void refreshShared();
    void refreshSummary();
    void refreshActions();
    [[nodiscard]] QString planText() const;
    [[nodiscard]] QString whyNotMade() const;

    StoryboardDocument& m_document;
    FilmWatch m_watch;
    StoryboardModel m_model;
    Actions m_actions{};
    QStackedWidget* m_stage;
    EmptyState* m_empty;
    StoryboardStrip* m_strip;
    ShotEditor* m_editor;
    PlayerWidget* m_player;
    QLabel* m_problems;  ///< of what all shots share
    ClampedText* m_summary;
    QProgressBar* m_progress;
    QPushButton* m_make;
    QPushButton* m_cancel;
    QString m_obstacle;
    bool m_isMaking = false;
    FilmPlan m_before;                  ///< the film as it was when making it began
    std::optional<std::size_t> m_made;  ///< the shot of m_before that is made now
    double m_part = 0;                  ///< how much of it is made
    FilmClip m_film;                    ///< in the player
    QString m_wantedClip;               ///< clipMark() of what is in the player, or is being read
    QString m_unreadableClip;  ///< clipMark() of what could not be read: read again when it is to play
    bool m_isReading = false;
    bool m_playsWhenRead = false;
    LatestOnly m_reading;
};

}  // namespace meshreel
