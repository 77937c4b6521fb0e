// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/clip_export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/media/video_writer.h"
#include "ui/controller/run_news.h"
#include "ui/models/key_texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/export_place.h"
#include "ui/widgets/tab_order.h"

namespace meshreel {

namespace {

constexpr int usualWidth = 460;

constexpr QLatin1String formatKey("export/format");
constexpr QLatin1String qualityKey("export/quality");

QString nameOf(const VideoFormatInfo& info) {
    return QString::fromStdString(std::string(info.name));
}

}  // namespace

ClipExportDialog::ClipExportDialog(const Clip& clip, QWidget* parent)
    : QDialog(parent),
      m_format(new QComboBox(this)),
      m_quality(new QSpinBox(this)),
      m_file(
          new QLineEdit(QDir(exportFolder(QStandardPaths::MoviesLocation)).filePath(clip.fileStem()), this)),
      m_help(new QLabel(this)),
      m_export(nullptr) {
    setWindowTitle(tr("Export the clip"));
    setMinimumWidth(usualWidth);
    const QSettings last;
    for (const VideoFormatInfo& info : videoFormats()) {
        m_format->addItem(engineText(info.title), static_cast<int>(info.format));
        if (last.value(formatKey).toString() == nameOf(info))
            m_format->setCurrentIndex(m_format->count() - 1);
    }
    m_quality->setRange(minVideoQuality, maxVideoQuality);
    m_quality->setValue(last.value(qualityKey, defaultVideoQuality).toInt());
    m_quality->setToolTip(tr("0 is smallest, 100 best"));
    m_help->setWordWrap(true);
    auto* choose = new QToolButton(this);
    choose->setIcon(themedIcon(QStringLiteral("folder")));
    choose->setToolTip(tr("Choose a file"));
    choose->setAccessibleName(choose->toolTip());
    auto* fileRow = new QHBoxLayout;
    fileRow->addWidget(m_file, 1);
    fileRow->addWidget(choose);
    auto* form = new QFormLayout;
    form->addRow(tr("For&mat:"), m_format);
    form->addRow(tr("&Quality:"), m_quality);
    auto* fileLabel = new QLabel(tr("&File:"), this);
    fileLabel->setBuddy(m_file);  // a row of a layout has none by itself
    m_file->setAccessibleName(tr("File of the clip"));
    form->addRow(fileLabel, fileRow);
    form->addRow(tr("Clip:"), new QLabel(tr("%n frames, %1 s", nullptr, static_cast<int>(clip.frames.size()))
                                             .arg(locale().toString(clip.seconds(), 'f', 2)),
                                         this));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_export = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(panelMargin);
    layout->addLayout(form);
    layout->addWidget(m_help);
    layout->addStretch(1);
    layout->addWidget(buttons);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ClipExportDialog::refresh);
    connect(m_file, &QLineEdit::textChanged, this, &ClipExportDialog::refresh);
    connect(choose, &QToolButton::clicked, this, &ClipExportDialog::browse);
    tabAsLaidOut(*this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    refresh();
}

VideoFormat ClipExportDialog::format() const {
    return static_cast<VideoFormat>(m_format->currentData().toInt());
}

int ClipExportDialog::quality() const {
    return m_quality->value();
}

QString ClipExportDialog::file() const {
    return QString::fromStdString(withVideoExtension(m_file->text().toStdString(), format()).string());
}

void ClipExportDialog::accept() {
    keepExportFolder(file());
    QSettings settings;
    settings.setValue(formatKey, nameOf(videoFormatInfo(format())));
    settings.setValue(qualityKey, quality());
    QDialog::accept();
}

void ClipExportDialog::browse() {
    const QString chosen = QFileDialog::getSaveFileName(this, tr("Export the clip"), file(), QString(),
                                                        nullptr, QFileDialog::DontConfirmOverwrite);
    if (!chosen.isEmpty())
        m_file->setText(chosen);
}

void ClipExportDialog::refresh() {
    const VideoFormatInfo& info = videoFormatInfo(format());
    const bool lossy =
        format() == VideoFormat::Mp4 || format() == VideoFormat::WebM || format() == VideoFormat::WebP;
    m_quality->setEnabled(lossy);
    QString help = engineText(info.help);
    bool mayBeWritten = !m_file->text().trimmed().isEmpty();
    try {
        checkPlace(file().toStdString(), format());
        if (QFileInfo::exists(file()))
            help += QLatin1Char('\n') + tr("%1 is there already and will be replaced.").arg(file());
    } catch (...) {
        help += QLatin1Char('\n') + Trouble::ofCurrentException().text();
        mayBeWritten = false;
    }
    m_help->setText(help);
    m_export->setEnabled(mayBeWritten);
    if (isVisible())  // wrapped words do not make a window taller
        resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

}  // namespace meshreel
