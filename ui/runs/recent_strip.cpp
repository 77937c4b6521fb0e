// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/recent_strip.h"

#include <QDrag>
#include <QFileInfo>
#include <QItemSelectionModel>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QUrl>
#include <algorithm>

#include "engine/runs/run_history.h"
#include "ui/runs/run_history_model.h"
#include "ui/runs/use_menu.h"
#include "ui/theme/look.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr QSize thumbnailSize{92, 56};
constexpr int cellGap = 4;
constexpr int chosenWidth = 2;

/// Fills the cell with the middle of the run's preview.
class ThumbnailDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& /*option*/,
                                 const QModelIndex& /*index*/) const override {
        return thumbnailSize + QSize(cellGap, cellGap);
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QRect cell = option.rect.adjusted(0, 0, -cellGap, -cellGap);
        painter->fillRect(cell, stageColor());
        const auto picture = index.data(Qt::DecorationRole).value<QPixmap>();
        if (!picture.isNull()) {
            const QSize part = cell.size().scaled(picture.size(), Qt::KeepAspectRatio);
            const QRect source(
                QPoint((picture.width() - part.width()) / 2, (picture.height() - part.height()) / 2), part);
            painter->setRenderHint(QPainter::SmoothPixmapTransform);
            painter->drawPixmap(cell, picture, source);
        } else {
            painter->setPen(mixedColor(stageColor(), Qt::white, 0.7));
            painter->drawText(cell.adjusted(cellGap, 0, -cellGap, 0),
                              static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap,
                              index.data(RunHistoryModel::StatusTextRole).toString());
        }
        if (option.state.testFlag(QStyle::State_Selected) || option.state.testFlag(QStyle::State_MouseOver)) {
            painter->setPen(QPen(option.palette.color(QPalette::Highlight), chosenWidth));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(cell.adjusted(1, 1, -1, -1));
        }
    }
};

}  // namespace

RecentStrip::RecentStrip(RunHistoryModel& history, QWidget* parent) : QListView(parent), m_history(history) {
    setObjectName(QStringLiteral("recent"));
    setAccessibleName(tr("Recent results"));
    setModel(&history);
    setModelColumn(RunHistoryModel::Run);
    setItemDelegate(new ThumbnailDelegate(this));
    setFlow(QListView::LeftToRight);
    setWrapping(false);
    setUniformItemSizes(true);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // the wheel and the arrow keys scroll
    setFrameShape(QFrame::NoFrame);
    viewport()->setAutoFillBackground(false);
    setDragEnabled(true);
    setDragDropMode(QAbstractItemView::DragOnly);
    setMouseTracking(true);
    new CellTips(*this);
    setContextMenuPolicy(Qt::CustomContextMenu);
    const auto fit = [this] {
        const bool isEmpty = m_history.rowCount() == 0;
        setFixedHeight(isEmpty ? 0 : sizeHint().height());
        setEnabled(!isEmpty);  // no stop of Tab
    };
    connect(&m_history, &QAbstractItemModel::rowsInserted, this, fit);
    connect(&m_history, &QAbstractItemModel::rowsRemoved, this, fit);
    fit();  // an empty row takes no room
    connect(&m_history, &QAbstractItemModel::rowsInserted, this, &RecentStrip::mark);
    connect(this, &QListView::clicked, this,
            [this](const QModelIndex& index) { emit openRequested(folderOf(index)); });
    connect(this, &QListView::activated, this,
            [this](const QModelIndex& index) { emit openRequested(folderOf(index)); });
    connect(this, &QWidget::customContextMenuRequested, this, &RecentStrip::showMenu);
}

void RecentStrip::markShown(const QString& path) {
    m_shown = path;
    mark();
}

/// Also when the run has come into the list.
void RecentStrip::mark() {
    QModelIndex run = m_shown.isEmpty() ? QModelIndex() : m_history.indexOf(m_shown);
    if (!run.isValid() && !m_shown.isEmpty())
        run = m_history.indexOf(QFileInfo(m_shown).path());
    if (!run.isValid()) {
        clearSelection();
        setCurrentIndex({});
    } else if (run != currentIndex() || !selectionModel()->isSelected(run)) {
        setCurrentIndex(run);
        scrollTo(run);
    }
}

QSize RecentStrip::sizeHint() const {
    return {4 * thumbnailSize.width(), thumbnailSize.height() + cellGap};
}

QSize RecentStrip::minimumSizeHint() const {
    return {thumbnailSize.width(), sizeHint().height()};
}

QString RecentStrip::folderOf(const QModelIndex& index) const {
    return index.data(RunHistoryModel::FolderRole).toString();
}

QString RecentStrip::videoOf(const QModelIndex& index) const {
    const RunSummary& run = m_history.run(index);
    return run.video ? QString::fromStdString(run.video->string()) : QString();
}

void RecentStrip::startDrag(Qt::DropActions /*actions*/) {
    if (!currentIndex().isValid())
        return;
    const QString video = videoOf(currentIndex());
    auto* data = new QMimeData;
    data->setUrls({QUrl::fromLocalFile(video.isEmpty() ? folderOf(currentIndex()) : video)});
    auto* drag = new QDrag(this);
    drag->setMimeData(data);
    if (const auto picture = currentIndex().data(Qt::DecorationRole).value<QPixmap>(); !picture.isNull())
        drag->setPixmap(picture.scaled(thumbnailSize, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    drag->exec(Qt::CopyAction);
}

void RecentStrip::showMenu(const QPoint& place) {
    const QModelIndex index = indexAt(place).isValid() ? indexAt(place) : currentIndex();
    QMenu menu(this);
    if (index.isValid()) {
        const QString folder = folderOf(index);
        const QString video = videoOf(index);
        menu.addAction(tr("&Open"), this, [this, folder] { emit openRequested(folder); });
        menu.addAction(tr("&Load these settings"), this, [this, folder] { emit projectRequested(folder); });
        auto* only = new PartMenu(&menu);
        connect(only, &PartMenu::requested, this,
                [this, folder](RunPart part) { emit partRequested(folder, part); });
        menu.addMenu(only);
        auto* use = new UseMenu(UseMenu::Frames::Ends, &menu);
        use->setTasks(m_tasks);
        use->setClip(video.isEmpty() ? QString() : folder);
        connect(use, &UseMenu::requested, this, &RecentStrip::useRequested);
        menu.addMenu(use);
        menu.addSeparator();
    }
    menu.addAction(tr("&All runs"), this, &RecentStrip::allRequested);
    menu.exec(viewport()->mapToGlobal(place));
}

}  // namespace meshreel

#include "moc_recent_strip.cpp"
