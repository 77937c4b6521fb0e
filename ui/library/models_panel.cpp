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
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "engine/planning/model_fit.h"
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
    return visibleText(QString::fromStdString(text));
}

QString sizeText(std::uintmax_t bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes));
}

}  // namespace

ModelDownload::~ModelDownload() {
    m_stop.request_stop();
}

void ModelDownload::start(const ModelOffer& offer) {
    if (m_offer != nullptr)
        return;
    m_offer = &offer;
    run();
}

void ModelDownload::resume() {
    if (m_offer != nullptr && !m_isBusy)
        run();
}

void ModelDownload::pause() {
    m_stop.request_stop();
}

void ModelDownload::drop() {
    if (m_offer == nullptr)
        return;
    m_drops = true;
    if (m_isBusy)
        m_stop.request_stop();
    else
        removeBegun();
}

void ModelDownload::run() {
    m_isBusy = true;
    m_stop = StopSource();
    emit changed();
    const auto tell = [this](const DownloadProgress& progress) {
        QMetaObject::invokeMethod(
            this, [this, progress] { emit advanced(progress); }, Qt::QueuedConnection);
    };
    m_background.run(
        [offer = m_offer, tell, stop = m_stop.get_token()] {
            return getFiles(OffersHere(scanModels()).toGet(*offer), usualServer(), tell, stop);
        },
        [this](const std::vector<GotFile>& files) {
            m_isBusy = false;
            emit finished(files);
            end();
        },
        [this](const Problem& problem) {
            m_isBusy = false;
            if (m_drops)
                return removeBegun();
            emit changed();
            if (!m_stop.stop_requested())
                emit failed(problem);
        });
}

void ModelDownload::removeBegun() {
    m_background.run(
        [offer = m_offer] {
            dropBegun(OffersHere(scanModels()).toGet(*offer));
            return true;
        },
        [this](bool) { end(); },
        [this](const Problem& problem) {
            end();
            emit failed(problem);
        });
}

void ModelDownload::end() {
    m_offer = nullptr;
    m_drops = false;
    emit changed();
}

