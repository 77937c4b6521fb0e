// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/clip_comparer.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/media/video_reader.h"
#include "engine/runs/run_folder.h"
#include "engine/tensor/tensor.h"
#include "ui/player/playback.h"
#include "ui/theme/look.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_run.h"
#include "ui/widgets/accessibility.h"

namespace meshreel {

namespace {

struct ClipPairs {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ClipPairs)
};

struct RunVideo {
    Tensor frames;
    double framesPerSecond = 0;
};

RunVideo videoOf(const std::filesystem::path& folder) {
    const RunFolder run = RunFolder::open(folder);
    const auto video = run.openVideo();
    if (!video)
        throw Error(ErrorKind::Input, ClipPairs::tr("This run has no video").toStdString(), withTilde(folder),
                    ClipPairs::tr("Resume it, or choose another one").toStdString());
    return {video->readWith(readVideo), run.project().fps};
}

}  // namespace

ClipPair readClipPair(const std::filesystem::path& firstRun, const std::filesystem::path& secondRun,
                      const StopToken& stop) {
    const RunVideo first = videoOf(firstRun);
    throwIfStopped(stop);
    const RunVideo second = videoOf(secondRun);
    ClipPair pair{.first = toClip(first.frames, first.framesPerSecond),
                  .second = toClip(second.frames, second.framesPerSecond),
                  .difference = {}};
    if (pair.first.frames.first().size() != pair.second.frames.first().size())
        return pair;
    pair.likeness = compareFrames(first.frames, second.frames, stop);
    pair.difference =
        toClip(frameDifferences(first.frames, second.frames, differenceGain), first.framesPerSecond);
    return pair;
}

QString pairingText(const ClipPair& pair) {
    const QLocale locale;
    QStringList sentences;
    if (!pair.isOneLength())
        sentences += ClipPairs::tr("The videos have %1 and %2 frames: the first %3 are compared.")
                         .arg(pair.first.frames.size())
                         .arg(pair.second.frames.size())
                         .arg(pair.commonFrames());
    if (pair.first.framesPerSecond != pair.second.framesPerSecond)
        sentences +=
            ClipPairs::tr("They have %1 and %2 frames per second: both are played at %1, frame beside frame.")
                .arg(locale.toString(pair.first.framesPerSecond),
                     locale.toString(pair.second.framesPerSecond));
    return sentences.join(QLatin1Char(' '));
}

QString likenessText(const FrameDistance& likeness) {
    const QLocale locale;
    if (std::isinf(likeness.psnr))
        return ClipPairs::tr("equal");
    return ClipPairs::tr("PSNR %1 dB, SSIM %2")
        .arg(locale.toString(likeness.psnr, 'f', 1), locale.toString(likeness.ssim, 'f', 3));
}

namespace {

constexpr int paneGap = 4;
constexpr double wipeStep = 0.02;
constexpr double wipeReach = 10;  ///< pixels within which the line can be taken
constexpr double lineWidth = 2;
constexpr int plateAlpha = 150;

}  // namespace

ClipPairView::ClipPairView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Two videos"));
    setToolTip(tr(
        "The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0). Comma and "
        "full stop move the wipe."));
    setAccessibleDescription(toolTip());
}

void ClipPairView::setMode(Mode mode) {
    m_mode = mode;
    m_zoom.fit();
    unsetCursor();
    update();
}

void ClipPairView::setNames(const QString& first, const QString& second) {
    m_firstName = first;
    m_secondName = second;
    update();
}

void ClipPairView::setPictures(const QImage& first, const QImage& second, const QImage& difference) {
    m_first = first;
    m_second = second;
    m_difference = difference;
    update();
}

void ClipPairView::setWipe(double share) {
    m_wipe = std::clamp(share, 0.0, 1.0);
    update();
}

QSize ClipPairView::minimumSizeHint() const {
    return {240, 120};
}

bool ClipPairView::event(QEvent* event) {
    if (dragsWipe(*event)) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const bool near = std::abs(mouse->position().x() - m_wipe * width()) <= wipeReach;
        if (mouse->buttons().testFlag(Qt::LeftButton) && (near || cursor().shape() == Qt::SplitHCursor)) {
            setWipe(mouse->position().x() / width());
            event->accept();
            return true;
        }
        setCursor(near ? Qt::SplitHCursor : Qt::ArrowCursor);
    }
    if (!m_first.isNull() && m_zoom.takeEvent(*event, m_first.size(), paneUnder(*event))) {
        event->accept();
        update();
        return true;
    }
    return QWidget::event(event);
}

