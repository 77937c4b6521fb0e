// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/film/film_plan.h"
#include "engine/film/storyboard.h"
#include "engine/planning/forecast.h"
#include "ui/values/background.h"

namespace meshreel {

class StoryboardDocument;

/// What the engine says of a storyboard.
struct FilmOutlook {
    Storyboard board;
    FilmPlan plan;                                    ///< a shot of it for each of the board's
    std::optional<std::filesystem::path> video = {};  ///< joined of exactly these shots
};

/// Keeps the plan of a storyboard up to date, on another thread, a little after the last edit: which shots
/// are made, what the others take, and what is wrong with them.
class FilmWatch : public QObject {
    Q_OBJECT

  public:
    /// The document outlives this.
    explicit FilmWatch(StoryboardDocument& document, QObject* parent = nullptr);

    /// Returns the film as it is now; null while it is examined.
    [[nodiscard]] const FilmOutlook* outlook() const { return m_isPending ? nullptr : &m_outlook; }
    /// Returns a shot as the engine sees it; while the film is examined, what it said of a shot that says the
    /// same. Null when it has said nothing.
    [[nodiscard]] const PlannedShot* planned(int shot) const;
    /// Returns what is wrong with a shot, errors first; with what all shots share for -1. While the film is
    /// examined, what was wrong with the plan of a shot that says the same counts.
    [[nodiscard]] std::vector<Problem> problemsOf(int shot) const;
    [[nodiscard]] bool hasErrors() const;
    /// Where its film is made; empty before the storyboard has a file, after which that is called.
    [[nodiscard]] std::filesystem::path folder() const;

    /// What seconds are predicted from, from now on.
    void setBasis(std::shared_ptr<const PredictionBasis> basis);
    [[nodiscard]] const std::shared_ptr<const PredictionBasis>& basis() const { return m_basis; }
    /// Looks again: runs have come or gone.
    void lookAgain();

  signals:
    /// The film is known, or examined anew.
    void changed();

  private:
    void await();
    void ask();
    void take(FilmOutlook outlook);
    /// Returns which shot of m_outlook says the same as a shot, the one at its place first.
    [[nodiscard]] std::optional<std::size_t> knownAs(int shot) const;

    StoryboardDocument& m_document;
    std::shared_ptr<const PredictionBasis> m_basis;
    FilmOutlook m_outlook;
    bool m_isPending = true;
    QTimer m_pause;
    LatestOnly m_planning;
};

/// Returns what is wrong and what to do, as sentences.
QString storyboardProblemText(const Problem& problem);

}  // namespace meshreel
