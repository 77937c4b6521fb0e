// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QTreeView;

namespace meshreel {

class EmptyState;
class ProjectDocument;
class PromptLibrary;

/// The kept prompts: searched, edited in place, kept from the project and used for it.
class PromptPanel : public QWidget {
    Q_OBJECT

  public:
    PromptPanel(PromptLibrary& library, ProjectDocument& document, QWidget* parent = nullptr);

    struct Actions {
        QAction *keep, *use, *remove;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }
    [[nodiscard]] QTreeView& table() const { return *m_table; }
    [[nodiscard]] QLineEdit& search() const { return *m_search; }

  private:
    void makeActions();
    QWidget* makeTools();
    void setUpTable();
    void keep();
    void use();
    void remove();
    void refresh();
    /// In the library; -1 for none.
    [[nodiscard]] int currentRow() const;

    PromptLibrary& m_library;
    ProjectDocument& m_document;
    QSortFilterProxyModel* m_shown;
    QLineEdit* m_search;
    QTreeView* m_table;
    EmptyState* m_empty;
    QPushButton* m_keepFirst = nullptr;
    Actions m_actions{};
};

}  // namespace meshreel
