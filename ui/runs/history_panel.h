// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPersistentModelIndex>
#include <QStyledItemDelegate>
#include <QWidget>
#include <string>
#include <utility>
#include <vector>

#include "ui/runs/run_history_model.h"
#include "ui/runs/use_menu.h"

class QAbstractItemView;
class QAction;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace meshreel {

class EmptyState;
class FilterBar;
class GrowingColumns;
class RunFilter;
class RunPreview;
class RunTiles;

/// A run of the history: picture, prompt, status, when and how long.
class RunDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// The runs of the past as tiles or as a table, to be looked at, searched, sorted, starred, tagged and
/// compared, and what can be done with one. Both views show the same rows and have the same selection.
class HistoryPanel : public QWidget {
    Q_OBJECT

  public:
    enum class View { Tiles, Table };

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

    void setTasks(TaskSource tasks) { m_use->setTasks(std::move(tasks)); }

    void setView(View view);
    [[nodiscard]] View view() const;

    [[nodiscard]] QTreeView& table() const { return *m_table; }
    [[nodiscard]] RunTiles& tiles() const { return *m_tiles; }
    [[nodiscard]] RunFilter& filter() const { return *m_shown; }
    [[nodiscard]] FilterBar& filterBar() const { return *m_filters; }
    [[nodiscard]] QLineEdit& search() const;
    [[nodiscard]] RunPreview& preview() const { return *m_preview; }

  signals:
    void openRequested(const QString& folder);
    void projectRequested(const QString& folder);
    /// Only these of its settings.
    void partRequested(const QString& folder, meshreel::RunPart part);
    void useRequested(const meshreel::UseRequest& request);
    void resumeRequested(const QString& folder);
    /// Also where the result may differ in its last bits.
    void resumeElsewhereRequested(const QString& folder);
    void decodeRequested(const QString& folder);
    void revealRequested(const QString& folder);
    void compareRequested(const QStringList& folders);
    /// Compares them with the project being edited.
    void compareWithProjectRequested(const QStringList& folders);
    /// Their videos are to be compared in pairs, without their settings.
    void rateRequested(const QStringList& folders);
    void copySummariesRequested(const QStringList& folders);
    void copyBestRequested(const QStringList& folders);
    /// Their videos are to be copied into a folder.
    void exportRequested(const QStringList& folders);
    void trashRequested(const QStringList& folders);
    void refreshRequested();
    /// There are no runs: the user wants a project for one.
    void describeRequested();

  private:
    QAction* addAction(const char* icon, const QString& text, const QString& help,
                       void (HistoryPanel::*request)(const QString&));
    QAction* addGroupAction(const char* icon, const QString& text, const QString& help,
                            void (HistoryPanel::*request)(const QStringList&));
    QAction* addOwnAction(const char* icon, const QString& text, const QString& help, const QKeySequence& key,
                          void (HistoryPanel::*act)());
    QWidget* makeHeader();
    QWidget* makeViewSwitch();
    void addToolBar(QWidget* header);
    void setUpTable();
    void setUpTiles();
    void setUpPreview();
    void connectModels();
    void updateActions();
    [[nodiscard]] QAbstractItemView& currentView() const;
    /// Returns the runs that are selected, from top to bottom, as rows of the model.
    [[nodiscard]] QModelIndexList selectedRuns() const;
    void toggleStar();
    void giveStar(const QModelIndexList& runs);
    void editTags();
    void editBoards();
    void editNames(std::vector<std::string> RunNotes::*names, const QString& title, const QStringList& known);
    void rate();
    void openPreview();
    void stepPreview(int by);
    void showInPreview();
    void keepPlace();
    void restorePlace();

    RunHistoryModel& m_runs;
    RunFilter* m_shown;
    FilterBar* m_filters;
    QStackedWidget* m_stage;
    GrowingColumns* m_growing = nullptr;
    QTreeView* m_table;
    RunTiles* m_tiles;
    EmptyState* m_empty;
    RunPreview* m_preview;
    QToolButton* m_asTiles;
    QToolButton* m_asTable;
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
    QAction* m_rate;
    QAction* m_copySummaries;
    QAction* m_copyBest;
    QAction* m_export;
    QAction* m_trash;
    QAction* m_look;
    QAction* m_star;
    QAction* m_tags;
    QAction* m_boards;
    UseMenu* m_use;
    PartMenu* m_only;
    bool m_engineBusy = false;
    QPersistentModelIndex m_topRow;  ///< while the list changes: the row that stands at the top
    int m_topOffset = 0;             ///< pixels from the upper end of the view
};

}  // namespace meshreel
