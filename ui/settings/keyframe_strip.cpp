// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/keyframe_strip.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/background.h"
#include "ui/values/pictures.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr QSize thumbnailSize{56, 40};
constexpr int stripMargin = thumbnailSize.width() / 2 + 2;  ///< a picture at an end is seen whole
constexpr int laneHeight = thumbnailSize.height() + 6;
constexpr int stemHeight = 8;
constexpr int railHeight = 8;
constexpr int tickGap = 5;  ///< frames that are nearer than this have no tick each
constexpr int latentStep = 4;
constexpr double thumbnailRadius = 3;
constexpr double captionScale = 0.85;

QFont captionFont(const QWidget& widget) {
    QFont font = widget.font();
    font.setPointSizeF(font.pointSizeF() * captionScale);
    return font;
}

}  // namespace

struct KeyframeStrip::Thumbnail {
    QImage picture;
    LatestOnly reading;
};

KeyframeStrip::KeyframeStrip(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Pictures along the clip"));
    describe();
}

KeyframeStrip::~KeyframeStrip() = default;

void KeyframeStrip::setMarks(std::vector<Mark> marks) {
    if (marks == m_marks)
        return;
    m_marks = std::move(marks);
    m_dragged.reset();
    const int most = movable() - 1;
    if (m_chosen > most)
        choose(most);
    layOutLanes();
    readThumbnails();
    describe();
    update();
}

void KeyframeStrip::setClip(std::int64_t frames, double fps) {
    if (frames == m_frames && fps == m_fps)
        return;
    m_frames = std::max<std::int64_t>(1, frames);
    m_fps = fps;
    layOutLanes();
    describe();
    update();
}

void KeyframeStrip::choose(int index) {
    if (index == m_chosen)
        return;
    m_chosen = index;
    describe();
    update();
    emit chosenChanged(index);
}

int KeyframeStrip::movable() const {
    return static_cast<int>(std::ranges::count(m_marks, false, &Mark::isFixed));
}

double KeyframeStrip::placeOf(std::int64_t frame) const {
    const double part =
        m_frames > 1 ? static_cast<double>(std::min(frame, m_frames - 1)) / static_cast<double>(m_frames - 1)
                     : 0;
    return stripMargin + part * (width() - 2 * stripMargin);
}

std::int64_t KeyframeStrip::frameAt(int x) const {
    const int length = std::max(1, width() - 2 * stripMargin);
    const double part = std::clamp(static_cast<double>(x - stripMargin) / length, 0.0, 1.0);
    return std::llround(part * static_cast<double>(m_frames - 1));
}

std::int64_t KeyframeStrip::shownFrame(int index) const {
    return index == m_chosen && m_dragged ? *m_dragged : m_marks[static_cast<std::size_t>(index)].frame;
}

int KeyframeStrip::railTop() const {
    const int lanes = m_lanes.empty() ? 1 : 1 + *std::ranges::max_element(m_lanes);
    return lanes * laneHeight + stemHeight;
}

QRect KeyframeStrip::thumbnailOf(int index) const {
    const int lane = m_lanes[static_cast<std::size_t>(index)];
    const int bottom = railTop() - stemHeight - lane * laneHeight;
    const int left = static_cast<int>(std::lround(placeOf(shownFrame(index)))) - thumbnailSize.width() / 2;
    return {QPoint(left, bottom - thumbnailSize.height()), thumbnailSize};
}

/// Two lanes are enough to see most; a third picture at one place covers another.
void KeyframeStrip::layOutLanes() {
    std::vector<int> order(m_marks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {},
                             [this](int index) { return m_marks[static_cast<std::size_t>(index)].frame; });
    const int before = m_lanes.empty() ? 0 : *std::ranges::max_element(m_lanes);
    m_lanes.assign(m_marks.size(), 0);
    double lowEnd = -1e9;
    for (const int index : order) {
        const auto at = static_cast<std::size_t>(index);
        const double left = placeOf(m_marks[at].frame) - thumbnailSize.width() / 2.0;
        m_lanes[at] = left < lowEnd + 2 ? 1 : 0;
        if (m_lanes[at] == 0)
            lowEnd = left + thumbnailSize.width();
    }
    const int now = m_lanes.empty() ? 0 : *std::ranges::max_element(m_lanes);
    if (now != before)
        updateGeometry();
}

QSize KeyframeStrip::sizeHint() const {
    const int captions = QFontMetrics(captionFont(*this)).height() + 2;
    return {6 * thumbnailSize.width(), railTop() + railHeight + captions};
}

QSize KeyframeStrip::minimumSizeHint() const {
    return {3 * thumbnailSize.width(), sizeHint().height()};
}

QString KeyframeStrip::timeText(std::int64_t frame) const {
    if (m_fps <= 0)
        return tr("frame %1").arg(frame);
    constexpr int digits = 2;
    return tr("frame %1, %2 s")
        .arg(QLocale().toString(static_cast<qlonglong>(frame)),
             QLocale().toString(static_cast<double>(frame) / m_fps, 'f', digits));
}

