// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/prompt_panel.h"

#include <QAction>
#include <QHeaderView>
#include <QLineEdit>
#include <QMessageBox>
#include <QPersistentModelIndex>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "engine/project/project_keys.h"
#include "ui/library/prompt_library.h"
#include "ui/project/project_document.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr QSize toolIconSize{18, 18};
constexpr int promptNameWidth = 130;
constexpr int tagsWidth = 90;
constexpr int wordsOfName = 4;

const ProjectKey& promptKey() {
    return *findProjectKey("prompt");
}

const ProjectKey& negativeKey() {
    return *findProjectKey("negative_prompt");
}

/// The first words of a prompt.
QString nameFor(const QString& prompt) {
    return prompt.simplified().section(QLatin1Char(' '), 0, wordsOfName - 1);
}

}  // namespace

PromptPanel::PromptPanel(PromptLibrary& library, ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_library(library),
      m_document(document),
      m_shown(new QSortFilterProxyModel(this)),
      m_search(new QLineEdit(this)),
      m_table(new QTreeView(this)),
      m_empty(new EmptyState({}, this)) {
    makeActions();
    setUpTable();
    m_keepFirst = m_empty->addButton(m_actions.keep);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_table, 1);
    connect(m_search, &QLineEdit::textChanged, m_shown, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_search, &QLineEdit::textChanged, this, &PromptPanel::refresh);
    connect(&m_library, &PromptLibrary::changed, this, &PromptPanel::refresh);
    connect(&m_document, &ProjectDocument::changed, this, &PromptPanel::refresh);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &PromptPanel::refresh);
    refresh();
}

void PromptPanel::makeActions() {
    const auto add = [this](const char* icon, const QString& text, const QString& help,
                            void (PromptPanel::*act)()) {
        auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
        action->setToolTip(help);
        connect(action, &QAction::triggered, this, act);
        return action;
    };
    m_actions = {.keep = add("add", tr("Keep"), tr("Keep the project's prompt, with what must not be seen"),
                             &PromptPanel::keep),
                 .use = add("check", tr("Use"),
                            tr("Put the prompt into the project; a style is put around the project's prompt"),
                            &PromptPanel::use),
                 .remove = add("trash", tr("Remove"), tr("Remove the prompt from those that are kept"),
                               &PromptPanel::remove)};
    m_actions.remove->setShortcut(QKeySequence::Delete);
    m_actions.remove->setShortcutContext(Qt::WidgetShortcut);  // of the table, to which it is added
}

QWidget* PromptPanel::makeTools() {
    m_search->setPlaceholderText(tr("Search"));
    m_search->setAccessibleName(tr("Search the kept prompts"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    auto* tools = new PanelToolBar(this);
    tools->setIconSize(toolIconSize);
    tools->addActions({m_actions.keep, m_actions.use, m_actions.remove});
    for (QAction* action : {m_actions.keep, m_actions.use})
        if (auto* button = qobject_cast<QToolButton*>(tools->widgetForAction(action)))
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    tools->addWidget(m_search);
    return tools;
}

void PromptPanel::setUpTable() {
    m_shown->setSourceModel(&m_library);
    m_shown->setFilterRole(PromptLibrary::SearchRole);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_shown->setSortCaseSensitivity(Qt::CaseInsensitive);
    m_table->setModel(m_shown);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(PromptLibrary::Name, Qt::AscendingOrder);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::SelectedClicked);
    m_table->setAccessibleName(tr("Kept prompts"));
    new CellTips(*m_table);
    m_table->addActions({m_actions.use, m_actions.remove, (new SortMenu(*m_table->header()))->menuAction()});
    m_table->header()->resizeSection(PromptLibrary::Name, promptNameWidth);
    m_table->header()->resizeSection(PromptLibrary::Tags, tagsWidth);
    makeRoomForHeadings(*m_table->header());
    new ColumnMenu(*m_table, *m_table->header());
    connect(m_table, &QTreeView::activated, this, &PromptPanel::use);
}

int PromptPanel::currentRow() const {
    return m_shown->mapToSource(m_table->currentIndex()).row();
}

void PromptPanel::keep() {
    const QString prompt = m_document.text(promptKey());
    m_search->clear();
    const int row = m_library.add(
        {.name = nameFor(prompt), .tags = {}, .prompt = prompt, .negative = m_document.text(negativeKey())});
    const QModelIndex name = m_shown->mapFromSource(m_library.index(row, PromptLibrary::Name));
    m_table->setCurrentIndex(name);
    m_table->edit(name);
}

void PromptPanel::use() {
    const int row = currentRow();
    if (row < 0)
        return;
    const KeptPrompt& kept = m_library.at(row);
    std::vector<KeyText> texts{{&promptKey(), promptWith(kept, m_document.text(promptKey()))}};
    if (!kept.negative.isEmpty())
        texts.push_back({&negativeKey(), kept.negative});
    m_document.setTexts(kept.isStyle() ? tr("Style “%1”").arg(kept.name) : tr("Prompt “%1”").arg(kept.name),
                        texts);
}

void PromptPanel::remove() {
    const int row = currentRow();
    if (row < 0)
        return;
    const QPersistentModelIndex asked = m_library.index(row, PromptLibrary::Name);
    const QString name = m_library.at(row).name;
    if (QMessageBox::question(this, tr("Remove a prompt"),
                              tr("Remove “%1”? It cannot be brought back.").arg(name)) == QMessageBox::Yes &&
        asked.isValid())
        m_library.remove(asked.row());
}

void PromptPanel::refresh() {
    const bool any = currentRow() >= 0;
    m_actions.keep->setEnabled(!m_document.text(promptKey()).isEmpty());
    m_actions.use->setEnabled(any);
    m_actions.remove->setEnabled(any);
    const bool empty = m_shown->rowCount() == 0;
    m_keepFirst->setVisible(m_library.rowCount() == 0);
    m_empty->setSentence(!m_library.remark().isEmpty() && m_library.rowCount() == 0 ? m_library.remark()
                         : m_library.rowCount() > 0 ? tr("No kept prompt has these words.")
                                                    : tr("No saved prompts. Save the current one. A prompt "
                                                         "containing {prompt} acts as a style around it."));
    m_empty->setVisible(empty);
    m_table->setVisible(!empty);
}

}  // namespace meshreel
