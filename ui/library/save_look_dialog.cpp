// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/save_look_dialog.h"

#include <QBuffer>
#include <QByteArray>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <string_view>

#include "engine/base/held_file.h"
#include "engine/base/paths.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/values/pictures.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/screen_fit.h"

namespace meshreel {

namespace {

constexpr QSize usualSaveLookSize{560, 560};
constexpr QSize lookPreviewSize{160, 90};
constexpr int mostPictureSide = 768;  ///< a look is sent and shown small

/// The picture as the bytes of a PNG, no larger than a look's.
QByteArray pictureBytes(const QString& file) {
    QImage picture = readPicture(expandTilde(file.toStdString()));
    if (picture.width() > mostPictureSide || picture.height() > mostPictureSide)
        picture =
            picture.scaled(mostPictureSide, mostPictureSide, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    picture.save(&buffer, "PNG");
    return bytes;
}

}  // namespace

SaveLookDialog::SaveLookDialog(const Project& project, const QString& picture, QWidget* parent)
    : QDialog(parent), m_preview(new QLabel(this)), m_remark(new QLabel(this)) {
    setWindowTitle(tr("Save a look"));
    resize(usualSaveLookSize);
    fitIntoScreen(*this);
    auto* words =
        new QLabel(tr("A look is a picture with settings in it: how videos look, whatever they show. "
                      "Write {prompt} into a prompt to make it a style."),
                   this);
    words->setWordWrap(true);
    m_fields.name = new QLineEdit(this);
    m_fields.note = new QLineEdit(this);
    m_fields.picture = new PathEdit(PathEdit::Count::One, this);
    m_fields.picture->setText(picture);
    auto* choose = new QPushButton(tr("Choose…"), this);
    m_fields.values = new QListWidget(this);
    m_fields.values->setAccessibleName(tr("Settings of the look"));
    m_preview->setFixedSize(lookPreviewSize);
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setAccessibleName(tr("Picture of the look"));
    m_remark->setTextFormat(Qt::PlainText);
    m_remark->setWordWrap(true);

    auto* file = new QHBoxLayout;
    file->setSpacing(spacing);
    file->addWidget(m_fields.picture, 1);
    file->addWidget(choose);
    auto* form = new QFormLayout;
    form->setSpacing(spacing);
    form->addRow(tr("Name"), m_fields.name);
    form->addRow(tr("Note"), m_fields.note);
    form->addRow(tr("Picture"), file);
    form->addRow(QString(), m_preview);
    nameControl(*m_fields.picture, tr("Picture"));  // its label belongs to the row
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_fields.save = buttons->addButton(tr("Save"), QDialogButtonBox::AcceptRole);
    m_fields.save->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(panelMargin);
    layout->addWidget(words);
    layout->addLayout(form);
    layout->addWidget(m_fields.values, 1);
    layout->addWidget(m_remark);
    layout->addWidget(buttons);
    tabAsLaidOut(*this);
    fillValues(lookValues(project));
    connect(choose, &QPushButton::clicked, this, &SaveLookDialog::choosePicture);
    connect(m_fields.name, &QLineEdit::textChanged, this, &SaveLookDialog::refresh);
    connect(m_fields.picture, &QLineEdit::textChanged, this, &SaveLookDialog::refresh);
    connect(m_fields.values, &QListWidget::itemChanged, this, &SaveLookDialog::refresh);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    refresh();
    m_fields.name->setFocus();
}

void SaveLookDialog::fillValues(const KeyChanges& values) {
    m_values = values;
    for (const KeyChange& value : values) {
        const ProjectKey& key = *findProjectKey(value.key);
        const QString text = QString::fromStdString(value.value);
        auto* item = new QListWidgetItem(
            tr("%1: %2", "title of a setting and its value").arg(distinctTitle(key), text), m_fields.values);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
        item->setToolTip(asPlainText(item->text()));
    }
}

void SaveLookDialog::choosePicture() {
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Choose a picture or video"), m_fields.picture->text(),
        tr("Pictures and videos (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)"));
    if (!file.isEmpty())
        m_fields.picture->take({file});
}

ProjectLook SaveLookDialog::look() const {
    ProjectLook look{.name = m_fields.name->text().simplified().toStdString(),
                     .note = m_fields.note->text().simplified().toStdString(),
                     .values = {}};
    for (int row = 0; row < m_fields.values->count(); ++row)
        if (m_fields.values->item(row)->checkState() == Qt::Checked)
            look.values.push_back(m_values[static_cast<std::size_t>(row)]);
    return look;
}

std::filesystem::path SaveLookDialog::save() const {
    const ProjectLook asked = look();
    const QByteArray png = pictureBytes(m_fields.picture->text());
    const std::string stem = fileNameFrom(asked.name);
    const std::filesystem::path file =
        freePath(userLooksFolder() / (stem.empty() ? std::string("look") : stem), ".png");
    saveLook(file, asked, std::string_view(png.constData(), static_cast<std::size_t>(png.size())));
    return file;
}

void SaveLookDialog::refresh() {
    const QString picture =
        QString::fromStdString(expandTilde(m_fields.picture->text().toStdString()).string());
    const QPixmap preview =
        picture.isEmpty() ? QPixmap() : readThumbnail(picture, lookPreviewSize, Links::Follow);
    m_preview->setPixmap(preview);
    const ProjectLook asked = look();
    QString missing;
    if (m_values.empty())
        missing =
            tr("The project has the default look: change sampling, adapters, size or what must not be "
               "seen first.");
    else if (asked.values.empty())
        missing = tr("Choose at least one setting.");
    else if (asked.name.empty())
        missing = tr("Write a name.");
    else if (preview.isNull())
        missing = tr("Choose a picture that shows the look, such as a frame of a run.");
    m_remark->setText(missing);
    m_fields.save->setEnabled(missing.isEmpty());
}

}  // namespace meshreel

#include "moc_save_look_dialog.cpp"