bool ClipPairView::dragsWipe(const QEvent& event) const {
    return m_mode == Mode::Wipe &&
           (event.type() == QEvent::MouseMove || event.type() == QEvent::MouseButtonPress);
}

void ClipPairView::keyPressEvent(QKeyEvent* event) {
    if (m_mode == Mode::Wipe && (event->key() == Qt::Key_Comma || event->key() == Qt::Key_Period))
        setWipe(m_wipe + (event->key() == Qt::Key_Comma ? -wipeStep : wipeStep));
    else if (!m_first.isNull() && m_zoom.takeKey(*event, m_first.size(), paneSize()))
        update();
    else
        QWidget::keyPressEvent(event);
}

QSize ClipPairView::paneSize() const {
    return m_mode == Mode::SideBySide ? QSize((width() - paneGap) / 2, height()) : size();
}

QRect ClipPairView::secondPane() const {
    const QSize size = paneSize();
    return {QPoint(width() - size.width(), 0), size};
}

QRect ClipPairView::paneUnder(const QEvent& event) const {
    const QRect second = secondPane();
    if (event.isSinglePointEvent() &&
        static_cast<const QSinglePointEvent&>(event).position().x() >= second.left())
        return second;
    return {QPoint(), paneSize()};
}

void ClipPairView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), stageColor());
    const QRect left(QPoint(), paneSize());
    switch (m_mode) {
        case Mode::SideBySide:
            paintPane(painter, left, m_first, m_firstName);
            paintPane(painter, secondPane(), m_second, m_secondName);
            break;
        case Mode::Wipe:
            paintWipe(painter);
            break;
        case Mode::Difference:
            paintPane(
                painter, left, m_difference,
                m_difference.isNull() ? tr("Videos of two sizes have no difference") : tr("Difference"));
            break;
    }
    paintFocus(painter, *this);
}

void ClipPairView::paintPane(QPainter& painter, const QRect& pane, const QImage& picture,
                             const QString& name) const {
    painter.save();
    painter.setClipRect(pane, Qt::IntersectClip);
    painter.translate(pane.topLeft());
    if (!picture.isNull()) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform, m_zoom.isFitted());
        painter.drawImage(m_zoom.target(picture.size(), pane.size()), picture);
    }
    const QString shown = fontMetrics().elidedText(name, Qt::ElideMiddle, pane.width() - 4 * spacing);
    const QRect plate(spacing, spacing, fontMetrics().horizontalAdvance(shown) + 2 * spacing,
                      fontMetrics().height() + tightSpacing);
    if (!shown.isEmpty()) {
        painter.fillRect(plate, QColor(0, 0, 0, plateAlpha));
        painter.setPen(Qt::white);
        painter.drawText(plate, Qt::AlignCenter, shown);
    }
    painter.restore();
}

void ClipPairView::paintWipe(QPainter& painter) const {
    const double line = m_wipe * width();
    painter.save();
    painter.setClipRect(QRectF(0, 0, line, height()));
    paintPane(painter, rect(), m_first, m_firstName);
    painter.restore();
    painter.save();
    painter.setClipRect(QRectF(line, 0, width() - line, height()));
    paintPane(painter, rect(), m_second, {});
    const QString shown = fontMetrics().elidedText(m_secondName, Qt::ElideMiddle, width() - 4 * spacing);
    const QRect plate(width() - spacing - fontMetrics().horizontalAdvance(shown) - 2 * spacing, spacing,
                      fontMetrics().horizontalAdvance(shown) + 2 * spacing,
                      fontMetrics().height() + tightSpacing);
    painter.fillRect(plate, QColor(0, 0, 0, plateAlpha));
    painter.setPen(Qt::white);
    painter.drawText(plate, Qt::AlignCenter, shown);
    painter.restore();
    painter.setPen(QPen(palette().color(QPalette::Highlight), lineWidth));
    painter.drawLine(QPointF(line, 0), QPointF(line, height()));
}

