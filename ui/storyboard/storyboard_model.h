// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QByteArray>
#include <QPixmap>
#include <QString>
#include <optional>

#include "engine/film/film_plan.h"
#include "ui/runs/poster_cache.h"

namespace meshreel {

class FilmWatch;
class StoryboardDocument;

/// The shots of a storyboard in their order, each with its picture and what the engine says of it.
class StoryboardModel : public QAbstractListModel {
    Q_OBJECT

  public:
    enum Role {
        PromptRole = Qt::UserRole,
        NumberRole,     ///< from 1
        LengthRole,     ///< "1.06 s"; empty where it is not known
        StateRole,      ///< ShotState; -1 where it is not known
        StateTextRole,  ///< in words
        PictureRole,    ///< QPixmap; null where there is none, or until it is read
        FormerRole,     ///< whether the picture is of the shot as it was
        ContinuesRole,  ///< whether it goes on from another one
        ProblemRole,    ///< whether something is wrong with it
        PartRole,       ///< how much of it is made now, in [0, 1]; -1 while it is not being made
        PlayingRole,    ///< whether it is seen in the player
    };

    /// Both outlive this.
    StoryboardModel(StoryboardDocument& document, FilmWatch& watch, QObject* parent);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    /// Returns the row that is dragged; nothing for what comes from elsewhere, as from another window's
    /// storyboard.
    [[nodiscard]] std::optional<int> draggedRow(const QMimeData* data) const;

    /// This part of a shot is made; -1: none is being made.
    void setMaking(int shot, double part);
    [[nodiscard]] int making() const { return m_making; }
    /// -1: none.
    void setPlaying(int shot);
    [[nodiscard]] QString stateText(int shot) const;

  private:
    void refresh();
    void refreshRow(int row);
    [[nodiscard]] ShotState stateOf(int shot, const PlannedShot& planned) const;
    [[nodiscard]] QPixmap picture(int shot) const;
    [[nodiscard]] QString lengthText(int shot) const;
    /// Returns what making a shot takes; empty where it is made, or not known.
    [[nodiscard]] QString costText(int shot) const;
    [[nodiscard]] QString spokenText(int shot) const;

    StoryboardDocument& m_document;
    FilmWatch& m_watch;
    QByteArray m_mark;  ///< of what is dragged here: no other storyboard, of any program, has it
    int m_count = 0;
    int m_making = -1;
    int m_playing = -1;
    double m_part = 0;
    mutable PosterCache m_posters;  ///< of runs
    mutable PosterCache m_inputs;   ///< pictures that the user chose
};

/// Returns the words for the state of a shot that is not being made.
QString shotStateText(ShotState state);

}  // namespace meshreel
