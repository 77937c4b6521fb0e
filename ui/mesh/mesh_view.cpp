// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QTextDocument>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/mesh/legal_mesh_model.h"
#include "ui/mesh/mesh_painter.h"
#include "ui/mesh/mesh_picture.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr double pixelsPerStep = 32;  ///< of dragging, from one legal number to the next
constexpr double handleRadius = 5;
constexpr int gripWidth = 10;
constexpr int gripDots = 3;
constexpr int mostListed = 10;
constexpr int largestShown = 256;

QString axisText(MeshAxis axis, int extent) {
    return QStringLiteral("%1 %2").arg(QString::fromStdString(std::string(nameOf(axis)))).arg(extent);
}

}  // namespace

AxisHandle::AxisHandle(MeshAxis axis, Edge edge, QWidget* parent)
    : QAbstractSlider(parent), m_axis(axis), m_edge(edge) {
    setOrientation(edge == Edge::Right ? Qt::Horizontal : Qt::Vertical);
    setCursor(edge == Edge::Right ? Qt::SizeHorCursor : Qt::SizeVerCursor);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSingleStep(1);  // legalBeyond() makes it the next legal number
    connect(this, &QAbstractSlider::valueChanged, this, [this](int asked) { take(legalBeyond(asked)); });
    describe();
}

void AxisHandle::setExtents(const std::vector<int>& legal, int extent) {
    if (m_dragged)
        endDrag();
    m_legal = legal;
    m_extent = extent;
    const QSignalBlocker quiet(this);
    setRange(legal.front(), legal.back());
    setValue(extent);
    describe();
    update();
}

QSize AxisHandle::sizeHint() const {
    const QFontMetrics metrics(font());
    const QSize level(metrics.horizontalAdvance(axisText(m_axis, largestShown)) + gripWidth + 2 * spacing,
                      metrics.height() + tightSpacing);
    return m_edge == Edge::Lower ? level : level.transposed();
}

QString AxisHandle::words() const {
    return axisText(m_axis, shownExtent());
}

void AxisHandle::describe() {
    QStringList numbers;
    for (const int number : m_legal)
        if (numbers.size() < mostListed)
            numbers += QString::number(number);
    if (m_legal.size() > mostListed)
        numbers += QStringLiteral("… %1").arg(m_legal.back());
    const QString name =
        tr("Devices along the %1 axis").arg(QString::fromStdString(std::string(nameOf(m_axis))));
    const QString help =
        m_legal.size() > 1
            ? tr("Drag, or press the arrow keys. Legal here: %1").arg(numbers.join(QStringLiteral(", ")))
            : tr("Only %1 is legal here").arg(m_legal.front());
    setAccessibleName(name);
    setAccessibleDescription(help);
    setToolTip(QStringLiteral("<p>%1</p><p>%2</p>").arg(name, help));
}

int AxisHandle::legalBeyond(int asked) const {
    if (asked > m_extent) {
        const auto next = std::ranges::lower_bound(m_legal, asked);
        return next == m_legal.end() ? m_legal.back() : *next;
    }
    const auto above = std::ranges::upper_bound(m_legal, asked);
    return above == m_legal.begin() ? m_legal.front() : *std::prev(above);
}

void AxisHandle::take(int extent) {
    {
        const QSignalBlocker quiet(this);
        setValue(extent);
    }
    update();
    if (extent == m_extent)
        return;
    m_extent = extent;
    emit chosen(extent);
}

void AxisHandle::endDrag() {
    m_dragged = false;
    update();
    emit aimed(m_extent);
}

bool AxisHandle::event(QEvent* event) {
    // A shortcut of the window must not take the key that ends a drag.
    if (event->type() == QEvent::ShortcutOverride && m_dragged &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QAbstractSlider::event(event);
}

void AxisHandle::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_edge == Edge::Right) {
        painter.translate(width(), 0);
        painter.rotate(90);
    }
    const QRectF pill =
        QRectF(QPointF(0, 0), m_edge == Edge::Right ? size().transposed() : size()).adjusted(1, 1, -1, -1);
    const bool lit = m_dragged || hasFocus() || underMouse();
    painter.setPen(QPen(lit ? palette().color(QPalette::Highlight) : palette().color(QPalette::Mid),
                        hasFocus() ? 2 : 1));
    painter.setBrush(palette().color(QPalette::Button));
    painter.drawRoundedRect(pill, handleRadius, handleRadius);
    const QColor ink = m_legal.size() > 1 ? palette().color(QPalette::ButtonText) : mutedColor(palette());
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (int dot = 0; dot < gripDots; ++dot)
        painter.drawEllipse(
            QPointF(pill.left() + gripWidth * 0.8, pill.center().y() + (dot - gripDots / 2) * 4.0), 1, 1);
    painter.setPen(ink);
    const QRectF room = pill.adjusted(gripWidth, 0, 0, 0);
    const bool fits = fontMetrics().horizontalAdvance(words()) <= room.width();
    painter.drawText(room, Qt::AlignCenter, fits ? words() : QString::number(shownExtent()));
}

