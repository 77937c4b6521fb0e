// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/catalogue/models_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "engine/project/project_keys.h"
#include "ui/catalogue/catalogue_model.h"
#include "ui/models/project_document.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

namespace {

constexpr int listWidth = 420;
constexpr int nameWidth = 170;
constexpr int sizeWidth = 84;

QString foldersText() {
    QStringList folders;
    for (const std::filesystem::path& folder : userModelFolders())
        folders += QString::fromStdString(withTilde(folder));
    return folders.join(QStringLiteral(", "));
}

}  // namespace

ModelsPanel::ModelsPanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_models(new CatalogueModel(this)),
      m_table(new QTableView(this)),
      m_text(new QTextBrowser(this)),
      m_use(new QPushButton(themedIcon(QStringLiteral("check")), tr("Use in project"), this)),
      m_refresh(new QPushButton(themedIcon(QStringLiteral("refresh")), tr("Look again"), this)),
      m_folders(new QLabel(this)) {
    auto* splitter = new Splitter(Qt::Horizontal, this);
    splitter->addPart(makeList(), tr("list", "beside a divider"));
    splitter->addPart(makeDescription(), tr("description", "beside a divider"));
    splitter->setStretchFactor(1, 1);
    splitter->setFirstSizes({listWidth, listWidth});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->addWidget(splitter);
    connect(m_refresh, &QPushButton::clicked, this, &ModelsPanel::refresh);
    connect(m_use, &QPushButton::clicked, this, &ModelsPanel::useInProject);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                updateActions();
                if (current.isValid())
                    describe(current.row());
            });
    updateActions();
}

QWidget* ModelsPanel::makeList() {
    m_table->setModel(m_models);
    setUpRowTable(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(CatalogueModel::What, QHeaderView::Stretch);
    header->resizeSection(CatalogueModel::Name, nameWidth);
    header->resizeSection(CatalogueModel::Size, sizeWidth);
    m_table->setAccessibleName(tr("Models of this machine"));
    m_folders->setText(tr("Models folder: %1").arg(foldersText()));
    m_folders->setTextFormat(Qt::PlainText);
    m_folders->setWordWrap(true);
    m_folders->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_folders->setFocusPolicy(Qt::StrongFocus);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_use);
    buttons->addWidget(m_refresh);
    buttons->addStretch(1);
    auto* list = new QWidget(this);
    auto* column = new QVBoxLayout(list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addWidget(m_table, 1);
    column->addWidget(m_folders);
    column->addLayout(buttons);
    return list;
}

QWidget* ModelsPanel::makeDescription() {
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenExternalLinks(true);
    m_text->setAccessibleName(tr("The chosen model"));
    m_text->setPlaceholderText(tr("Choose a model to see its parts, its number types and what it needs."));
    m_text->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);  // paths are long
    m_text->document()->setDocumentMargin(panelMargin);
    return m_text;
}

void ModelsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!m_isRead)
        refresh();
}

void ModelsPanel::refresh() {
    m_isRead = true;
    m_background.run([] { return scanModels(); },
                     [this](const ModelCatalogue& catalogue) {
                         m_models->setCatalogue(catalogue);
                         if (m_models->rowCount() > 0)
                             m_table->selectRow(0);
                         updateActions();
                         emit refreshed();
                     },
                     [this](const Trouble& trouble) { emit troubled(trouble); });
}

void ModelsPanel::describe(int row) {
    m_describing.run([path = m_models->pathOf(row)] { return describeInstalled(path); },
                     [this](const DescribedModel& model) { showModel(model); },
                     [this](const Trouble& trouble) {
                         m_text->setPlainText(trouble.message + QStringLiteral("\n\n") + trouble.hint);
                         emit described();
                     });
}

void ModelsPanel::showModel(const DescribedModel& model) {
    m_text->setHtml(descriptionHtml(model));
    if (!model.card.isEmpty()) {
        QTextCursor cursor(m_text->document());
        cursor.movePosition(QTextCursor::End);
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
        cursor.insertFragment(QTextDocumentFragment::fromMarkdown(model.card));
    }
    m_text->moveCursor(QTextCursor::Start);
    emit described();
}

void ModelsPanel::useInProject() {
    const QModelIndex current = m_table->currentIndex();
    if (!current.isValid() || m_models->spellingOf(current.row()).isEmpty())
        return;
    m_document.setTexts(tr("Model"), {{findProjectKey("pretrained_model_name_or_path"),
                                       m_models->spellingOf(current.row())}});
}

QString ModelsPanel::description() const {
    return m_text->toPlainText();
}

void ModelsPanel::updateActions() {
    const QModelIndex current = m_table->currentIndex();
    const bool usable = current.isValid() && !m_models->spellingOf(current.row()).isEmpty();
    m_use->setEnabled(usable);
    m_use->setToolTip(usable || !current.isValid()
                          ? QString()
                          : tr("This is no model by itself; parts are chosen in the project"));
}

}  // namespace meshreel
