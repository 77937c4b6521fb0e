// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/drawing_stage.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/media/mask_drawing.h"
#include "engine/tensor/tensor.h"
#include "ui/drawing/drawing_document.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr QSize usualStage{720, 420};
constexpr QSize leastStage{240, 150};
constexpr double screenReach = 8;  ///< pixels of the screen
constexpr int greyGround = 96;
constexpr int greys = 256;
constexpr int mostTint = 140;  ///< opacity of what is white
constexpr double bigStep = 10;

/// Red as a rubylith: what is masked is covered.
QList<QRgb> tints() {
    QList<QRgb> colours;
    for (int grey = 0; grey < greys; ++grey)
        colours += qRgba(255, 64, 64, grey * mostTint / (greys - 1));
    return colours;
}

QList<QRgb> plainGreys() {
    QList<QRgb> colours;
    for (int grey = 0; grey < greys; ++grey)
        colours += qRgb(grey, grey, grey);
    return colours;
}

/// u8 [height, width] as indices of colours.
QImage indexedImage(const Tensor& mask) {
    const auto width = static_cast<int>(mask.extent(1));
    const auto height = static_cast<int>(mask.extent(0));
    QImage image(width, height, QImage::Format_Indexed8);
    const std::uint8_t* from = mask.data<std::uint8_t>().data();
    for (int row = 0; row < height; ++row, from += width)
        std::memcpy(image.scanLine(row), from, static_cast<std::size_t>(width));
    return image;
}

}  // namespace

DrawingStage::DrawingStage(DrawingDocument& document, DrawingHand& hand, QWidget* parent)
    : QWidget(parent), m_document(document), m_hand(hand) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAcceptDrops(true);
    setAccessibleName(tr("Picture that is drawn on"));
    connect(&m_document, &DrawingDocument::changed, this, &DrawingStage::describe);
    connect(&m_document, &DrawingDocument::frameChanged, this, &DrawingStage::describe);
    describe();
}

void DrawingStage::setBackdrop(QList<QImage> frames) {
    m_backdrop = std::move(frames);
    update();
}

void DrawingStage::setMaskOnly(bool maskOnly) {
    m_maskOnly = maskOnly;
    m_maskRevision = -1;
    update();
}

void DrawingStage::setTool(DrawingTool tool) {
    m_hand.setTool(tool);
    setCursor(tool == DrawingTool::Choose ? Qt::ArrowCursor : Qt::CrossCursor);
    update();
}

QSize DrawingStage::pictureSize() const {
    return {static_cast<int>(m_document.canvas().width), static_cast<int>(m_document.canvas().height)};
}

StageView DrawingStage::view() const {
    return {.target = m_zoom.target(pictureSize(), size()), .canvas = m_document.canvas()};
}

double DrawingStage::reach() const {
    return view().ofScreen(screenReach);
}

QSize DrawingStage::sizeHint() const {
    return usualStage;
}

QSize DrawingStage::minimumSizeHint() const {
    return leastStage;
}

void DrawingStage::describe() {
    const QString frame = tr("frame %1").arg(m_document.frame());
    const int chosen = m_document.chosen();
    setAccessibleDescription(chosen < 0 ? tr("Nothing is chosen; %1").arg(frame)
                                        : tr("%1 is chosen; %2").arg(m_document.itemName(chosen), frame));
    update();
}

bool DrawingStage::event(QEvent* event) {
    if (event->type() == QEvent::Wheel && m_zoom.takeEvent(*event, pictureSize(), rect())) {
        event->accept();
        update();
        return true;
    }
    return QWidget::event(event);
}

void DrawingStage::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), stageColor());
    const StageView shown = view();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, m_zoom.isFitted());
    paintBackdrop(painter, shown.target);
    if (m_document.mask() != nullptr)
        paintMask(painter, shown.target);
    painter.setRenderHint(QPainter::Antialiasing);
    m_hand.paint(painter, shown, palette());
    if (!m_refusal.isEmpty()) {
        painter.setPen(Qt::white);
        painter.drawText(rect().adjusted(panelMargin, panelMargin, -panelMargin, -panelMargin),
                         Qt::AlignHCenter | Qt::AlignBottom | Qt::TextWordWrap, m_refusal);
    }
    paintFocus(painter, *this);
}