void AxisHandle::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return QAbstractSlider::mousePressEvent(event);
    m_dragged = true;
    m_aimed = m_extent;
    m_grip = event->globalPosition().toPoint();
    update();
}

void AxisHandle::mouseMoveEvent(QMouseEvent* event) {
    if (!m_dragged)
        return;
    const QPoint moved = event->globalPosition().toPoint() - m_grip;
    const double outwards = m_edge == Edge::Right ? moved.x() : moved.y();
    const auto from = static_cast<double>(std::ranges::lower_bound(m_legal, m_extent) - m_legal.begin());
    const double place =
        std::clamp(std::round(from + outwards / pixelsPerStep), 0.0, static_cast<double>(m_legal.size() - 1));
    const int extent = m_legal[static_cast<std::size_t>(place)];
    if (extent == m_aimed)
        return;
    m_aimed = extent;
    update();
    emit aimed(extent);
}

void AxisHandle::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_dragged || event->button() != Qt::LeftButton)
        return;
    const int extent = m_aimed;
    endDrag();
    take(extent);
}

void AxisHandle::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Escape:
            if (m_dragged)
                return endDrag();
            return event->ignore();
        case Qt::Key_Left:
        case Qt::Key_Up:
            return triggerAction(SliderSingleStepSub);
        case Qt::Key_Right:
        case Qt::Key_Down:
            return triggerAction(SliderSingleStepAdd);
        default:
            QAbstractSlider::keyPressEvent(event);
    }
}

void AxisHandle::wheelEvent(QWheelEvent* event) {
    event->ignore();  // turning over the drawing must not change the project
}

namespace {

constexpr QSizeF largestCell{232, 124};
constexpr double behindOutline = 0.22;  ///< opacity of the mesh that a drag would replace

}  // namespace

MeshView::MeshView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Devices of the mesh"));
    setWhatsThis(tr("The arrow keys, Home and End choose a device, Escape none."));
    const auto add = [this](MeshAxis axis, AxisHandle::Edge edge) {
        auto* handle = new AxisHandle(axis, edge, this);
        m_handles.at(static_cast<std::size_t>(axis)) = handle;
        connect(handle, &AxisHandle::aimed, this, [this, handle](int extent) { aim(*handle, extent); });
        connect(handle, &AxisHandle::chosen, this, [this, handle](int extent) { choose(*handle, extent); });
    };
    // In the order of drawing: blocks of the batch below each other, the others side by side.
    add(MeshAxis::Data, AxisHandle::Edge::Lower);
    add(MeshAxis::Fsdp, AxisHandle::Edge::Lower);
    add(MeshAxis::Context, AxisHandle::Edge::Right);
    add(MeshAxis::Tensor, AxisHandle::Edge::Right);
}

AxisHandle& MeshView::handle(MeshAxis axis) const {
    return *m_handles.at(static_cast<std::size_t>(axis));
}

void MeshView::setPicture(const MeshPicture& picture) {
    m_picture = picture;
    m_step = {};
    if (m_chosen >= static_cast<int>(picture.devices.size()))
        chooseDevice(-1);
    m_choices = {};
    resetHandles();
    layOut();
}

void MeshView::setChoices(AxisChoices choices) {
    m_choices = std::move(choices);
    resetHandles();
}

void MeshView::resetHandles() {
    for (AxisHandle* handle : m_handles)
        resetHandle(*handle);
}

/// Until it is known what is legal now, what was so stays, so that nothing flickers.
void MeshView::resetHandle(AxisHandle& handle) const {
    const int now = m_picture.layout.shape().extent(handle.axis());
    std::vector<int> legal;
    for (const AxisChoice& choice : m_choices.at(static_cast<std::size_t>(handle.axis())))
        legal.push_back(choice.extent);
    if (legal.empty())
        legal = handle.legalExtents();
    handle.setExtents(std::ranges::count(legal, now) > 0 ? legal : std::vector{now}, now);
}

const AxisChoice* MeshView::findChoice(MeshAxis axis, int extent) const {
    const std::vector<AxisChoice>& choices = m_choices.at(static_cast<std::size_t>(axis));
    const auto found = std::ranges::find(choices, extent, &AxisChoice::extent);
    return found == choices.end() ? nullptr : &*found;
}

void MeshView::aim(const AxisHandle& handle, int extent) {
    m_aimed.reset();
    const AxisChoice* choice = findChoice(handle.axis(), extent);
    if (choice != nullptr && handle.isDragged() && extent != handle.extent()) {
        m_aimed = *choice;
        m_outline = drawMesh(pictureOn(m_picture, choice->layout, choice->split), drawingArea(),
                             fontMetrics().height() + tightSpacing, largestCell);
    }
    update();
}