ClipComparer::ClipComparer(QWidget* parent)
    : QWidget(parent),
      m_first(new QComboBox(this)),
      m_second(new QComboBox(this)),
      m_mode(new QComboBox(this)),
      m_likeness(new QLabel(this)),
      m_view(new ClipPairView(this)),
      m_controls(new PlaybackControls(m_playback, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(tightSpacing);
    layout->addWidget(makeHeader());
    layout->addWidget(m_view, 1);
    layout->addWidget(m_controls);
    m_controls->setLength(0, 1);
    for (QComboBox* box : {m_first, m_second})
        connect(box, &QComboBox::currentIndexChanged, this, &ClipComparer::load);
    connect(m_mode, &QComboBox::currentIndexChanged, this,
            [this] { m_view->setMode(static_cast<ClipPairView::Mode>(m_mode->currentData().toInt())); });
    connect(&m_playback, &Playback::positionChanged, this, &ClipComparer::showFrame);
}

ClipComparer::~ClipComparer() {
    m_stop.request_stop();
}

QWidget* ClipComparer::makeHeader() {
    using Mode = ClipPairView::Mode;
    m_mode->addItem(tr("Side by side"), static_cast<int>(Mode::SideBySide));
    m_mode->addItem(tr("Wipe"), static_cast<int>(Mode::Wipe));
    m_mode->addItem(tr("Difference × %1").arg(differenceGain), static_cast<int>(Mode::Difference));
    nameControl(*m_first, tr("First run"));
    nameControl(*m_second, tr("Second run"));
    nameControl(*m_mode, tr("How the videos are compared"));
    for (QComboBox* box : {m_first, m_second, m_mode})
        box->setToolTip(box->accessibleName());
    for (QComboBox* box : {m_first, m_second})
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_likeness->setTextFormat(Qt::PlainText);
    m_likeness->setWordWrap(true);
    auto* header = new QWidget(this);
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    auto* row = new QHBoxLayout;
    row->addWidget(m_first, 1);
    row->addWidget(m_second, 1);
    row->addWidget(m_mode);
    column->addLayout(row);
    column->addWidget(m_likeness);
    return header;
}

void ClipComparer::setRuns(std::vector<NamedRun> runs) {
    m_runs = std::move(runs);
    for (QComboBox* box : {m_first, m_second}) {
        const QSignalBlocker blocker(box);
        box->clear();
        for (const NamedRun& run : m_runs)
            box->addItem(run.name);
        box->setCurrentIndex(box == m_second ? std::min(1, box->count() - 1) : 0);
    }
    load();
}

void ClipComparer::setMode(ClipPairView::Mode mode) {
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(mode)));
}

QString ClipComparer::likeness() const {
    return m_likeness->text();
}

void ClipComparer::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_isStale)
        load();
}

void ClipComparer::keyPressEvent(QKeyEvent* event) {
    if (!m_controls->takeKey(*event))
        QWidget::keyPressEvent(event);
}

void ClipComparer::load() {
    m_isStale = !isVisible();
    if (m_isStale)
        return;
    m_stop.request_stop();
    m_stop = StopSource();
    m_reading.forget();
    showPair({});
    if (m_runs.empty())
        return;
    const NamedRun& first = m_runs[static_cast<std::size_t>(m_first->currentIndex())];
    const NamedRun& second = m_runs[static_cast<std::size_t>(m_second->currentIndex())];
    m_view->setNames(first.name, second.name);
    m_likeness->setText(tr("Reading the videos …"));
    m_reading.run(
        [a = first.folder, b = second.folder, stop = m_stop.get_token()] { return readClipPair(a, b, stop); },
        [this](ClipPair pair) {
            showPair(std::move(pair));
            m_playback.play();
            emit shown();
        },
        [this](const Problem& problem) {
            m_likeness->setText(sentenceText(problem.message) + QLatin1Char('\n') +
                                sentenceText(problem.hint()));
            emit shown();
        });
}

void ClipComparer::showPair(ClipPair pair) {
    m_pair = std::move(pair);
    const int frames = m_pair.commonFrames();
    m_controls->setLength(frames, frames == 0 ? 1 : m_pair.first.framesPerSecond);
}

void ClipComparer::showFrame(int frame) {
    const auto drawPicture = [frame](const Clip& clip) {
        return frame < clip.frames.size() ? clip.frames.at(frame) : QImage();
    };
    m_view->setPictures(drawPicture(m_pair.first), drawPicture(m_pair.second),
                        drawPicture(m_pair.difference));
    QStringList lines{describeLikeness(frame), m_pair.first.isEmpty() ? QString() : pairingText(m_pair)};
    lines.removeAll(QString());
    m_likeness->setText(lines.join(QLatin1Char('\n')));
}

QString ClipComparer::describeLikeness(int frame) const {
    if (m_pair.first.isEmpty())
        return {};
    if (m_pair.likeness.empty())
        return tr("The videos are of two sizes: there is nothing to measure.");
    const QString here = likenessText(m_pair.likeness[static_cast<std::size_t>(frame)]);
    const QString all = likenessText(overall(m_pair.likeness));
    if (m_pair.isOneLength())
        return tr("This frame: %1 · the whole video: %2").arg(here, all);
    return tr("This frame: %1 · the first %2 frames: %3")
        .arg(here, QString::number(m_pair.commonFrames()), all);
}

}  // namespace meshreel

#include "moc_clip_comparer.cpp"
