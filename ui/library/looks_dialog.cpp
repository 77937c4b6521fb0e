// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/looks_dialog.h"

#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <system_error>
#include <utility>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/held_file.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/project/project_keys.h"
#include "ui/library/save_look_dialog.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/values/pictures.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/screen_fit.h"

namespace meshreel {

namespace {

constexpr QSize usualLooksSize{760, 560};
constexpr QSize lookTileSize{176, 99};
constexpr int linesOfDetails = 4;

QString nameOfLook(const ProjectLook& look) {
    return visibleText(QString::fromStdString(look.name));
}

/// Writes the whole copy or nothing.
void copyLook(const std::filesystem::path& look, const std::filesystem::path& to) {
    writeFileAtomically(to, [&](const std::filesystem::path& temporary) {
        if (const std::error_code refused = copyContent(look, temporary))
            throw Error(
                ErrorKind::Input,
                LooksDialog::tr("The look cannot be kept (%1): free some space, or make the folder writable")
                    .arg(QString::fromStdString(refused.message()))
                    .toStdString(),
                withTilde(to));
    });
}

}  // namespace

bool takeLook(ProjectDocument& document, const ProjectLook& look) {
    const KeyChanges changes = lookChanges(look, document.project());
    if (changes.empty())
        return false;
    document.setTexts(LooksDialog::tr("Look “%1”").arg(nameOfLook(look)), changes);
    return true;
}

std::filesystem::path keepLook(const std::filesystem::path& picture) {
    const ProjectLook look = loadLook(picture);
    const std::filesystem::path folder = userLooksFolder();
    std::error_code failure;
    if (std::filesystem::equivalent(picture.parent_path(), folder, failure))
        return picture;
    std::filesystem::create_directories(folder, failure);
    const std::string stem = fileNameFrom(look.name);
    const std::filesystem::path kept = freePath(folder / (stem.empty() ? std::string("look") : stem), ".png");
    copyLook(picture, kept);
    return kept;
}

QString lookSummary(const ProjectLook& look) {
    QStringList lines;
    if (!look.note.empty())
        lines += visibleText(QString::fromStdString(look.note));
    for (const KeyChange& value : look.values)
        lines += LooksDialog::tr("%1: %2", "title of a setting and its value")
                     .arg(distinctTitle(*findProjectKey(value.key)),
                          visibleText(QString::fromStdString(value.value)));
    return lines.join(QLatin1Char('\n'));
}

LooksDialog::LooksDialog(ProjectDocument& document, QString picture, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_picture(std::move(picture)),
      m_list(new QListWidget(this)),
      m_empty(
          new EmptyState(tr("No looks yet: save the project's, or drop pictures here that others saved as "
                            "looks."),
                         this)),
      m_details(new ClampedText(linesOfDetails, this)),
      m_remark(new QLabel(this)) {
    setWindowTitle(tr("Looks"));
    setAcceptDrops(true);
    resize(usualLooksSize);
    fitIntoScreen(*this);
    m_list->setViewMode(QListView::IconMode);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setMovement(QListView::Static);
    m_list->setIconSize(lookTileSize);
    m_list->setSpacing(spacing);
    m_list->setWordWrap(true);
    m_list->setAccessibleName(tr("Looks"));
    m_remark->setTextFormat(Qt::PlainText);
    m_remark->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(panelMargin);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_details);
    layout->addWidget(m_remark);
    layout->addWidget(makeButtons());
    tabAsLaidOut(*this);
    connect(m_list, &QListWidget::currentRowChanged, this, &LooksDialog::showChosen);
    connect(m_list, &QListWidget::itemActivated, this, &LooksDialog::useChosen);
    fill();
}

QWidget* LooksDialog::makeButtons() {
    auto* buttons = new QWidget(this);
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    const auto addButton = [&](const QString& text, void (LooksDialog::*act)()) {
        auto* button = new QPushButton(text, buttons);
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, act);
        row->addWidget(button);
        return button;
    };
    addButton(tr("Save the project's…"), &LooksDialog::saveProjectsLook);
    addButton(tr("Add files…"), &LooksDialog::askForFiles);
    m_copy = addButton(tr("Copy to…"), &LooksDialog::copyChosen);
    m_remove = addButton(tr("Remove"), &LooksDialog::removeChosen);
    row->addStretch(1);
    m_use = addButton(tr("Use"), &LooksDialog::useChosen);
    m_use->setDefault(true);
    addButton(tr("Close"), &LooksDialog::reject);
    return buttons;
}