void DrawingStage::paintBackdrop(QPainter& painter, const QRectF& target) const {
    if (m_backdrop.isEmpty()) {
        painter.fillRect(target, QColor(greyGround, greyGround, greyGround));
        return;
    }
    const auto frame = std::min<qsizetype>(m_document.frame(), m_backdrop.size() - 1);
    painter.drawImage(target, m_backdrop[frame]);
}

void DrawingStage::paintMask(QPainter& painter, const QRectF& target) {
    if (m_maskRevision != m_document.revision() || m_maskFrame != m_document.frame()) {
        m_maskRevision = m_document.revision();
        m_maskFrame = m_document.frame();
        m_refusal.clear();
        try {
            m_mask = indexedImage(renderMask(*m_document.mask(), m_maskFrame));
            m_mask.setColorTable(m_maskOnly ? plainGreys() : tints());
        } catch (const Error& refused) {
            m_mask = {};
            m_refusal = wholeText(refused.problem());
        }
    }
    if (!m_mask.isNull())
        painter.drawImage(target, m_mask);
}

void DrawingStage::keyPressEvent(QKeyEvent* event) {
    const bool done = [&] {
        switch (event->key()) {
            case Qt::Key_Return:
            case Qt::Key_Enter:
                return m_hand.finish();
            case Qt::Key_Escape:
                return m_hand.cancel();
            case Qt::Key_Backspace:
            case Qt::Key_Delete:
                if (!m_hand.stepBack())
                    m_document.removeChosen();
                return true;
            case Qt::Key_PageUp:
                m_document.choose(std::min(m_document.chosen() + 1, m_document.count() - 1));
                return true;
            case Qt::Key_PageDown:
                m_document.choose(std::max(m_document.chosen() - 1, 0));
                return true;
            default:
                return m_zoom.takeKey(*event, pictureSize(), size()) || takeArrow(*event);
        }
    }();
    if (done)
        update();
    else
        QWidget::keyPressEvent(event);
}

bool DrawingStage::takeArrow(const QKeyEvent& event) {
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if (modifiers != Qt::NoModifier && modifiers != Qt::ControlModifier)
        return false;
    const double step = modifiers == Qt::ControlModifier ? bigStep : 1;
    DrawnPoint by;
    switch (event.key()) {
        case Qt::Key_Left:
            by.x = -step;
            break;
        case Qt::Key_Right:
            by.x = step;
            break;
        case Qt::Key_Up:
            by.y = -step;
            break;
        case Qt::Key_Down:
            by.y = step;
            break;
        default:
            return false;
    }
    if (m_document.chosen() >= 0)
        m_document.moveChosen(by);
    else if (by.x != 0)
        emit stepRequested(static_cast<int>(by.x));
    else
        return false;
    return true;
}

void DrawingStage::mousePressEvent(QMouseEvent* event) {
    if (m_held != Qt::NoButton)
        return;  // another button is held already
    m_held = event->button();
    m_last = event->position();
    if (m_held == Qt::LeftButton)
        m_hand.press(view().toCanvas(event->position()), reach());
    update();
}

void DrawingStage::mouseMoveEvent(QMouseEvent* event) {
    if (m_held == Qt::MiddleButton) {
        m_zoom.move(event->position() - m_last, pictureSize(), size());
        m_last = event->position();
    } else if (m_held == Qt::LeftButton) {
        m_hand.drag(view().toCanvas(event->position()), event->modifiers().testFlag(Qt::ShiftModifier));
    } else {
        m_hand.hover(view().toCanvas(event->position()));
    }
    update();
}

void DrawingStage::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != m_held)
        return;
    m_held = Qt::NoButton;
    if (event->button() == Qt::LeftButton)
        m_hand.release();
    update();
}

void DrawingStage::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && !m_hand.finish() && m_hand.tool() == DrawingTool::Choose)
        m_zoom.fit();
    update();
}

void DrawingStage::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedPaths(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void DrawingStage::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    emit dropped(draggedPaths(event->mimeData()));
}

}  // namespace meshreel

#include "moc_drawing_stage.cpp"
