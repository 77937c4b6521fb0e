// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/storyboard_files.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/film/storyboard.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_trust.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/trust_sheet.h"

namespace meshreel {

namespace {

/// Asks what the shots of a file name that nobody has agreed to.
bool mayTrustShots(const std::filesystem::path& file, QWidget* window) {
    const Storyboard board = examineStoryboard(readProjectText(file), file);
    for (const Shot& shot : board.shots)
        if (!mayTrust(askTrust(shot.project, file.parent_path(), ProjectSource::File), window))
            return false;
    return true;
}

QString storyboardFilter() {
    return StoryboardFiles::tr("Storyboards (*.yaml *.yml)");
}

}  // namespace

StoryboardFiles::StoryboardFiles(StoryboardDocument& document, QWidget* window)
    : QObject(window),
      m_document(document),
      m_window(window),
      m_actions{.startNew = new QAction(themedIcon(QStringLiteral("film")), tr("New s&toryboard"), this),
                .save = new QAction(tr("Save storyboar&d"), this),
                .saveAs = new QAction(tr("Save stor&yboard as…"), this)} {
    m_actions.startNew->setToolTip(tr("Begin a film with the settings of the open project"));
    connect(m_actions.startNew, &QAction::triggered, this, &StoryboardFiles::newRequested);
    connect(m_actions.save, &QAction::triggered, this, &StoryboardFiles::save);
    connect(m_actions.saveAs, &QAction::triggered, this, &StoryboardFiles::saveAs);
    connect(&m_document, &StoryboardDocument::fileChanged, this, [this] {
        m_discarded.reset();
        refresh();
    });
    refresh();
}

void StoryboardFiles::refresh() {
    m_actions.save->setEnabled(m_document.isOpen());
    m_actions.saveAs->setEnabled(m_document.isOpen());
}

bool StoryboardFiles::hasUnsavedChanges() const {
    return m_document.isOpen() && m_document.isModified() && m_document.text() != m_discarded;
}

bool StoryboardFiles::mayReplace() {
    emit aboutToStore();
    if (!hasUnsavedChanges())
        return true;
    QMessageBox question(QMessageBox::Question, tr("Unsaved changes"),
                         tr("Save the changes to “%1”?").arg(m_document.displayName()),
                         QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, m_window);
    question.setTextFormat(Qt::PlainText);
    question.setInformativeText(tr("If you don't save, your changes will be lost."));
    question.setDefaultButton(QMessageBox::Save);
    switch (question.exec()) {
        case QMessageBox::Save:
            return save();
        case QMessageBox::Discard:
            return true;
        default:
            return false;
    }
}

bool StoryboardFiles::mayClose() {
    emit aboutToStore();
    return m_document.file().empty() || mayReplace();
}

void StoryboardFiles::noteClosing() {
    if (!m_document.file().empty())
        m_discarded = m_document.text();
}

bool StoryboardFiles::startNew(const Project& project) {
    if (!mayReplace())
        return false;
    m_document.startNew(project);
    return true;
}

bool StoryboardFiles::load(const QString& file) {
    try {
        const std::filesystem::path path = QFileInfo(file).absoluteFilePath().toStdString();
        if (!mayReplace() || !mayTrustShots(path, m_window))
            return false;
        m_document.load(path);
        return true;
    } catch (...) {
        emit wentWrong(currentProblem());
        return false;
    }
}

bool StoryboardFiles::saveTo(const QString& file) {
    try {
        m_document.save(QFileInfo(file).absoluteFilePath().toStdString());
        return true;
    } catch (...) {
        emit wentWrong(currentProblem());
        return false;
    }
}

bool StoryboardFiles::save() {
    emit aboutToStore();
    return m_document.file().empty() ? saveAs() : saveTo(QString::fromStdString(m_document.file().string()));
}

bool StoryboardFiles::saveAs() {
    emit aboutToStore();
    QFileDialog dialog(m_window, tr("Save the storyboard"), QString(), storyboardFilter());
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("yaml"));
    dialog.selectFile(m_document.file().empty() ? QStringLiteral("storyboard.yaml")
                                                : QString::fromStdString(m_document.file().string()));
    return dialog.exec() == QDialog::Accepted && saveTo(dialog.selectedFiles().constFirst());
}

void StoryboardFiles::askToOpen() {
    const QString file = QFileDialog::getOpenFileName(
        m_window, tr("Open a storyboard"), QString::fromStdString(m_document.file().parent_path().string()),
        storyboardFilter());
    if (!file.isEmpty())
        emit openRequested(file);
}

}  // namespace meshreel

#include "moc_storyboard_files.cpp"