void KeyframeStrip::describe() {
    QStringList words;
    for (std::size_t index = 0; index < m_marks.size(); ++index) {
        const QString picture = tr("%1 at %2")
                                    .arg(QFileInfo(m_marks[index].file).fileName(),
                                         timeText(shownFrame(static_cast<int>(index))));
        words += static_cast<int>(index) == m_chosen ? tr("%1 (chosen)").arg(picture) : picture;
    }
    setAccessibleDescription(words.isEmpty() ? tr("No pictures yet. Drop some here.")
                                             : words.join(QStringLiteral("; ")));
}

void KeyframeStrip::readThumbnails() {
    for (const Mark& mark : m_marks) {
        const std::string path = expandTilde(mark.file.toStdString()).string();
        if (m_thumbnails.contains(mark.file) || !path.starts_with('/'))
            continue;
        auto& thumbnail = m_thumbnails[mark.file] = std::make_unique<Thumbnail>();
        const QSize size = thumbnailSize * devicePixelRatio();
        thumbnail->reading.run(
            [path, size] {
                return readPicture(path).scaled(size, Qt::KeepAspectRatioByExpanding,
                                                Qt::SmoothTransformation);
            },
            [this, shown = thumbnail.get()](const QImage& picture) {
                shown->picture = picture;
                update();
            },
            [](const Problem&) {});  // Problems says what is wrong
    }
}

void KeyframeStrip::paintRail(QPainter& painter) const {
    const QPalette colours = palette();
    const int top = railTop();
    const QRectF rail(stripMargin - railHeight / 2.0, top, width() - 2 * stripMargin + railHeight,
                      railHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(mixedColor(colours.color(QPalette::Window), colours.color(QPalette::WindowText), 0.16));
    painter.drawRoundedRect(rail, railHeight / 2.0, railHeight / 2.0);

    // A tick for each frame, or for each latent frame of a longer clip, if they are not too close.
    const double each = m_frames > 1 ? (width() - 2.0 * stripMargin) / static_cast<double>(m_frames - 1) : 0;
    const int step = each >= tickGap ? 1 : latentStep;
    if (each * step >= tickGap) {
        painter.setPen(QPen(colours.color(QPalette::Window), 1));
        for (std::int64_t frame = step; frame < m_frames - 1; frame += step) {
            const QPointF at(std::round(placeOf(frame)) + 0.5, top + 2);
            painter.drawLine(at, at + QPointF(0, railHeight - 4));
        }
    }
}

void KeyframeStrip::paintMark(QPainter& painter, int index) const {
    const Mark& mark = m_marks[static_cast<std::size_t>(index)];
    const QPalette colours = palette();
    const bool isChosen = index == m_chosen;
    const QRect place = thumbnailOf(index);
    const QColor ink = isChosen ? colours.color(QPalette::Highlight) : mutedColor(colours);
    const QPointF foot(placeOf(shownFrame(index)), railTop() + railHeight / 2.0);
    painter.setPen(QPen(ink, isChosen ? 2 : 1));
    painter.drawLine(QPointF(foot.x(), place.bottom() + 1), foot);
    painter.setBrush(ink);
    painter.setPen(Qt::NoPen);
    constexpr double dot = 3;
    painter.drawEllipse(foot, dot, dot);

    QPainterPath frame;
    frame.addRoundedRect(place, thumbnailRadius, thumbnailRadius);
    painter.save();
    painter.setClipPath(frame, Qt::IntersectClip);
    painter.fillRect(place, stageColor());
    const auto found = m_thumbnails.find(mark.file);
    if (found != m_thumbnails.end() && !found->second->picture.isNull()) {
        const QImage& picture = found->second->picture;
        const QSizeF shown = QSizeF(picture.size()).scaled(place.size(), Qt::KeepAspectRatioByExpanding);
        const QRectF target(QRectF(place).center() - QPointF(shown.width() / 2, shown.height() / 2), shown);
        painter.drawImage(target, picture);
    } else {
        const QPixmap sign = tintedPixmap(QStringLiteral("task-image"), QSize(18, 18), Qt::lightGray);
        painter.drawPixmap(QRect(place.center() - QPoint(9, 9), QSize(18, 18)), sign);
    }
    painter.restore();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(ink, isChosen ? 2 : 1, mark.isFixed ? Qt::DotLine : Qt::SolidLine));
    painter.drawPath(frame);
}