namespace {

constexpr int listWidth = 520;
constexpr int descriptionWidth = 360;
constexpr int leastDescription = 250;  // whole words of a model's table
constexpr int modelNameWidth = 170;
constexpr int fitWidth = 110;
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
      m_get(new QPushButton(themedIcon(QStringLiteral("down")), QString(), this)),
      m_pause(new QPushButton(this)),
      m_drop(new QPushButton(themedIcon(QStringLiteral("cancel")), tr("Cancel"), this)),
      m_progress(new QProgressBar(this)),
      m_rate(new QLabel(this)),
      m_controls(new QWidget(this)),
      m_variants(new QMenu(m_get)),
      m_download(new ModelDownload(this)),
      m_folders(new QLabel(this)) {
    setAcceptDrops(true);
    fillAddMenu();
    auto* splitter = new Splitter(Qt::Horizontal, this);
    splitter->addPart(makeList(), tr("list", "beside a divider"));
    splitter->addPart(makeDescription(), tr("description", "beside a divider"));
    splitter->setStretchFactor(1, 1);
    splitter->setFirstSizes({listWidth, descriptionWidth});
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
    connect(m_models, &QAbstractItemModel::modelReset, this, &ModelsPanel::markHeadings);
    updateActions();
}

QWidget* ModelsPanel::makeList() {
    m_table->setModel(m_models);
    setUpRowTable(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(CatalogueModel::What, QHeaderView::Stretch);
    header->resizeSection(CatalogueModel::Name, modelNameWidth);
    header->resizeSection(CatalogueModel::Fit, fitWidth);
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
    m_text->setMinimumWidth(leastDescription);
    m_copy->setToolTip(tr("Copy the command that downloads what is missing, to be run in a terminal"));
    auto* description = new QWidget(this);
    auto* column = new QVBoxLayout(description);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addWidget(m_text, 1);
    column->addWidget(m_copy, 0, Qt::AlignLeading);
    column->addWidget(m_get, 0, Qt::AlignLeading);
    column->addWidget(makeDownload());
    return description;
}

QWidget* ModelsPanel::makeDownload() {
    constexpr int wholeParts = 1000;
    m_progress->setRange(0, wholeParts);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the download"));
    m_rate->setTextFormat(Qt::PlainText);
    m_rate->setWordWrap(true);
    m_drop->setToolTip(tr("Stop the download and remove what came of files that are not whole"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_pause);
    buttons->addWidget(m_drop);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(m_controls);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addWidget(m_progress);
    column->addWidget(m_rate);
    column->addLayout(buttons);
    m_controls->hide();
    connect(m_get, &QPushButton::clicked, this, &ModelsPanel::getChosen);
    connect(m_pause, &QPushButton::clicked, this,
            [this] { m_download->isBusy() ? m_download->pause() : m_download->resume(); });
    connect(m_drop, &QPushButton::clicked, m_download, &ModelDownload::drop);
    connect(m_download, &ModelDownload::changed, this, [this] {
        m_controls->setVisible(m_download->offer() != nullptr);
        if (m_download->isBusy() || m_download->offer() == nullptr)
            m_hasFailed = false;
        updateDownload();
    });
    connect(m_download, &ModelDownload::advanced, this, &ModelsPanel::showProgress);
    connect(m_download, &ModelDownload::failed, this, &ModelsPanel::showFailure);
    connect(m_download, &ModelDownload::finished, this, [this](const std::vector<GotFile>& files) {
        const std::filesystem::path name = m_download->offer()->files.front().place.filename();
        for (const GotFile& file : files)
            if (file.path.filename() == name)
                m_wanted = file.path;
        emit added(tr("%n files of the download are in the models folder.", nullptr,
                      static_cast<int>(files.size())));
        refresh();
    });
    return m_controls;
}

void ModelsPanel::getChosen() {
    const OfferedModel* model = m_models->offeredModel(m_table->currentIndex().row());
    if (model != nullptr && m_get->menu() == nullptr)  // else an entry of it gets one
        get(*model->offer);
}

void ModelsPanel::get(const ModelOffer& offer) {
    m_progress->setValue(0);
    m_rate->setText(fromUtf8(offer.title));
    m_download->start(offer);
}

/// In its place, too: a message over the window goes.
void ModelsPanel::showFailure(const Problem& problem) {
    m_hasFailed = true;
    m_rate->setText(withHint(sentenceText(problem.message), sentenceText(problem.hint())));
    updateDownload();
    emit downloadFailed(problem);
}

void ModelsPanel::retryDownload() {
    m_download->resume();
}

void ModelsPanel::showProgress(const DownloadProgress& progress) {
    if (!m_download->isBusy())
        return;
    if (progress.total > 0)
        m_progress->setValue(static_cast<int>(static_cast<double>(progress.done) /
                                              static_cast<double>(progress.total) * m_progress->maximum()));
    const QString amount =
        tr("%1: %2 of %3", "file, sizes")
            .arg(fromUtf8(progress.file), sizeText(progress.done), sizeText(progress.total));
    m_rate->setText(progress.secondsLeft
                        ? tr("%1, %2 a second, %3 left", "file and sizes, size, time")
                              .arg(amount, sizeText(static_cast<std::uintmax_t>(progress.bytesPerSecond)),
                                   durationText(*progress.secondsLeft))
                        : amount);
}

QString ModelsPanel::progressText() const {
    return m_rate->text();
}

void ModelsPanel::updateDownload() {
    const QModelIndex current = m_table->currentIndex();
    const std::vector<const OfferedModel*> variants =
        current.isValid() ? m_models->variants(current.row()) : std::vector<const OfferedModel*>();
    const bool isAtHand = std::ranges::count(variants, m_download->offer(),
                                             [](const OfferedModel* variant) { return variant->offer; }) > 0;
    m_get->setVisible(!variants.empty() && !isAtHand);
    m_get->setEnabled(m_download->offer() == nullptr);
    m_get->setToolTip(m_download->offer() == nullptr
                          ? tr("Download what is missing into the models folder; the licence is shown above")
                          : tr("Another download is at hand"));
    if (variants.size() == 1)
        m_get->setText(tr("Download %1", "size").arg(sizeText(variants.front()->bytesMissing())));
    else if (!variants.empty())
        m_get->setText(tr("Download"));
    fillVariants(variants);
    m_pause->setText(m_download->isBusy() ? tr("Pause") : m_hasFailed ? tr("Retry") : tr("Resume"));
    m_pause->setIcon(themedIcon(m_download->isBusy() ? QStringLiteral("pause") : QStringLiteral("resume")));
}

/// The one that fits best comes first.
void ModelsPanel::fillVariants(const std::vector<const OfferedModel*>& variants) {
    m_variants->clear();
    m_get->setMenu(variants.size() > 1 ? m_variants : nullptr);
    if (variants.size() < 2)
        return;
    for (const OfferedModel* variant : variants)
        m_variants->addAction(tr("%1: %2, %3", "variant, size, how it fits")
                                  .arg(variantOf(*variant->offer), sizeText(variant->bytesMissing()),
                                       sentenceText(fitWord(variant->fit))),
                              this, [this, offer = variant->offer] { get(*offer); });
}

void ModelsPanel::markHeadings() {
    m_table->clearSpans();
    for (int row = 0; row < m_models->rowCount(); ++row)
        if (m_models->isHeading(row))
            m_table->setSpan(row, 0, 1, CatalogueModel::ColumnCount);
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
            refresh();  // the previous ones are there
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

void ModelsPanel::select(const std::filesystem::path& path, const QString& key) {
    int row = path.empty() ? -1 : m_models->rowOf(path);
    if (row < 0 && !key.isEmpty())
        row = m_models->rowWithKey(key);
    m_table->selectRow(row < 0 ? m_models->firstRow() : row);
}

bool ModelsPanel::selectOffer(const QString& id) {
    const auto isIt = [wanted = id.toStdString()](const OfferedModel* variant) {
        return variant->offer->id == wanted;
    };
    for (int row = 0; row < m_models->rowCount(); ++row)
        if (std::ranges::any_of(m_models->variants(row), isIt)) {
            m_table->selectRow(row);
            m_get->setFocus();
            return true;
        }
    return false;
}

void ModelsPanel::showOffer(const QString& id) {
    if (!selectOffer(id))
        m_wantedOffer = id;
}

void ModelsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!m_isRead)
        refresh();
}

void ModelsPanel::refresh() {
    m_isRead = true;
    m_background.run(
        [] {
            CatalogueContent content{.installed = scanModels()};
            content.rate = modelDiskRate(content.installed);
            content.absent = listAbsentModels(content.installed, content.rate);
            content.offered = listOfferedModels(content.installed, content.rate);
            content.fits = fitsOfInstalled(content.installed);
            return content;
        },
        [this](const CatalogueContent& content) {
            const QModelIndex current = m_table->currentIndex();
            const QString chosen = current.isValid() ? m_models->keyOf(current.row()) : QString();
            m_models->setContent(content);
            if (m_models->firstRow() >= 0)
                select(std::exchange(m_wanted, {}), chosen);
            if (const QString offer = std::exchange(m_wantedOffer, {}); !offer.isEmpty())
                selectOffer(offer);
            updateActions();
            emit refreshed();
        },
        [this](const Problem& problem) { emit wentWrong(problem); });
}

void ModelsPanel::describe(int row) {
    const AbsentModel* absent = m_models->absentModel(row);
    if (const auto variants = m_models->variants(row); !variants.empty()) {
        m_describing.forget();
        return showModel(describeVariants(variants, absent));
    }
    if (absent != nullptr) {
        m_describing.forget();
        return showModel(describeAbsent(*absent));
    }
    if (m_models->isHeading(row))
        return;
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
    if (!current.isValid() || m_models->projectSpelling(current.row()).isEmpty())
        return;
    m_document.setTexts(tr("Model"), {{findProjectKey("pretrained_model_name_or_path"),
                                       m_models->projectSpelling(current.row())}});
}

QString ModelsPanel::description() const {
    return m_text->toPlainText();
}

void ModelsPanel::updateActions() {
    const QModelIndex current = m_table->currentIndex();
    const bool usable = current.isValid() && !m_models->projectSpelling(current.row()).isEmpty();
    m_copy->setVisible(!m_command.isEmpty());
    m_use->setEnabled(usable);
    const bool isOffered = current.isValid() && m_models->offeredModel(current.row()) != nullptr;
    m_use->setToolTip(usable || !current.isValid() ? QString()
                      : isOffered                  ? tr("Download it first")
                                  : tr("This is not a model by itself; parts are chosen in the project"));
    updateDownload();
}

}  // namespace meshreel

#include "moc_models_panel.cpp"