void LooksDialog::fill() {
    std::vector<Sentence> unreadable;
    m_looks = looksIn(userLooksFolder(), &unreadable);
    m_list->clear();
    for (const FoundLook& found : m_looks) {
        const QString file = QString::fromStdString(found.file.string());
        auto* item = new QListWidgetItem(QIcon(readThumbnail(file, lookTileSize, Links::Follow)),
                                         nameOfLook(found.look), m_list);
        item->setToolTip(asPlainText(item->text() + QLatin1Char('\n') + lookSummary(found.look)));
    }
    QStringList remarks;
    for (const Sentence& damage : unreadable)
        remarks += sentenceText(damage);
    m_remark->setText(remarks.join(QLatin1Char('\n')));
    m_remark->setVisible(!remarks.isEmpty());
    m_empty->setVisible(m_looks.empty());
    m_list->setVisible(!m_looks.empty());
    m_list->setCurrentRow(m_looks.empty() ? -1 : 0);
    showChosen();
}

const FoundLook* LooksDialog::chosen() const {
    const int row = m_list->currentRow();
    return row < 0 || row >= static_cast<int>(m_looks.size()) ? nullptr
                                                              : &m_looks[static_cast<std::size_t>(row)];
}

void LooksDialog::choose(int index) {
    m_list->setCurrentRow(index);
}

QString LooksDialog::details() const {
    return m_details->text();
}

void LooksDialog::showChosen() {
    const FoundLook* found = chosen();
    const QString summary = found == nullptr ? QString() : lookSummary(found->look);
    m_details->setText(QString(summary).replace(QLatin1Char('\n'), QStringLiteral(" · ")));
    m_details->setVisible(found != nullptr);
    for (QPushButton* button : {m_use, m_copy, m_remove})
        button->setEnabled(found != nullptr);
}

void LooksDialog::select(const std::filesystem::path& file) {
    fill();
    const auto found = std::ranges::find(m_looks, file, &FoundLook::file);
    if (found != m_looks.end())
        m_list->setCurrentRow(static_cast<int>(found - m_looks.begin()));
}

void LooksDialog::useChosen() {
    const FoundLook* found = chosen();
    if (found == nullptr)
        return;
    takeLook(m_document, found->look);
    accept();
}

void LooksDialog::add(const QStringList& files) {
    QStringList refused;
    std::filesystem::path last;
    for (const QString& file : files) {
        try {
            last = keepLook(file.toStdString());
        } catch (...) {
            refused += tr("%1 (%2)", "file and why it cannot be used")
                           .arg(QFileInfo(file).fileName(), sentenceText(currentProblem().message));
        }
    }
    select(last);
    if (refused.isEmpty())
        return;
    m_remark->setText(tr("Not added: %1.", "files").arg(refused.join(QStringLiteral("; "))));
    m_remark->show();
}

void LooksDialog::askForFiles() {
    const QStringList files =
        QFileDialog::getOpenFileNames(this, tr("Add looks"), QString(), tr("Looks (*.png)"));
    if (!files.isEmpty())
        add(files);
}

void LooksDialog::saveProjectsLook() {
    SaveLookDialog dialog(m_document.project(), m_picture, this);
    while (dialog.exec() == QDialog::Accepted) {
        try {
            return select(dialog.save());
        } catch (...) {
            QMessageBox::warning(this, dialog.windowTitle(), asPlainText(wholeText(currentProblem())));
        }
    }
}

void LooksDialog::copyChosen() {
    const FoundLook* found = chosen();
    if (found == nullptr)
        return;
    const QString file = askForExport({.title = tr("Copy the look"),
                                       .name = QString::fromStdString(found->file.filename().string()),
                                       .filters = tr("Looks (*.png)"),
                                       .first = QStandardPaths::PicturesLocation},
                                      this);
    std::error_code isNew;  // a copy onto itself would empty it
    if (file.isEmpty() || std::filesystem::equivalent(found->file, file.toStdString(), isNew))
        return;
    try {
        copyLook(found->file, file.toStdString());
    } catch (...) {
        m_remark->setText(tr("%1 cannot be written: %2")
                              .arg(QFileInfo(file).fileName(), sentenceText(currentProblem().message)));
        m_remark->show();
    }
}

void LooksDialog::removeChosen() {
    const FoundLook* found = chosen();
    if (found == nullptr ||
        QMessageBox::question(
            this, tr("Remove a look"),
            asPlainText(tr("Remove “%1”? It cannot be brought back.").arg(nameOfLook(found->look)))) !=
            QMessageBox::Yes)
        return;
    std::error_code ignored;  // the list shows whether it is gone
    std::filesystem::remove(found->file, ignored);
    fill();
}

void LooksDialog::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedPaths(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void LooksDialog::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    if (const QStringList paths = draggedPaths(event->mimeData()); !paths.isEmpty())
        add(paths);
}

}  // namespace meshreel

#include "moc_looks_dialog.cpp"
