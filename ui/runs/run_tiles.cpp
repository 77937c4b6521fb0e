// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_tiles.h"

#include <QApplication>
#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyle>
#include <QTextLayout>
#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/problem.h"
#include "engine/runs/run_folder.h"
#include "ui/runs/run_history_model.h"
#include "ui/theme/look.h"
#include "ui/values/opened_run.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr int leastTileWidth = 196;
constexpr int pictureAcross = 16;  ///< of a wide video, as most are
constexpr int pictureDown = 9;
constexpr int promptLines = 2;
constexpr int starSize = 18;
constexpr int starMargin = 6;
constexpr int cornerRadius = 5;
constexpr int hoverMilliseconds = 180;
constexpr int mostHoverFrames = 161;  ///< ten seconds at the usual rate
constexpr QColor starColour(0xff, 0xc1, 0x45);
constexpr int mostLetters = 320;       ///< more than two lines hold; a prompt may be as long as a page
constexpr double pointedShare = 0.08;  ///< of the text's colour, where the pointer is
constexpr double dimShare = 0.7;
constexpr double veil = 0.55;  ///< how dark the ground of a star is on a picture

/// Where the parts of a tile are, in a cell of the view.
struct TileParts {
    QRect tile;
    QRect picture;
    QRect words;
    QRect facts;
};

TileParts partsOf(const QRect& cell, int line) {
    TileParts parts;
    parts.tile = cell.adjusted(tightSpacing, tightSpacing, -tightSpacing, -tightSpacing);
    const QRect inner = parts.tile.adjusted(tightSpacing, tightSpacing, -tightSpacing, -tightSpacing);
    parts.picture = QRect(inner.topLeft(), QSize(inner.width(), inner.width() * pictureDown / pictureAcross));
    parts.words =
        QRect(inner.left(), parts.picture.bottom() + 1 + tightSpacing, inner.width(), promptLines * line);
    parts.facts = QRect(inner.left(), parts.words.bottom() + 1, inner.width(), line);
    return parts;
}

/// Breaks a text into at most two lines; what has no room ends in an ellipsis.
void drawWords(QPainter& painter, const QRect& place, const QString& text, const QFont& font,
               Qt::LayoutDirection direction) {
    const QFontMetrics letters(font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    QTextLayout layout(text, font);
    layout.setTextOption(option);
    layout.beginLayout();
    int y = place.top();
    for (int number = 1; number <= promptLines; ++number) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(place.width());
        const bool isLast = number == promptLines;
        const QString shown =
            isLast ? letters.elidedText(text.mid(line.textStart()), Qt::ElideRight, place.width())
                   : text.mid(line.textStart(), line.textLength()).trimmed();
        painter.drawText(
            QRect(place.left(), y, place.width(), letters.lineSpacing()),
            static_cast<int>(QStyle::visualAlignment(direction, Qt::AlignLeft | Qt::AlignVCenter) |
                             Qt::AlignAbsolute) |
                Qt::TextSingleLine,
            shown);
        y += letters.lineSpacing();
    }
    layout.endLayout();
}

/// The whole picture, on the ground on which pictures are judged.
void drawWhole(QPainter& painter, const QRect& frame, QSize size, const auto& draw) {
    painter.fillRect(frame, stageColor());
    QRect target(QPoint(), size.scaled(frame.size(), Qt::KeepAspectRatio));
    target.moveCenter(frame.center());
    draw(target);
}

QColor troubleColour(RunStatus status, const QPalette& palette) {
    return status == RunStatus::Failed || status == RunStatus::Crashed ? errorColor(palette)
                                                                       : warningColor(palette);
}

}  // namespace

TileDelegate::TileDelegate(RunTiles& tiles)
    : QStyledItemDelegate(&tiles),
      m_tiles(tiles),
      m_star(tintedPixmap(QStringLiteral("star-full"), {starSize, starSize}, starColour)),
      m_noStar(tintedPixmap(QStringLiteral("star"), {starSize, starSize}, Qt::white)) {}

QRect TileDelegate::starIn(const QRect& tile, Qt::LayoutDirection direction) {
    const QRect picture = partsOf(tile, 0).picture;
    const int size = starSize + 2 * starMargin;
    return QStyle::visualRect(direction, picture, {picture.right() + 1 - size, picture.top(), size, size});
}

