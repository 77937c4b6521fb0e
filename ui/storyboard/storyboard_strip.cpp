// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/storyboard_strip.h"

#include <QDrag>
#include <QDragMoveEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/film/film_plan.h"
#include "ui/storyboard/storyboard_model.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr QSize shotPicture{160, 90};
constexpr int shotGap = 14;  ///< between tiles; holds the mark of a shot that goes on from the one before
constexpr int shotMargin = 6;
constexpr int shotRadius = 5;
constexpr int stateIconSide = 14;
constexpr int gapWidth = 3;
constexpr int makingHeight = 4;
constexpr double formerOpacity = 0.45;  ///< of the picture of a shot as it was
constexpr double pointedAtShare = 0.06;
constexpr int mostPromptLines = 4;

/// Where the parts of a shot's tile are painted.
struct ShotParts {
    QRect tile;
    QRect picture;
    QRect title;
    QRect state;
};

int shotTileHeight(int lineSpacing) {
    return shotMargin + shotPicture.height() + tightSpacing + 2 * lineSpacing + shotMargin;
}

ShotParts shotPartsIn(const QRect& cell, int lineSpacing) {
    ShotParts parts;
    parts.tile = QRect(cell.left() + shotGap, cell.top(), shotPicture.width() + 2 * shotMargin,
                       shotTileHeight(lineSpacing));
    parts.picture = QRect(parts.tile.topLeft() + QPoint(shotMargin, shotMargin), shotPicture);
    parts.title = QRect(parts.picture.left(), parts.picture.bottom() + 1 + tightSpacing, shotPicture.width(),
                        lineSpacing);
    parts.state = parts.title.translated(0, lineSpacing);
    return parts;
}

/// The middle of a picture that fills the place.
void drawFilling(QPainter& painter, const QRect& place, const QPixmap& picture) {
    const QSize part = place.size().scaled(picture.size(), Qt::KeepAspectRatio);
    const QRect source(QPoint((picture.width() - part.width()) / 2, (picture.height() - part.height()) / 2),
                       part);
    painter.drawPixmap(place, picture, source);
}

/// As many lines as fit, the last one cut.
void drawPrompt(QPainter& painter, const QRect& place, const QString& prompt, const QFont& font) {
    const QFontMetrics metrics(font);
    QTextLayout layout(prompt, font);
    layout.beginLayout();
    int top = place.top();
    for (int number = 0; number < mostPromptLines; ++number) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(place.width());
        const bool isLast = number + 1 == mostPromptLines || top + 2 * metrics.lineSpacing() > place.bottom();
        const QString rest = prompt.mid(line.textStart());
        const QString text = isLast ? metrics.elidedText(rest, Qt::ElideRight, place.width())
                                    : rest.left(line.textLength()).trimmed();
        painter.drawText(QRect(place.left(), top, place.width(), metrics.lineSpacing()),
                         static_cast<int>(Qt::AlignHCenter | Qt::AlignVCenter) | Qt::TextSingleLine, text);
        top += metrics.lineSpacing();
        if (isLast)
            break;
    }
    layout.endLayout();
}

class ShotDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& /*index*/) const override {
        return {shotGap + shotPicture.width() + 2 * shotMargin,
                shotTileHeight(option.fontMetrics.lineSpacing())};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const ShotParts parts = shotPartsIn(option.rect, option.fontMetrics.lineSpacing());
        const bool isChosen = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
        paintGround(*painter, option, parts, isChosen);
        paintPicture(*painter, option, parts, index);
        paintWords(*painter, option, parts, index, isChosen);
        if (index.data(StoryboardModel::ContinuesRole).toBool())
            paintLink(*painter, option.palette, parts);
        painter->restore();
        const bool showsFocus = option.state.testFlag(QStyle::State_HasFocus) && option.widget != nullptr &&
                                option.widget->window()->testAttribute(Qt::WA_KeyboardFocusChange);
        if (showsFocus)
            outlineFocus(*painter, parts.tile, option.palette);
    }

  private:
    static void paintGround(QPainter& painter, const QStyleOptionViewItem& option, const ShotParts& parts,
                            bool isChosen) {
        if (!isChosen && !option.state.testFlag(QStyle::State_MouseOver))
            return;
        painter.setPen(Qt::NoPen);
        painter.setBrush(isChosen ? option.palette.color(QPalette::Highlight)
                                  : mixedColor(option.palette.color(QPalette::Base),
                                               option.palette.color(QPalette::Text), pointedAtShare));
        painter.drawRoundedRect(parts.tile, shotRadius, shotRadius);
    }

    static void paintPicture(QPainter& painter, const QStyleOptionViewItem& option, const ShotParts& parts,
                             const QModelIndex& index) {
        painter.fillRect(parts.picture, stageColor());
        const auto picture = index.data(StoryboardModel::PictureRole).value<QPixmap>();
        const bool isFormer = index.data(StoryboardModel::FormerRole).toBool();
        if (!picture.isNull()) {
            painter.setOpacity(isFormer ? formerOpacity : 1);
            drawFilling(painter, parts.picture, picture);
            painter.setOpacity(1);
        } else {
            painter.setPen(mixedColor(stageColor(), Qt::white, 0.75));
            painter.setFont(option.font);
            drawPrompt(painter, parts.picture.adjusted(spacing, tightSpacing, -spacing, -tightSpacing),
                       index.data(StoryboardModel::PromptRole).toString(), option.font);
        }
        const double part = index.data(StoryboardModel::PartRole).toDouble();
        if (part >= 0) {
            const QRect bar(parts.picture.left(), parts.picture.bottom() + 1 - makingHeight,
                            parts.picture.width(), makingHeight);
            painter.fillRect(bar, mixedColor(stageColor(), Qt::white, 0.3));
            painter.fillRect(
                QRect(bar.topLeft(), QSize(static_cast<int>(std::lround(part * bar.width())), bar.height())),
                option.palette.color(QPalette::Highlight));
        }
        if (index.data(StoryboardModel::PlayingRole).toBool()) {
            const QSize side(stateIconSide, stateIconSide);
            const QRect place(parts.picture.topRight() - QPoint(side.width() + tightSpacing, -tightSpacing),
                              side);
            painter.setPen(Qt::NoPen);
            painter.setBrush(stageColor());
            painter.drawEllipse(QRectF(place).adjusted(-3, -3, 3, 3));
            painter.drawPixmap(place, tintedPixmap(QStringLiteral("play"), side, Qt::white));
        }
    }

    /// The colour of a state, on the ground of a tile that is not chosen.
    static QColor colourOf(const QModelIndex& index, const QPalette& palette) {
        if (index.data(StoryboardModel::ProblemRole).toBool())
            return errorColor(palette);
        const int state = index.data(StoryboardModel::StateRole).toInt();
        const bool isUnfinished =
            state == static_cast<int>(ShotState::Changed) || state == static_cast<int>(ShotState::Begun);
        return isUnfinished ? warningColor(palette) : mutedColor(palette);
    }

    static QString iconOf(const QModelIndex& index) {
        if (index.data(StoryboardModel::ProblemRole).toBool())
            return QStringLiteral("error");
        switch (index.data(StoryboardModel::StateRole).toInt()) {
            case static_cast<int>(ShotState::Made):
                return QStringLiteral("check");
            case static_cast<int>(ShotState::Changed):
                return QStringLiteral("refresh");
            case static_cast<int>(ShotState::Begun):
                return QStringLiteral("pause");
            default:
                return {};
        }
    }

    static void paintWords(QPainter& painter, const QStyleOptionViewItem& option, const ShotParts& parts,
                           const QModelIndex& index, bool isChosen) {
        const QPalette& palette = option.palette;
        const QColor ink = palette.color(isChosen ? QPalette::HighlightedText : QPalette::Text);
        const QString length = index.data(StoryboardModel::LengthRole).toString();
        const int lengthWidth = option.fontMetrics.horizontalAdvance(length);
        painter.setFont(option.font);
        painter.setPen(isChosen ? ink : mutedColor(palette));
        constexpr int oneLine = static_cast<int>(Qt::AlignVCenter) | Qt::TextSingleLine;
        painter.drawText(parts.title, oneLine | static_cast<int>(Qt::AlignRight), length);
        const QString title = QStringLiteral("%1  %2").arg(index.data(StoryboardModel::NumberRole).toString(),
                                                           index.data(Qt::DisplayRole).toString());
        painter.setPen(ink);
        painter.drawText(parts.title, oneLine | static_cast<int>(Qt::AlignLeft),
                         option.fontMetrics.elidedText(title, Qt::ElideRight,
                                                       parts.title.width() - lengthWidth - spacing));
        const bool isMaking = index.data(StoryboardModel::PartRole).toDouble() >= 0;
        const QColor colour = isChosen || isMaking ? ink : colourOf(index, palette);
        QRect words = parts.state;
        if (const QString icon = isMaking ? QString() : iconOf(index); !icon.isEmpty()) {
            const QSize side(stateIconSide, stateIconSide);
            const QRect place(QPoint(words.left(), words.center().y() - side.height() / 2), side);
            painter.drawPixmap(place, tintedPixmap(icon, side, colour));
            words.setLeft(place.right() + 1 + tightSpacing);
        }
        painter.setPen(colour);
        painter.drawText(words, oneLine | static_cast<int>(Qt::AlignLeft),
                         option.fontMetrics.elidedText(index.data(StoryboardModel::StateTextRole).toString(),
                                                       Qt::ElideRight, words.width()));
    }

    /// An arrow out of the shot before: this one goes on from another one.
    static void paintLink(QPainter& painter, const QPalette& palette, const ShotParts& parts) {
        const double y = parts.picture.center().y();
        const QPointF tip(parts.tile.left() - 2, y);
        const double begin = parts.tile.left() - shotGap + 2;
        constexpr double head = 4;
        painter.setPen(QPen(palette.color(QPalette::Highlight), 2, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(begin, y), tip);
        painter.drawLine(tip, tip + QPointF(-head, -head));
        painter.drawLine(tip, tip + QPointF(-head, head));
    }
};

}  // namespace

