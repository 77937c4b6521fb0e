// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDate>
#include <QSortFilterProxyModel>
#include <QString>
#include <vector>

namespace meshreel {

class RunHistoryModel;

/// Which runs are shown; what is empty is not asked for.
struct RunTerms {
    QString words;  ///< in prompt, name, model, attention mode, tags, boards, note or folder
    QString model;
    QString task;  ///< its name, "i2v"
    QString adapter;
    int days = 0;  ///< begun today (1), or on the last so many days; 0: whenever
    bool starred = false;
    QString tag;
    QString board;

    friend bool operator==(const RunTerms&, const RunTerms&) = default;
};

/// A field of a choice whose values the runs have.
struct RunField {
    QString RunTerms::*value;
    const char* title;  ///< to be translated in the context of RunFilter
};

/// The runs that are chosen, sorted.
class RunFilter : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit RunFilter(RunHistoryModel& runs, QObject* parent = nullptr);

    /// Model, task, adapter, tag, board.
    static const std::vector<RunField>& fields();

    void setChoice(const RunTerms& choice);
    [[nodiscard]] const RunTerms& choice() const { return m_choice; }
    [[nodiscard]] bool choosesAll() const { return m_choice == RunTerms(); }
    /// Returns the values that the runs have there, each once, sorted.
    [[nodiscard]] QStringList valuesOf(const RunField& field) const;
    /// Returns a value as people read it: the title of a task, else itself.
    static QString textOf(const RunField& field, const QString& value);
    /// Returns how many runs there are, chosen or not.
    [[nodiscard]] int allRuns() const;
    /// What counts as today; the system's date unless it is set. Shows when the choice or the list changes.
    void setToday(const QDate& today);

  signals:
    /// Also when another day began, which changes what a choice of days shows.
    void choiceChanged();

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    [[nodiscard]] QDate today() const;
    void followTheDay();

    RunHistoryModel& m_runs;
    RunTerms m_choice;
    QDate m_today;
    QDate m_shownDay;  ///< the last day that counted as today when all rows were filtered
};

}  // namespace meshreel
