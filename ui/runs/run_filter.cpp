// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_filter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/families/model_family.h"
#include "engine/runs/run_history.h"
#include "ui/runs/run_history_model.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

bool hasName(const std::vector<std::string>& names, const QString& name) {
    return std::ranges::count(names, name.toStdString()) > 0;
}

}  // namespace

RunFilter::RunFilter(RunHistoryModel& runs, QObject* parent) : QSortFilterProxyModel(parent), m_runs(runs) {
    setSourceModel(&runs);
    setSortRole(RunHistoryModel::SortRole);
    connect(&runs, &RunHistoryModel::updated, this, &RunFilter::followTheDay);
}

const std::vector<RunField>& RunFilter::fields() {
    static const std::vector<RunField> all{{&RunTerms::model, QT_TR_NOOP("Model")},
                                           {&RunTerms::task, QT_TR_NOOP("Task")},
                                           {&RunTerms::adapter, QT_TR_NOOP("Adapter")},
                                           {&RunTerms::tag, QT_TR_NOOP("Tag")},
                                           {&RunTerms::board, QT_TR_NOOP("Board")}};
    return all;
}

void RunFilter::setChoice(const RunTerms& choice) {
    if (choice == m_choice)
        return;
    m_choice = choice;
    m_shownDay = today();
    invalidateRowsFilter();
    emit choiceChanged();
}

void RunFilter::setToday(const QDate& today) {
    m_today = today;
}

QDate RunFilter::today() const {
    return m_today.isValid() ? m_today : QDate::currentDate();
}

/// Behind midnight rows that did not change are no longer of today.
void RunFilter::followTheDay() {
    if (m_choice.days == 0 || std::exchange(m_shownDay, today()) == today())
        return;
    invalidateRowsFilter();
    emit choiceChanged();
}

QStringList RunFilter::valuesOf(const RunField& field) const {
    if (field.value == &RunTerms::tag)
        return m_runs.allTags();
    if (field.value == &RunTerms::board)
        return m_runs.allBoards();
    QStringList values;
    for (int row = 0; row < m_runs.rowCount(); ++row) {
        const RunTraits& traits = m_runs.traits(row);
        if (field.value == &RunTerms::adapter)
            values += traits.adapters;
        else
            values += field.value == &RunTerms::model ? traits.model : traits.task;
    }
    values.sort(Qt::CaseInsensitive);
    values.removeDuplicates();
    values.removeOne(QString());
    return values;
}

QString RunFilter::textOf(const RunField& field, const QString& value) {
    const WanTaskRow* task = field.value == &RunTerms::task ? findWanTask(value.toStdString()) : nullptr;
    return task == nullptr ? visibleText(value) : engineText(task->title);
}

int RunFilter::allRuns() const {
    return m_runs.rowCount();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
    const RunTraits& traits = m_runs.traits(row);
    const RunNotes& notes = m_runs.run(m_runs.index(row, RunHistoryModel::Run)).notes;
    const auto isRecent = [&] {
        return traits.start.isValid() && traits.start.date() >= today().addDays(1 - m_choice.days);
    };
    const auto is = [](const QString& asked, const QString& value) {
        return asked.isEmpty() || asked == value;
    };
    return (!m_choice.starred || notes.star) && is(m_choice.model, traits.model) &&
           is(m_choice.task, traits.task) &&
           (m_choice.adapter.isEmpty() || traits.adapters.contains(m_choice.adapter)) &&
           (m_choice.days <= 0 || isRecent()) &&
           (m_choice.tag.isEmpty() || hasName(notes.tags, m_choice.tag)) &&
           (m_choice.board.isEmpty() || hasName(notes.boards, m_choice.board)) &&
           (m_choice.words.isEmpty() || m_runs.words(row).contains(m_choice.words, Qt::CaseInsensitive));
}

}  // namespace meshreel

#include "moc_run_filter.cpp"