StoryboardStrip::StoryboardStrip(StoryboardModel& model, QWidget* parent)
    : QListView(parent), m_shots(model) {
    setObjectName(QStringLiteral("storyboardStrip"));
    setAccessibleName(tr("Shots of the film"));
    setLayoutDirection(Qt::LeftToRight);  // time runs to the right
    setModel(&model);
    setItemDelegate(new ShotDelegate(this));
    setFlow(QListView::LeftToRight);
    setWrapping(false);
    setUniformItemSizes(true);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setDragEnabled(true);
    setAcceptDrops(true);
    setDragDropMode(QAbstractItemView::InternalMove);
    setDropIndicatorShown(false);  // painted here, between tiles
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

int StoryboardStrip::count() const {
    return model()->rowCount();
}

void StoryboardStrip::choose(int shot) {
    const QModelIndex index = model()->index(shot, 0);
    setCurrentIndex(index);
    if (index.isValid())
        scrollTo(index);
}

int StoryboardStrip::chosen() const {
    return currentIndex().isValid() ? currentIndex().row() : -1;
}

int StoryboardStrip::gapAt(const QPoint& place) const {
    int gap = 0;
    while (gap < count() && visualRect(model()->index(gap, 0)).center().x() < place.x())
        ++gap;
    return gap;
}

QSize StoryboardStrip::sizeHint() const {
    return {4 * shotPicture.width(), shotTileHeight(fontMetrics().lineSpacing()) +
                                         horizontalScrollBar()->sizeHint().height() + tightSpacing};
}

QSize StoryboardStrip::minimumSizeHint() const {
    return {shotPicture.width() + 2 * (shotGap + shotMargin), sizeHint().height()};
}

void StoryboardStrip::keyPressEvent(QKeyEvent* event) {
    const int shot = chosen();
    const bool isPlain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    const bool isAlt = (event->modifiers() & ~Qt::KeypadModifier) == Qt::AltModifier;
    const bool isArrow = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (isAlt && isArrow && shot >= 0) {
        const int to = shot + (event->key() == Qt::Key_Right ? 1 : -1);
        if (to >= 0 && to < count())
            emit moveRequested(shot, to);
    } else if (isPlain && event->key() == Qt::Key_Delete && shot >= 0) {
        emit removeRequested(shot);
    } else if (isPlain && event->key() == Qt::Key_Space) {
        emit playRequested();
    } else if (isPlain && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && shot >= 0) {
        emit editRequested();
    } else if (event->modifiers() == Qt::ControlModifier && event->key() == Qt::Key_D && shot >= 0) {
        emit duplicateRequested(shot);
    } else {
        return QListView::keyPressEvent(event);
    }
    event->accept();
}

void StoryboardStrip::mouseDoubleClickEvent(QMouseEvent* event) {
    QListView::mouseDoubleClickEvent(event);
    if (indexAt(event->position().toPoint()).isValid())
        emit editRequested();
}

void StoryboardStrip::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QListView::currentChanged(current, previous);
    emit chosenChanged(current.isValid() ? current.row() : -1);
}

