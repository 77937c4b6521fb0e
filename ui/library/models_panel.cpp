// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/models_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QTableView>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

namespace {

QString fromUtf8(const std::string& text) {
    return QString::fromStdString(text);
}

QString whatIs(const CatalogueFile& file) {
    if (!file.problem.empty())
        return CatalogueModel::tr("Cannot be used: %1").arg(sentenceText(file.problem));
    if (file.adapter)
        return CatalogueModel::tr("Adapter");
    const ModelIdentity& identity = file.identity;
    if (!identity.relative.empty())
        return CatalogueModel::tr("%1, which Meshreel does not run").arg(sentenceText(identity.relative));
    if (!identity.part)
        return CatalogueModel::tr("No part of a Wan model");
    QStringList parts{fromUtf8(std::string(nameOf(*identity.part)))};
    for (const Sentence& part : {identity.family, identity.what})
        if (!part.empty())
            parts += sentenceText(part);
    return parts.join(QStringLiteral(", "));
}

/// Only a transformer stands for a model by itself.
QString spellingOf(const CatalogueFile& file) {
    const bool isTransformer = file.problem.empty() && !file.adapter && file.identity.relative.empty() &&
                               file.identity.part == ModelPart::Transformer;
    return isTransformer ? fromUtf8(withTilde(file.path)) : QString();
}

}  // namespace

void CatalogueModel::setCatalogue(const ModelCatalogue& catalogue) {
    beginResetModel();
    m_entries.clear();
    for (const ModelInfo& model : catalogue.models)
        m_entries.push_back({.name = fromUtf8(model.name),
                             .what = model.embedded
                                         ? tr("%1, comes with Meshreel").arg(fromUtf8(model.pipelineClass))
                                         : fromUtf8(model.pipelineClass),
                             .bytes = static_cast<qint64>(model.bytes),
                             .path = model.folder,
                             .spelling = fromUtf8(model.name)});
    for (const CatalogueFile& file : catalogue.files)
        m_entries.push_back({.name = fromUtf8(file.path.filename().string()),
                             .what = whatIs(file),
                             .bytes = static_cast<qint64>(file.bytes),
                             .path = file.path,
                             .spelling = meshreel::spellingOf(file)});
    endResetModel();
}

const std::filesystem::path& CatalogueModel::pathOf(int row) const {
    return m_entries[static_cast<std::size_t>(row)].path;
}

QString CatalogueModel::spellingOf(int row) const {
    return m_entries[static_cast<std::size_t>(row)].spelling;
}

int CatalogueModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int CatalogueModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CatalogueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Entry& entry = m_entries[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole && index.column() == Size)
        return {(Qt::AlignRight | Qt::AlignVCenter).toInt()};
    if (role == Qt::ToolTipRole)
        return fromUtf8(withTilde(entry.path));
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(index.column())) {
        case Name:
            return entry.name;
        case What:
            return entry.what;
        case Size:
            return QLocale().formattedDataSize(entry.bytes);
        case ColumnCount:
            break;
    }
    return {};
}

QVariant CatalogueModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= ColumnCount)
        return {};
    const QStringList titles{tr("Model"), tr("What it is"), tr("Size")};
    return titles[section];
}

namespace {

constexpr int listWidth = 420;
constexpr int modelNameWidth = 170;
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
      m_refresh(new QPushButton(themedIcon(QStringLiteral("refresh")), tr("Refresh"), this)),
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
    header->resizeSection(CatalogueModel::Name, modelNameWidth);
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
                     [this](const Problem& problem) { emit wentWrong(problem); });
}

void ModelsPanel::describe(int row) {
    m_describing.run([path = m_models->pathOf(row)] { return describeInstalled(path); },
                     [this](const DescribedModel& model) { showModel(model); },
                     [this](const Problem& problem) {
                         m_text->setPlainText(sentenceText(problem.message) + QStringLiteral("\n\n") +
                                              sentenceText(problem.hint()));
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