void KeyframeStrip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    paintRail(painter);
    if (m_aimed) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        const double x = placeOf(*m_aimed);
        painter.drawLine(QPointF(x, 0), QPointF(x, railTop() + railHeight));
    }
    for (int index = static_cast<int>(m_marks.size()) - 1; index >= 0; --index)
        if (index != m_chosen)
            paintMark(painter, index);
    if (m_chosen >= 0)
        paintMark(painter, m_chosen);

    // The frame of the one that is chosen, and the ends where it leaves room for them.
    painter.setFont(captionFont(*this));
    const QFontMetrics metrics(painter.font());
    const int baseline = railTop() + railHeight + metrics.ascent() + 2;
    const auto middleOf = [&](std::int64_t frame, const QString& text) {
        const double half = metrics.horizontalAdvance(text) / 2.0;
        return std::clamp(placeOf(frame), half, width() - half);
    };
    double from = 1e9;
    double to = -1e9;
    const auto write = [&](std::int64_t frame, const QString& text) {
        const double half = metrics.horizontalAdvance(text) / 2.0;
        const double middle = middleOf(frame, text);
        if (middle + half + spacing > from && middle - half - spacing < to)
            return;
        painter.drawText(QPointF(middle - half, baseline), text);
        if (from > to) {
            from = middle - half;
            to = middle + half;
        }
    };
    const std::optional<std::int64_t> told = m_aimed         ? m_aimed
                                             : m_chosen >= 0 ? std::optional(shownFrame(m_chosen))
                                                             : std::nullopt;
    if (told) {
        painter.setPen(palette().color(QPalette::WindowText));
        write(*told, timeText(*told));
    }
    painter.setPen(mutedColor(palette()));
    for (const std::int64_t end : {std::int64_t{0}, m_frames - 1})
        write(end, QLocale().toString(static_cast<qlonglong>(end)));
    paintFocus(painter, *this);
}

int KeyframeStrip::indexAt(const QPoint& place) const {
    if (m_chosen >= 0 && thumbnailOf(m_chosen).contains(place))
        return m_chosen;
    for (int index = 0; index < static_cast<int>(m_marks.size()); ++index)
        if (thumbnailOf(index).contains(place))
            return index;
    return -1;
}

bool KeyframeStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int index = indexAt(help->pos());
        QToolTip::showText(
            help->globalPos(),
            index < 0 ? tr("Drop pictures here, and drag them to their frames")
                      : asPlainText(QStringLiteral("%1\n%2").arg(
                            m_marks[static_cast<std::size_t>(index)].file, timeText(shownFrame(index)))),
            this);
        return true;
    }
    if (event->type() == QEvent::Resize)
        layOutLanes();
    if (event->type() == QEvent::FontChange)
        updateGeometry();
    return QWidget::event(event);
}

void KeyframeStrip::mousePressEvent(QMouseEvent* event) {
    const int index = indexAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || index >= movable())
        return;
    choose(index);
    if (index < 0)
        return;
    m_grip = event->position().toPoint().x() - thumbnailOf(index).center().x();
    m_dragged = m_marks[static_cast<std::size_t>(index)].frame;
    setCursor(Qt::ClosedHandCursor);
}

void KeyframeStrip::mouseMoveEvent(QMouseEvent* event) {
    if (!m_dragged) {
        const int index = indexAt(event->position().toPoint());
        setCursor(index >= 0 && index < movable() ? Qt::OpenHandCursor : Qt::ArrowCursor);
        return;
    }
    m_dragged = frameAt(event->position().toPoint().x() - m_grip);
    update();
}

void KeyframeStrip::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_dragged)
        return;
    const std::int64_t frame = *std::exchange(m_dragged, std::nullopt);
    unsetCursor();
    update();
    if (frame != m_marks[static_cast<std::size_t>(m_chosen)].frame)
        emit moved(m_chosen, frame, false);
}

void KeyframeStrip::keyPressEvent(QKeyEvent* event) {
    const auto step = [&]() -> std::int64_t {
        switch (event->key()) {
            case Qt::Key_Left:
                return -1;
            case Qt::Key_Right:
                return 1;
            case Qt::Key_PageDown:
                return -latentStep;
            case Qt::Key_PageUp:
                return latentStep;
            default:
                return 0;
        }
    }();
    const bool isUp = event->key() == Qt::Key_Up;
    if (event->key() == Qt::Key_Escape && m_dragged) {
        m_dragged.reset();
        unsetCursor();
        update();
    } else if ((isUp || event->key() == Qt::Key_Down) && movable() > 0) {
        const int next = m_chosen < 0 ? 0 : m_chosen + (isUp ? -1 : 1);
        choose(std::clamp(next, 0, movable() - 1));
    } else if (step != 0 && m_chosen >= 0) {
        const std::int64_t frame = m_marks[static_cast<std::size_t>(m_chosen)].frame;
        const std::int64_t to = std::clamp<std::int64_t>(frame + step, 0, m_frames - 1);
        if (to != frame)
            emit moved(m_chosen, to, true);
    } else if ((event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace) && m_chosen >= 0) {
        emit removed(m_chosen);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void KeyframeStrip::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedPaths(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void KeyframeStrip::dragMoveEvent(QDragMoveEvent* event) {
    m_aimed = frameAt(event->position().toPoint().x());
    update();
    event->acceptProposedAction();
}

void KeyframeStrip::dragLeaveEvent(QDragLeaveEvent* /*event*/) {
    m_aimed.reset();
    update();
}

void KeyframeStrip::dropEvent(QDropEvent* event) {
    m_aimed.reset();
    update();
    event->acceptProposedAction();
    emit dropped(draggedPaths(event->mimeData()), frameAt(event->position().toPoint().x()));
}

}  // namespace meshreel

#include "moc_keyframe_strip.cpp"