void StoryboardStrip::showGap(std::optional<int> gap) {
    if (gap == m_gap)
        return;
    m_gap = gap;
    viewport()->update();
}

void StoryboardStrip::paintEvent(QPaintEvent* event) {
    QListView::paintEvent(event);
    if (!m_gap || count() == 0)
        return;
    const bool isEnd = *m_gap == count();
    const QRect cell = visualRect(model()->index(isEnd ? count() - 1 : *m_gap, 0));
    const int middle = (isEnd ? cell.right() + 1 : cell.left()) + (isEnd ? gapWidth : shotGap / 2);
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Highlight));
    painter.drawRoundedRect(QRectF(middle - gapWidth / 2.0, cell.top() + tightSpacing, gapWidth,
                                   cell.height() - 2 * tightSpacing),
                            gapWidth / 2.0, gapWidth / 2.0);
}

void StoryboardStrip::startDrag(Qt::DropActions /*actions*/) {
    const QModelIndex index = currentIndex();
    if (!index.isValid())
        return;
    auto* drag = new QDrag(this);
    drag->setMimeData(model()->mimeData({index}));
    if (const auto picture = index.data(StoryboardModel::PictureRole).value<QPixmap>(); !picture.isNull())
        drag->setPixmap(picture.scaled(shotPicture, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    drag->exec(Qt::MoveAction);
    showGap({});
}

void StoryboardStrip::dragEnterEvent(QDragEnterEvent* event) {
    if (m_shots.draggedRow(event->mimeData()))
        event->acceptProposedAction();
    else
        event->ignore();  // files are the window's
}

void StoryboardStrip::dragMoveEvent(QDragMoveEvent* event) {
    if (!m_shots.draggedRow(event->mimeData()))
        return event->ignore();
    const QPoint place = event->position().toPoint();
    showGap(gapAt(place));
    const int edge = autoScrollMargin();
    if (place.x() < edge || place.x() > viewport()->width() - edge)
        startAutoScroll();
    event->acceptProposedAction();
}

void StoryboardStrip::dragLeaveEvent(QDragLeaveEvent* event) {
    QListView::dragLeaveEvent(event);  // ends scrolling
    showGap({});
}

void StoryboardStrip::dropEvent(QDropEvent* event) {
    stopAutoScroll();
    showGap({});
    const std::optional<int> shot = m_shots.draggedRow(event->mimeData());
    if (!shot)
        return event->ignore();
    event->acceptProposedAction();
    const int gap = gapAt(event->position().toPoint());
    const int to = gap > *shot ? gap - 1 : gap;
    if (to != *shot)
        emit moveRequested(*shot, to);
}

}  // namespace meshreel

#include "moc_storyboard_strip.cpp"
