// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/clip_exporter.h"

#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFontMetrics>
#include <QFormLayout>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/held_file.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/base/sentence.h"
#include "engine/media/video_writer.h"
#include "engine/runs/run_folder.h"
#include "ui/theme/look.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

namespace {

struct ContactSheet {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ContactSheet)
};

constexpr int mostColumns = 6;
constexpr int leastFrameWidth = 160;  ///< small videos are enlarged to this
constexpr int mostFrameWidth = 480;

}  // namespace

QImage contactSheet(const Clip& clip) {
    const QList<int> frames = spreadFrames(static_cast<int>(clip.frames.size()), sheetFrames);
    const int columns = std::min(mostColumns, static_cast<int>(frames.size()));
    const int rows = (static_cast<int>(frames.size()) + columns - 1) / columns;
    const QSize video = clip.frames.first().size();
    const int width = std::clamp(video.width(), leastFrameWidth, mostFrameWidth);
    const QSize frame(width, width * video.height() / video.width());
    QFont font;
    const int line = QFontMetrics(font).lineSpacing() + tightSpacing;
    const QSize cell(frame.width() + spacing, frame.height() + line + spacing);
    QImage sheet(columns * cell.width() + spacing, rows * cell.height() + spacing, QImage::Format_RGB888);
    sheet.fill(stageColor());
    QPainter painter(&sheet);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, video.width() > width);
    painter.setFont(font);
    painter.setPen(Qt::white);
    for (int i = 0; i < frames.size(); ++i) {
        const QPoint corner(spacing + (i % columns) * cell.width(), spacing + (i / columns) * cell.height());
        painter.drawImage(QRect(corner, frame), clip.frames.at(frames.at(i)));
        painter.drawText(QRect(corner + QPoint(0, frame.height()), QSize(frame.width(), line)),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         ContactSheet::tr("%1 · %2 s", "number of a frame, time")
                             .arg(frames.at(i) + 1)
                             .arg(QLocale().toString(frames.at(i) / clip.framesPerSecond, 'f', 2)));
    }
    return sheet;
}

namespace {

constexpr int usualWidth = 460;

constexpr std::array scales{1, 2, 4};

constexpr QLatin1String formatKey("export/format");
constexpr QLatin1String scaleKey("export/scale");
constexpr QLatin1String qualityKey("export/quality");

QString nameOf(const VideoFormatInfo& info) {
    return QString::fromStdString(std::string(info.name));
}

}  // namespace

