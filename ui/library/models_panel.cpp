// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/models_panel.h"

#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

namespace {

QString fromUtf8(const std::string& text) {
    return QString::fromStdString(text);
}

QString sizeText(std::uintmax_t bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes));
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

void CatalogueModel::setCatalogue(const ModelCatalogue& catalogue, std::vector<AbsentModel> absent) {
    beginResetModel();
    m_entries.clear();
    m_absent = std::move(absent);
    for (const ModelInfo& model : catalogue.models)
        m_entries.push_back({.name = fromUtf8(model.name),
                             .what = model.embedded
                                         ? tr("%1, comes with Meshreel").arg(fromUtf8(model.pipelineClass))
                                         : fromUtf8(model.pipelineClass),
                             .size = sizeText(model.bytes),
                             .path = model.folder,
                             .spelling = fromUtf8(model.name)});
    for (const CatalogueFile& file : catalogue.files)
        m_entries.push_back({.name = fromUtf8(file.path.filename().string()),
                             .what = whatIs(file),
                             .size = sizeText(file.bytes),
                             .path = file.path,
                             .spelling = meshreel::spellingOf(file)});
    for (const AbsentModel& model : m_absent)
        m_entries.push_back({.name = fromUtf8(std::filesystem::path(model.id).filename().string()),
                             .what = tr("Not on this machine"),
                             .size = sizeText(model.bytes()),
                             .path = {},
                             .spelling = fromUtf8(model.id)});
    endResetModel();
}

const AbsentModel* CatalogueModel::absentModel(int row) const {
    const auto first = static_cast<int>(m_entries.size() - m_absent.size());
    return row < first ? nullptr : &m_absent[static_cast<std::size_t>(row - first)];
}

int CatalogueModel::rowOf(const std::filesystem::path& path) const {
    const auto found = std::ranges::find(m_entries, path, &Entry::path);
    return found == m_entries.end() ? -1 : static_cast<int>(found - m_entries.begin());
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
        return entry.path.empty() ? entry.spelling : fromUtf8(withTilde(entry.path));
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(index.column())) {
        case Name:
            return entry.name;
        case What:
            return entry.what;
        case Size:
            return entry.size;
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
      m_add(new QPushButton(themedIcon(QStringLiteral("add")), tr("Add"), this)),
      m_copy(new QPushButton(themedIcon(QStringLiteral("edit-copy")), tr("Copy download command"), this)),
      m_refresh(new QPushButton(themedIcon(QStringLiteral("refresh")), tr("Refresh"), this)),
      m_folders(new QLabel(this)) {
    setAcceptDrops(true);
    fillAddMenu();
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
    connect(m_copy, &QPushButton::clicked, this, &ModelsPanel::copyCommand);
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
    for (QPushButton* button : {m_use, m_add, m_refresh})
        buttons->addWidget(button);
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
    m_copy->setToolTip(tr("Copy the command that downloads what is missing, to be run in a terminal"));
    auto* description = new QWidget(this);
    auto* column = new QVBoxLayout(description);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addWidget(m_text, 1);
    column->addWidget(m_copy, 0, Qt::AlignLeading);
    return description;
}

void ModelsPanel::fillAddMenu() {
    m_add->setToolTip(tr("Add a model that lies elsewhere; it can be dropped here, too"));
    auto* menu = new QMenu(m_add);
    menu->addAction(tr("A model &folder…"), this, [this] {
        if (const QString folder = QFileDialog::getExistingDirectory(window(), tr("Add a model folder"));
            !folder.isEmpty())
            add({folder});
    });
    menu->addAction(tr("F&iles of weights…"), this, [this] {
        if (const QStringList files = QFileDialog::getOpenFileNames(
                window(), tr("Add files of weights"), QString(),
                tr("Weights (*.safetensors *.gguf *.pth *.pt)") + QStringLiteral(";;") + tr("All files (*)"));
            !files.isEmpty())
            add(files);
    });
    m_add->setMenu(menu);
}

void ModelsPanel::add(const QStringList& paths) {
    m_background.run(
        [paths] {
            std::vector<std::filesystem::path> links;
            links.reserve(static_cast<std::size_t>(paths.size()));
            for (const QString& path : paths)
                links.push_back(addModel(path.toStdString()));
            return links;
        },
        [this](const std::vector<std::filesystem::path>& links) {
            m_wanted = links.back();
            emit added(
                tr("%n models were added to the models folder.", nullptr, static_cast<int>(links.size())));
            refresh();
        },
        [this](const Problem& problem) {
            emit wentWrong(problem);
            refresh();  // those before it are there
        });
}

void ModelsPanel::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedPaths(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void ModelsPanel::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    if (const QStringList paths = draggedPaths(event->mimeData()); !paths.isEmpty())
        add(paths);
}

void ModelsPanel::copyCommand() {
    QGuiApplication::clipboard()->setText(m_command);
    emit noted(tr("The command was copied: paste it into a terminal. Refresh when it is done."));
}

void ModelsPanel::select(const std::filesystem::path& path) {
    m_table->selectRow(path.empty() ? 0 : std::max(0, m_models->rowOf(path)));
}

void ModelsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!m_isRead)
        refresh();
}

void ModelsPanel::refresh() {
    m_isRead = true;
    struct Listing {
        ModelCatalogue catalogue;
        std::vector<AbsentModel> absent;
    };
    m_background.run(
        [] {
            Listing listing{.catalogue = scanModels(), .absent = {}};
            listing.absent = listAbsentModels(listing.catalogue);
            return listing;
        },
        [this](const Listing& listing) {
            m_models->setCatalogue(listing.catalogue, listing.absent);
            if (m_models->rowCount() > 0)
                select(std::exchange(m_wanted, {}));
            updateActions();
            emit refreshed();
        },
        [this](const Problem& problem) { emit wentWrong(problem); });
}

void ModelsPanel::describe(int row) {
    if (const AbsentModel* model = m_models->absentModel(row)) {
        m_describing.forget();
        return showModel(describeAbsent(*model));
    }
    m_describing.run([path = m_models->pathOf(row)] { return describeInstalled(path); },
                     [this](const DescribedModel& model) { showModel(model); },
                     [this](const Problem& problem) {
                         m_command.clear();
                         updateActions();
                         m_text->setPlainText(sentenceText(problem.message) + QStringLiteral("\n\n") +
                                              sentenceText(problem.hint()));
                         emit described();
                     });
}

void ModelsPanel::showModel(const DescribedModel& model) {
    m_command = model.command;
    updateActions();
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
    m_copy->setVisible(!m_command.isEmpty());
    m_use->setEnabled(usable);
    m_use->setToolTip(usable || !current.isValid()
                          ? QString()
                          : tr("This is no model by itself; parts are chosen in the project"));
}

}  // namespace meshreel