QSize TileDelegate::sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& /*index*/) const {
    return m_tiles.cell();
}

void TileDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const TileParts parts = partsOf(option.rect, option.fontMetrics.lineSpacing());
    const QPalette& palette = option.palette;
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool pointedAt = option.state.testFlag(QStyle::State_MouseOver);
    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    if (selected || pointedAt) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(selected ? palette.color(QPalette::Highlight)
                                   : mixedColor(palette.color(QPalette::Base), palette.color(QPalette::Text),
                                                pointedShare));
        painter->drawRoundedRect(parts.tile, cornerRadius, cornerRadius);
    }

    const auto status = static_cast<RunStatus>(index.data(RunHistoryModel::StatusRole).toInt());
    const bool isDone = status == RunStatus::Done;
    const QImage frame = m_tiles.frameAt(index);
    const auto poster = index.data(Qt::DecorationRole).value<QPixmap>();
    if (!frame.isNull())
        drawWhole(*painter, parts.picture, frame.size(),
                  [&](const QRect& target) { painter->drawImage(target, frame); });
    else if (!poster.isNull())
        drawWhole(*painter, parts.picture, poster.size(),
                  [&](const QRect& target) { painter->drawPixmap(target, poster); });
    else {
        painter->fillRect(parts.picture, stageColor());
        painter->setPen(mixedColor(stageColor(), Qt::white, dimShare));
        if (!isDone)  // else its picture is being read
            painter->drawText(parts.picture.adjusted(spacing, spacing, -spacing, -spacing),
                              static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap,
                              index.data(RunHistoryModel::StatusTextRole).toString());
    }
    const bool starred = index.data(RunHistoryModel::StarRole).toBool();
    if (starred || pointedAt) {
        const QRect place = starIn(option.rect, option.direction);
        QColor ground = stageColor();
        ground.setAlphaF(static_cast<float>(veil));
        painter->setPen(Qt::NoPen);
        painter->setBrush(ground);
        painter->drawEllipse(place.adjusted(2, 2, -2, -2));
        painter->drawPixmap(place.topLeft() + QPoint(starMargin, starMargin), starred ? m_star : m_noStar);
    }

    const QColor ink = palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
    painter->setFont(option.font);
    painter->setPen(ink);
    drawWords(*painter, parts.words, index.data(Qt::DisplayRole).toString().left(mostLetters), option.font,
              option.direction);
    painter->setPen(selected                       ? ink
                    : isDone                       ? mutedColor(palette)
                    : status == RunStatus::Running ? palette.color(QPalette::Link)
                                                   : troubleColour(status, palette));
    painter->drawText(
        parts.facts,
        static_cast<int>(QStyle::visualAlignment(option.direction, Qt::AlignLeft | Qt::AlignVCenter) |
                         Qt::AlignAbsolute) |
            Qt::TextSingleLine,
        option.fontMetrics.elidedText(index.data(RunHistoryModel::FactsRole).toString(), Qt::ElideRight,
                                      parts.facts.width()));
    painter->restore();
    const bool isCurrent = option.state.testFlag(QStyle::State_HasFocus);
    if (isCurrent && m_tiles.window()->testAttribute(Qt::WA_KeyboardFocusChange))
        outlineFocus(*painter, parts.tile.adjusted(-2, -2, 2, 2), palette);
}

RunTiles::RunTiles(QWidget* parent) : QListView(parent) {
    setObjectName(QStringLiteral("runTiles"));
    setAccessibleName(tr("Runs as tiles"));
    setItemDelegate(new TileDelegate(*this));
    setFlow(QListView::LeftToRight);
    setWrapping(true);
    setResizeMode(QListView::Adjust);
    setUniformItemSizes(true);
    setFrameShape(QFrame::NoFrame);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // or its coming would change the columns
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setDragEnabled(true);
    setDragDropMode(QAbstractItemView::DragOnly);
    setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_Hover);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    new CellTips(*this);
    m_patience.setSingleShot(true);
    m_patience.setInterval(hoverMilliseconds);
    connect(&m_patience, &QTimer::timeout, this, &RunTiles::play);
    connect(&m_playback, &Playback::positionChanged, this, [this] {
        if (m_hovered.isValid())
            update(m_hovered);
    });
    fit();
}

