// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/film_watch.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/film/film.h"
#include "engine/project/project.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int filmPauseMilliseconds = 300;  ///< after the last edit

}  // namespace

FilmWatch::FilmWatch(StoryboardDocument& document, QObject* parent) : QObject(parent), m_document(document) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(filmPauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &FilmWatch::ask);
    connect(&m_document, &StoryboardDocument::changed, this, &FilmWatch::await);
}

void FilmWatch::await() {
    m_planning.forget();
    m_isPending = true;
    m_pause.start();
    emit changed();
}

void FilmWatch::lookAgain() {
    if (m_document.isOpen() && !m_pause.isActive())
        ask();
}

void FilmWatch::setBasis(std::shared_ptr<const PredictionBasis> basis) {
    m_basis = std::move(basis);
    lookAgain();
}

std::filesystem::path FilmWatch::folder() const {
    return m_document.file().empty() ? std::filesystem::path() : filmFolder(m_document.board());
}

void FilmWatch::ask() {
    if (!m_document.isOpen())
        return;
    m_planning.run(
        [board = m_document.board(), folder = folder(), basis = m_basis] {
            FilmPlan plan = examineFilm(board, folder, {.basis = basis, .runsFolder = folder});
            std::optional<std::filesystem::path> video = joinedFilm(plan);
            return FilmOutlook{.board = board, .plan = std::move(plan), .video = std::move(video)};
        },
        [this](FilmOutlook outlook) { take(std::move(outlook)); },
        [this](const Problem& problem) {
            FilmOutlook outlook{.board = m_document.board(), .plan = {}};
            outlook.board.problems.push_back(problem);
            take(std::move(outlook));
        });
}

void FilmWatch::take(FilmOutlook outlook) {
    m_outlook = std::move(outlook);
    m_isPending = false;
    emit changed();
}

std::optional<std::size_t> FilmWatch::knownAs(int shot) const {
    const std::vector<Shot>& known = m_outlook.board.shots;
    const auto number = static_cast<std::size_t>(shot);
    const auto saysTheSame = [&](const Shot& other) {
        const Shot& wanted = m_document.shot(shot);
        return other.written == wanted.written && other.project == wanted.project;
    };
    auto found = number < known.size() && saysTheSame(known[number])
                     ? known.begin() + shot
                     : std::ranges::find_if(known, saysTheSame);
    return found == known.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - known.begin()));
}

const PlannedShot* FilmWatch::planned(int shot) const {
    const std::optional<std::size_t> known = knownAs(shot);
    return known && *known < m_outlook.plan.shots.size() ? &m_outlook.plan.shots[*known] : nullptr;
}

std::vector<Problem> FilmWatch::problemsOf(int shot) const {
    const Storyboard& board = m_document.board();
    std::vector<Problem> problems;
    const auto add = [&](const std::vector<Problem>& found) {
        for (const Problem& problem : found) {
            const std::optional<std::size_t> blamed = board.shotAt(problem.place.line);
            if (blamed ? static_cast<int>(*blamed) == shot : shot < 0)
                problems.push_back(problem);
        }
    };
    if (!m_isPending) {
        add(m_outlook.board.problems);
        add(m_outlook.plan.problems);
    } else {
        add(board.problems);
        const std::optional<std::size_t> known = shot < 0 ? std::nullopt : knownAs(shot);
        if (known)
            for (Problem problem : m_outlook.plan.problems)
                if (m_outlook.board.shotAt(problem.place.line) == known) {
                    problem.place.line +=
                        board.shots[static_cast<std::size_t>(shot)].line - m_outlook.board.shots[*known].line;
                    problems.push_back(std::move(problem));
                }
    }
    putErrorsFirst(problems);
    return problems;
}

bool FilmWatch::hasErrors() const {
    return meshreel::hasErrors(m_document.board().problems) ||
           (!m_isPending &&
            (meshreel::hasErrors(m_outlook.board.problems) || meshreel::hasErrors(m_outlook.plan.problems)));
}

QString storyboardProblemText(const Problem& problem) {
    QString text = withHint(problemText(problem), sentenceText(problem.hint()));
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

}  // namespace meshreel

#include "moc_film_watch.cpp"
