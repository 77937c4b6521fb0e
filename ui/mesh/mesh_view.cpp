// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTextDocument>
#include <QToolTip>
#include <algorithm>

#include "ui/mesh/axis_handle.h"
#include "ui/mesh/device_texts.h"
#include "ui/mesh/factoring_model.h"
#include "ui/mesh/mesh_painter.h"
#include "ui/theme/look.h"
#include "ui/widgets/focus_mark.h"

namespace meshreel {

namespace {

constexpr QSizeF largestCell{172, 92};
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
    // As the axes are drawn: blocks of the batch below each other, the others beside each other.
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

const AxisChoice* MeshView::choiceOf(MeshAxis axis, int extent) const {
    const std::vector<AxisChoice>& choices = m_choices.at(static_cast<std::size_t>(axis));
    const auto found = std::ranges::find(choices, extent, &AxisChoice::extent);
    return found == choices.end() ? nullptr : &*found;
}

void MeshView::aim(const AxisHandle& handle, int extent) {
    m_aimed.reset();
    const AxisChoice* choice = choiceOf(handle.axis(), extent);
    if (choice != nullptr && handle.isDragged() && extent != handle.extent()) {
        m_aimed = *choice;
        m_outline = drawMesh(pictureOn(m_picture, choice->layout, choice->split), drawingArea(),
                             fontMetrics().height() + tightSpacing, largestCell);
    }
    update();
}

void MeshView::choose(AxisHandle& handle, int extent) {
    const AxisChoice* choice = choiceOf(handle.axis(), extent);
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