void MeshView::choose(AxisHandle& handle, int extent) {
    const AxisChoice* choice = findChoice(handle.axis(), extent);
    if (choice == nullptr)
        return resetHandle(handle);
    const AxisChoice taken = *choice;
    for (std::size_t axis = 0; axis < meshAxes.size(); ++axis)
        if (meshAxes.at(axis) != handle.axis())
            m_choices.at(axis).clear();  // they were for the number before
    emit extentChosen(taken);
}

void MeshView::setStep(const WalkStep& step) {
    m_step = step;
    update();
}

void MeshView::chooseDevice(int device) {
    if (device == m_chosen)
        return;
    m_chosen = device;
    emit deviceChosen(device);
    update();
}

QSize MeshView::minimumSizeHint() const {
    return {240, 132};  // two handles below each other at the right edge, as numbers
}

QRectF MeshView::drawingArea() const {
    const int right = handle(MeshAxis::Context).sizeHint().width() + spacing;
    const int lower = handle(MeshAxis::Data).sizeHint().height() + spacing;
    return QRectF(rect()).adjusted(panelMargin, spacing, -right - tightSpacing, -lower - tightSpacing);
}

/// In the middle of the edges of the drawing, side by side.
void MeshView::placeHandles() {
    const QRect drawn = m_drawing.bounds().toAlignedRect();
    const auto place = [&](MeshAxis axis, MeshAxis beside) {
        AxisHandle& first = handle(axis);
        AxisHandle& second = handle(beside);
        const bool right = first.edge() == AxisHandle::Edge::Right;
        QSize size = first.sizeHint().expandedTo(second.sizeHint());
        if (right)
            size.setHeight(std::min(size.height(), (height() - spacing) / 2));
        const int length = right ? 2 * size.height() + spacing : 2 * size.width() + spacing;
        const QPoint middle = right ? QPoint(drawn.right() + spacing, drawn.center().y() - length / 2)
                                    : QPoint(drawn.center().x() - length / 2, drawn.bottom() + spacing);
        const QPoint corner(
            std::clamp(middle.x(), 0, std::max(0, width() - (right ? size.width() : length))),
            std::clamp(middle.y(), 0, std::max(0, height() - (right ? length : size.height()))));
        first.setGeometry(QRect(corner, size));
        second.setGeometry(QRect(
            corner + (right ? QPoint(0, size.height() + spacing) : QPoint(size.width() + spacing, 0)), size));
    };
    place(MeshAxis::Context, MeshAxis::Tensor);
    place(MeshAxis::Data, MeshAxis::Fsdp);
    for (AxisHandle* handle : m_handles)
        handle->setVisible(!m_picture.devices.empty());
}

void MeshView::layOut() {
    m_drawing = m_picture.devices.empty()
                    ? MeshDrawing()
                    : drawMesh(m_picture, drawingArea(), fontMetrics().height() + tightSpacing, largestCell);
    placeHandles();
    update();
}

void MeshView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_drawing.cells.empty())
        return;
    MeshPainter mesh(painter, palette(),
                     {.picture = m_picture, .drawing = m_drawing, .step = m_step, .chosen = m_chosen});
    if (!m_aimed) {
        mesh.paint();
        return paintFocus(painter, *this);
    }
    const QString words =
        tr("%n device(s): %1", "of the mesh that a drag would make", m_aimed->layout.devices())
            .arg(meshText(m_aimed->layout.shape()));
    painter.setOpacity(behindOutline);
    mesh.paintDevices();
    painter.setOpacity(1);
    paintMeshOutline(painter, palette(), m_outline, words);
}

void MeshView::resizeEvent(QResizeEvent* /*event*/) {
    layOut();
}

/// Cells hold as much as they have room for.
bool MeshView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto& help = *static_cast<QHelpEvent*>(event);
    const int device = m_drawing.deviceAt(help.pos());
    if (device < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help.globalPos(),
                           Qt::convertFromPlainText(deviceText(m_picture, device), Qt::WhiteSpaceNormal),
                           this, m_drawing.cells[static_cast<std::size_t>(device)].toRect());
    return true;
}

void MeshView::mouseMoveEvent(QMouseEvent* event) {
    chooseDevice(m_drawing.deviceAt(event->position()));
}

void MeshView::leaveEvent(QEvent* /*event*/) {
    chooseDevice(-1);
}

void MeshView::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_picture.devices.size()) - 1;
    const auto goTo = [&](int device) { chooseDevice(std::clamp(device, std::min(0, last), last)); };
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
            return goTo(m_chosen - 1);
        case Qt::Key_Right:
        case Qt::Key_Down:
            return goTo(m_chosen + 1);
        case Qt::Key_Home:
            return goTo(0);
        case Qt::Key_End:
            return goTo(last);
        case Qt::Key_Escape:
            if (m_chosen >= 0)
                return chooseDevice(-1);
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace meshreel

#include "moc_mesh_view.cpp"
