// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/path_field.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include "engine/base/paths.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/path_edit.h"

namespace meshreel {

namespace {

QString filterOf(PathField::Kind kind) {
    QString all = PathField::tr("All files (*)");
    switch (kind) {
        case PathField::Kind::Image:
        case PathField::Kind::Images:
            return PathField::tr("Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)") +
                   QStringLiteral(";;") + all;
        case PathField::Kind::Video:
            return PathField::tr(
                       "Videos and pictures (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png "
                       "*.jpg *.jpeg)") +
                   QStringLiteral(";;") + all;
        case PathField::Kind::Weights:
            return PathField::tr("Weights (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)") +
                   QStringLiteral(";;") + all;
        case PathField::Kind::File:
            break;
    }
    return all;
}

bool mayBeFolder(PathField::Kind kind) {
    return kind == PathField::Kind::Video || kind == PathField::Kind::Weights;
}

}  // namespace

std::optional<PathField::Kind> PathField::kindOf(const ProjectKey& key) {
    if (const InputKey* input = findInputKey(key.name)) {
        switch (input->kind) {
            case InputKind::Image:
                return Kind::Image;
            case InputKind::Images:
                return Kind::Images;
            case InputKind::Video:
                return Kind::Video;
        }
    }
    if (key.form == TextForm::File)
        return Kind::Weights;
    return key.name == "hosts" ? std::optional(Kind::File) : std::nullopt;
}

PathField::PathField(Kind kind, QWidget* parent)
    : KeyField(parent, Extent::Wide),
      m_edit(new PathEdit(kind == Kind::Images ? PathEdit::Count::Several : PathEdit::Count::One, this)),
      m_chooser(new QToolButton(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_edit, 1);
    setInput(m_edit);
    m_edit->setClearButtonEnabled(true);
    m_edit->setPlaceholderText(kind == Kind::Weights ? tr("the model's own")
                                                     : tr("none; choose or drop one here"));
    connect(m_edit, &QLineEdit::textEdited, this, &KeyField::edited);
    connect(m_edit, &PathEdit::taken, this, &KeyField::chosen);
    connect(m_edit, &QLineEdit::textChanged, this, [this](const QString& text) {
        // The clear button tells only by textChanged().
        if (text.isEmpty() && m_edit->hasFocus() && !m_edit->isTyping())
            emit chosen(text);
    });
    addChooser(kind);
}

QString PathField::text() const {
    return m_edit->text();
}

void PathField::setText(const QString& text) {
    m_edit->setText(text);
}

void PathField::describe(const QString& title, const QString& help) {
    KeyField::describe(title, help);
    m_chooser->setAccessibleName(
        tr("%1: %2", "title of a setting, what its button does").arg(title, m_chooser->toolTip()));
}

void PathField::addChooser(Kind kind) {
    QToolButton* button = m_chooser;
    button->setIcon(themedIcon(QStringLiteral("folder")));
    button->setToolTip(kind == Kind::Images ? tr("Choose files") : tr("Choose a file"));
    if (mayBeFolder(kind)) {
        auto* menu = new QMenu(button);
        menu->addAction(tr("Choose a &file…"), this, [this, kind] { chooseFiles(kind); });
        menu->addAction(tr("Choose a f&older…"), this, &PathField::chooseFolder);
        button->setMenu(menu);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setToolTip(tr("Choose a file or a folder"));
    } else {
        connect(button, &QToolButton::clicked, this, [this, kind] { chooseFiles(kind); });
    }
    button->setAccessibleName(button->toolTip());
    layout()->addWidget(button);
}

void PathField::chooseFiles(Kind kind) {
    const QString folder =
        QFileInfo(QString::fromStdString(expandTilde(text().toStdString()).string())).path();
    if (kind == Kind::Images)
        m_edit->take(QFileDialog::getOpenFileNames(window(), tr("Choose files"), folder, filterOf(kind)));
    else if (const QString file =
                 QFileDialog::getOpenFileName(window(), tr("Choose a file"), folder, filterOf(kind));
             !file.isEmpty())
        m_edit->take({file});
}

void PathField::chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(window(), tr("Choose a folder"));
    if (!folder.isEmpty())
        m_edit->take({folder});
}

}  // namespace meshreel