Clip enlarged(Clip clip, int factor) {
    if (factor > 1)
        for (QImage& frame : clip.frames)
            frame = frame.scaled(frame.size() * factor, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                        .convertToFormat(frame.format());
    return clip;
}

ClipExportDialog::ClipExportDialog(const Clip& clip, QWidget* parent)
    : QDialog(parent),
      m_format(new QComboBox(this)),
      m_scale(new QComboBox(this)),
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
    for (const int scale : scales) {
        const QSize size = clip.frames.first().size() * scale;
        m_scale->addItem(scale == 1
                             ? tr("%1 × %2, as it is", "width, height").arg(size.width()).arg(size.height())
                             : tr("%1 × %2 (×%3)", "width, height, factor")
                                   .arg(size.width())
                                   .arg(size.height())
                                   .arg(scale),
                         scale);
        if (last.value(scaleKey).toInt() == scale)
            m_scale->setCurrentIndex(m_scale->count() - 1);
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
    form->addRow(tr("&Size:"), m_scale);
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

int ClipExportDialog::scale() const {
    return m_scale->currentData().toInt();
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
    settings.setValue(scaleKey, scale());
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
        help += QLatin1Char('\n') + wholeText(currentProblem());
        mayBeWritten = false;
    }
    m_help->setText(help);
    m_export->setEnabled(mayBeWritten);
    if (isVisible())  // wrapped words do not make a window taller
        resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

namespace {

QString shown(const std::filesystem::path& file) {
    return QString::fromStdString(withTilde(file));
}

}  // namespace

ClipExporter::ClipExporter(QWidget* window) : QObject(window), m_window(window) {}

void ClipExporter::copyFrame(const QImage& frame) {
    QGuiApplication::clipboard()->setImage(frame);
    emit noted(tr("The frame was copied."));
}

void ClipExporter::askForFrame(const Clip& clip, int frame) {
    const QString name = QStringLiteral("%1-frame-%2.png").arg(clip.fileStem()).arg(frame + 1);
    if (const QString file = askForPng(tr("Save the frame"), name); !file.isEmpty())
        writePicture(clip.frames.at(frame), file.toStdString());
}

void ClipExporter::askForSheet(const Clip& clip) {
    const QString name = QStringLiteral("%1-sheet.png").arg(clip.fileStem());
    if (const QString file = askForPng(tr("Save a contact sheet"), name); !file.isEmpty())
        writePicture(contactSheet(clip), file.toStdString());
}

void ClipExporter::askForClip(const Clip& clip) {
    ClipExportDialog dialog(clip, m_window);
    if (dialog.exec() == QDialog::Accepted)
        writeClip(enlarged(clip, dialog.scale()), dialog.file().toStdString(), dialog.format(),
                  dialog.quality());
}

void ClipExporter::askForCopies(const QStringList& runs) {
    const QString folder = QFileDialog::getExistingDirectory(m_window, tr("Copy the videos into a folder"),
                                                             exportFolder(QStandardPaths::MoviesLocation));
    if (folder.isEmpty())
        return;
    keepExportFolder(QDir(folder).filePath(QStringLiteral("video")));
    copyClips(runs, folder.toStdString());
}

namespace {

/// What became of the videos that were to be copied.
struct CopiedClips {
    std::vector<std::filesystem::path> copies;
    QStringList without;             ///< names of runs that have no video
    std::optional<Problem> problem;  ///< of the first one that could not be copied
    int failed = 0;
};

/// Returns the first of `all` problems, with their number where there are several.
Problem firstOfCopies(Problem first, int all) {
    if (all > 1)
        first.message = sentence("{} videos could not be copied. The first of them: {}", all, first.message);
    return first;
}

void copyInto(const std::filesystem::path& file, const std::filesystem::path& copy) {
    writeFileAtomically(copy, [&file](const std::filesystem::path& part) {
        std::filesystem::copy_file(file, part, std::filesystem::copy_options::overwrite_existing);
    });
}

/// Returns the copy; nothing for a run without a video. Throws Error.
std::optional<std::filesystem::path> copyClip(const std::filesystem::path& run,
                                              const std::filesystem::path& folder) {
    const std::optional<HeldFile> video = RunFolder::open(run).openVideo();
    if (!video)
        return std::nullopt;
    const std::string name = run.filename().string();
    return video->readWith([&](const std::filesystem::path& same) {
        if (!video->isFolder()) {
            const std::filesystem::path copy = freePath(folder / name, video->name().extension().string());
            copyInto(same, copy);
            if (const auto project = projectBeside(video->name()); std::filesystem::exists(project))
                HeldFile(project, Links::Refuse).readWith([&](const std::filesystem::path& file) {
                    copyInto(file, projectBeside(copy));
                });
            return copy;
        }
        const std::filesystem::path copy = freePath(folder / name);
        writeFolderAtomically(copy, [&](const std::filesystem::path& part) {
            for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(same))
                HeldFile(*video, entry.path().filename().string())
                    .readWith([&](const std::filesystem::path& frame) {
                        return std::filesystem::copy_file(frame, part / entry.path().filename());
                    });
        });
        return copy;
    });
}

}  // namespace

void ClipExporter::copyClips(const QStringList& runs, const std::filesystem::path& folder) {
    m_background.run(
        [runs, folder] {
            CopiedClips copied;
            for (const QString& run : runs) {
                const std::filesystem::path path = run.toStdString();
                try {
                    if (const auto copy = copyClip(path, folder))
                        copied.copies.push_back(*copy);
                    else
                        copied.without += QString::fromStdString(path.filename().string());
                } catch (...) {  // the others can be copied all the same
                    ++copied.failed;
                    if (!copied.problem)
                        copied.problem = currentProblem();
                }
            }
            return copied;
        },
        [this](const CopiedClips& copied) {
            const QString left =
                copied.without.isEmpty()
                    ? QString()
                    : tr("Without a video: %1.").arg(copied.without.join(QStringLiteral(", ")));
            if (!copied.copies.empty())
                emit written(
                    withHint(tr("%n videos were copied", nullptr, static_cast<int>(copied.copies.size())),
                             left),
                    QString::fromStdString(copied.copies.front().string()));
            else if (!left.isEmpty())
                emit wentWrong({.message = left.toStdString()});
            if (copied.problem)
                emit wentWrong(firstOfCopies(*copied.problem, copied.failed));
        },
        [this](const Problem& problem) { emit wentWrong(problem); });
}

void ClipExporter::writePicture(const QImage& picture, const std::filesystem::path& file) {
    m_background.run(
        [picture, file] {
            writeFileAtomically(file, [&](const std::filesystem::path& part) {
                if (!picture.save(QString::fromStdString(part.string()), "PNG"))
                    throw Error(ErrorKind::Input, sentence("The picture cannot be written"), withTilde(file),
                                sentence("Choose a folder that you may write to"));
            });
            return file;
        },
        [this](const std::filesystem::path& place) {
            emit written(tr("Written: %1").arg(shown(place)), QString::fromStdString(place.string()));
        },
        [this](const Problem& problem) { emit wentWrong(problem); });
}

void ClipExporter::writeClip(const Clip& clip, const std::filesystem::path& file, VideoFormat format,
                             int quality) {
    VideoOptions options;
    options.format = format;
    options.fps = clip.framesPerSecond;
    options.quality = quality;
    if (!clip.project.empty())
        options.metadata[std::string(projectMetadataKey)] = clip.project;
    m_background.run([clip, file, options] { return writeVideo(file, framesOf(clip), options); },
                     [this](const WrittenVideo& video) {
                         emit written(
                             withHint(tr("Written: %1").arg(shown(video.file)), sentenceText(video.note)),
                             QString::fromStdString(video.file.string()));
                     },
                     [this](const Problem& problem) { emit wentWrong(problem); });
}

QString ClipExporter::askForPng(const QString& title, const QString& name) {
    return askForExport({.title = title,
                         .name = name,
                         .filters = tr("PNG pictures (*.png)"),
                         .first = QStandardPaths::MoviesLocation},
                        m_window);
}

}  // namespace meshreel

#include "moc_clip_exporter.cpp"
