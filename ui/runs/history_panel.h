// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QWidget>

#include "ui/runs/run_history_model.h"

class QAction;
class QLineEdit;
class QPushButton;
class QTreeView;

namespace meshreel {

class EmptyState;

/// A run of the history: picture, prompt, status, when and how long.
class RunDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// The runs of the past, to be searched, sorted, tagged and compared, and what can be done with one.
class HistoryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit HistoryPanel(RunHistoryModel& runs, QWidget* parent = nullptr);

    /// While the engine works, runs can be looked at but not resumed or decoded.
    void setEngineBusy(bool busy);
    void select(const QString& folder);
    /// Offers it unless the user is working on other runs: has several selected, or edits a note.
    void offer(const QString& folder);
    /// Returns which columns are shown, how wide and in which order, to be saved and restored.
    [[nodiscard]] QByteArray columns() const;
    void setColumns(const QByteArray& columns);
    /// Returns the current one; empty when none is.
    [[nodiscard]] QString selectedFolder() const;
    /// Returns all that are selected, from top to bottom.
    [[nodiscard]] QStringList selectedFolders() const;

    [[nodiscard]] QTreeView& table() const { return *m_table; }
    [[nodiscard]] QLineEdit& search() const { return *m_search; }

  signals:
    void openRequested(const QString& folder);
    void projectRequested(const QString& folder);
    void resumeRequested(const QString& folder);
    /// Also where the result may differ in its last bits.
    void resumeElsewhereRequested(const QString& folder);
    void decodeRequested(const QString& folder);
    void revealRequested(const QString& folder);
    void compareRequested(const QStringList& folders);
    /// Compares them with the project being edited.
    void compareWithProjectRequested(const QStringList& folders);
    void copySummariesRequested(const QStringList& folders);
    void copyBestRequested(const QStringList& folders);
    void trashRequested(const QStringList& folders);
    void refreshRequested();
    /// There are no runs: the user wants a project for one.
    void describeRequested();

  private:
    QAction* addAction(const char* icon, const QString& text, const QString& help,
                       void (HistoryPanel::*request)(const QString&));
    QAction* addGroupAction(const char* icon, const QString& text, const QString& help,
                            void (HistoryPanel::*request)(const QStringList&));
    QWidget* makeHeader();
    void setUpTable();
    void updateActions();

    RunHistoryModel& m_runs;
    QSortFilterProxyModel* m_shown;
    QLineEdit* m_search;
    QTreeView* m_table;
    EmptyState* m_empty;
    QPushButton* m_describe;
    QPushButton* m_clearSearch;
    QAction* m_open;
    QAction* m_project;
    QAction* m_resume;
    QAction* m_resumeElsewhere;
    QAction* m_decode;
    QAction* m_reveal;
    QAction* m_compare;
    QAction* m_compareWithProject;
    QAction* m_copySummaries;
    QAction* m_copyBest;
    QAction* m_trash;
    bool m_engineBusy = false;
};

}  // namespace meshreel