void RunTiles::fit() {
    // A pixel less than there is: QListView breaks a line that just fits.
    const int width = std::max(viewport()->width() - 1, leastTileWidth);
    const int columns = std::max(width / leastTileWidth, 1);
    const int tile = width / columns;
    const TileParts parts = partsOf({0, 0, tile, 0}, fontMetrics().lineSpacing());
    const QSize cell(tile, parts.facts.bottom() + 1 + 2 * tightSpacing);
    if (cell == m_cell)
        return;
    m_cell = cell;
    verticalScrollBar()->setSingleStep(std::max(cell.height() / 3, 1));
    scheduleDelayedItemsLayout();
}

void RunTiles::resizeEvent(QResizeEvent* event) {
    fit();
    QListView::resizeEvent(event);
}

void RunTiles::changeEvent(QEvent* event) {
    QListView::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fit();
}

QItemSelectionModel::SelectionFlags RunTiles::selectionCommand(const QModelIndex& index,
                                                               const QEvent* event) const {
    // The table beside it selects whole rows, and has the same selection.
    const QItemSelectionModel::SelectionFlags command = QListView::selectionCommand(index, event);
    return command == QItemSelectionModel::NoUpdate ? command : command | QItemSelectionModel::Rows;
}

bool RunTiles::isOnStar(const QPoint& place) const {
    const QModelIndex index = indexAt(place);
    return index.isValid() && TileDelegate::starIn(visualRect(index), layoutDirection()).contains(place);
}

void RunTiles::mousePressEvent(QMouseEvent* event) {
    m_pressedStar = event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier &&
                    isOnStar(event->position().toPoint());
    if (m_pressedStar)
        event->accept();  // what is selected stays
    else
        QListView::mousePressEvent(event);
}

void RunTiles::mouseReleaseEvent(QMouseEvent* event) {
    if (!std::exchange(m_pressedStar, false))
        return QListView::mouseReleaseEvent(event);
    const QPoint place = event->position().toPoint();
    if (isOnStar(place))
        emit starRequested(indexAt(place));
}

void RunTiles::mouseDoubleClickEvent(QMouseEvent* event) {
    if (isOnStar(event->position().toPoint()))
        mousePressEvent(event);
    else
        QListView::mouseDoubleClickEvent(event);
}

void RunTiles::mouseMoveEvent(QMouseEvent* event) {
    if (!m_pressedStar)
        QListView::mouseMoveEvent(event);
    hover(event->buttons() == Qt::NoButton ? indexAt(event->position().toPoint()) : QModelIndex());
}

bool RunTiles::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave)
        hover({});
    return QListView::viewportEvent(event);
}

void RunTiles::hideEvent(QHideEvent* event) {
    hover({});
    QListView::hideEvent(event);
}

void RunTiles::scrollContentsBy(int dx, int dy) {
    hover({});  // another tile is under the pointer now
    QListView::scrollContentsBy(dx, dy);
}

QImage RunTiles::frameAt(const QModelIndex& index) const {
    const bool plays = !m_clip.isEmpty() && m_hovered == index;
    return plays ? m_clip.frames.at(m_playback.position()) : QImage();
}

void RunTiles::hover(const QModelIndex& index) {
    if (m_hovered == index)
        return;
    stop();
    m_hovered = index;
    if (index.isValid())
        m_patience.start();
}

void RunTiles::play() {
    if (!m_hovered.isValid())
        return;
    const std::string folder = m_hovered.data(RunHistoryModel::FolderRole).toString().toStdString();
    const QSize size = partsOf({QPoint(), m_cell}, 0).picture.size() * devicePixelRatio();
    m_reading.run([folder, size] { return readSmallClip(folder, size, mostHoverFrames); },
                  [this](const Clip& clip) {
                      m_clip = clip;
                      m_playback.setLength(static_cast<int>(clip.frames.size()), clip.framesPerSecond);
                      m_playback.play();
                  },
                  [](const Problem& /*problem*/) {});  // the tile keeps its picture; opening the run tells
}

void RunTiles::stop() {
    m_patience.stop();
    m_reading.forget();
    const QModelIndex played = m_hovered;
    m_hovered = QPersistentModelIndex();
    if (m_clip.isEmpty())
        return;
    m_clip = {};
    m_playback.setLength(0, 0);
    if (played.isValid())
        update(played);
}

}  // namespace meshreel

#include "moc_run_tiles.cpp"
