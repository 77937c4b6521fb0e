// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/mesh/axis_handle.h"
#include "ui/mesh/factoring_model.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr QSizeF largestCell{172, 92};
constexpr double bandWidth = 5;
constexpr double radius = 5;
constexpr double wordsWidth = 84;
constexpr double keysHeight = 18;
constexpr double arrowHead = 6;
constexpr int tintAlpha = 46;
constexpr int groupAlpha = 26;
constexpr int faintAlpha = 60;
constexpr std::size_t manyTransfers = 64;  ///< from which single arrows are faint
constexpr double behindOutline = 0.22;     ///< opacity of the mesh that a drag would replace
constexpr int hostAlpha = 190;

/// Of a ring index; hues repeat lighter after those that colour-blind people tell apart.
QColor groupColor(int ring) {
    constexpr int hues = 7;
    constexpr int lighterEach = 25;
    return ChartStyle::series(ring).lighter(100 + lighterEach * (ring / hues));
}

QColor withAlpha(QColor color, int alpha) {
    color.setAlpha(alpha);
    return color;
}

QString rangeText(const ShardRange& range) {
    return range.size() == 1 ? QString::number(range.begin)
                             : QStringLiteral("%1–%2").arg(range.begin).arg(range.end - 1);
}

/// The line between two cells, cut off at their edges.
QLineF between(const QRectF& from, const QRectF& to) {
    const QLineF whole(from.center(), to.center());
    const auto edge = [&whole](const QRectF& cell, bool fromStart) {
        const double dx = std::abs(whole.dx());
        const double dy = std::abs(whole.dy());
        const double reach =
            std::min(dx > 0 ? cell.width() / 2 / dx : HUGE_VAL, dy > 0 ? cell.height() / 2 / dy : HUGE_VAL);
        return whole.pointAt(fromStart ? reach : 1 - reach);
    };
    return {edge(from, true), edge(to, false)};
}

void drawArrow(QPainter& painter, QLineF line, const QColor& color, double width) {
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(line);
    QLineF side = QLineF(line.p2(), line.p1());
    side.setLength(arrowHead);
    constexpr double opening = 28;
    for (const double angle : {side.angle() - opening, side.angle() + opening}) {
        QLineF stroke = side;
        stroke.setAngle(angle);
        painter.drawLine(stroke);
    }
}

}  // namespace

MeshView::MeshView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Devices of the mesh"));
    const auto add = [this](MeshAxis axis, AxisHandle::Edge edge) {
        auto* handle = new AxisHandle(axis, edge, this);
        m_handles.at(static_cast<std::size_t>(axis)) = handle;
        connect(handle, &AxisHandle::aimed, this, [this, handle](int extent) { aim(*handle, extent); });
        connect(handle, &AxisHandle::chosen, this, [this, handle](int extent) { choose(*handle, extent); });
    };
    // As the axes are drawn: blocks of the batch below each other, the others beside each other.
    add(MeshAxis::Context, AxisHandle::Edge::Right);
    add(MeshAxis::Tensor, AxisHandle::Edge::Right);
    add(MeshAxis::Data, AxisHandle::Edge::Lower);
    add(MeshAxis::Fsdp, AxisHandle::Edge::Lower);
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
    if (m_aimed)
        painter.setOpacity(behindOutline);
    paintGroups(painter);
    for (int device = 0; device < static_cast<int>(m_drawing.cells.size()); ++device)
        paintCell(painter, device);
    if (m_aimed)
        return paintOutline(painter);
    paintTransfers(painter);
}

void MeshView::paintOutline(QPainter& painter) const {
    const QColor color = palette().color(QPalette::Highlight);
    painter.setOpacity(1);
    painter.setBrush(withAlpha(color, groupAlpha));
    painter.setPen(QPen(withAlpha(color, 110), 1));
    for (const DrawnGroup& block : m_outline.blocks)
        painter.drawRoundedRect(block.frame, radius, radius);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.6, Qt::DashLine));
    for (const QRectF& cell : m_outline.cells)
        painter.drawRoundedRect(cell, radius, radius);

    const QString words =
        tr("%n device(s): %1", "of the mesh that a drag would make", m_aimed->layout.devices())
            .arg(meshText(m_aimed->layout.shape()));
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    QRectF label(0, 0, metrics.horizontalAdvance(words) + 2 * panelMargin, metrics.height() + spacing);
    label.moveCenter(m_outline.bounds().center());
    painter.setPen(QPen(color, 1));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(label, radius, radius);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(label, Qt::AlignCenter, words);
}

void MeshView::paintGroups(QPainter& painter) const {
    const QColor text = palette().color(QPalette::WindowText);
    for (const DrawnGroup& block : m_drawing.blocks) {
        painter.setPen(QPen(withAlpha(text, faintAlpha), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(block.frame, radius, radius);
        if (block.title.isEmpty())
            continue;
        const QRectF title(block.frame.left(), block.frame.top() - m_drawing.titleHeight, block.frame.width(),
                           m_drawing.titleHeight);
        painter.setPen(mutedColor(palette()));
        painter.drawText(
            title, Qt::AlignLeft | Qt::AlignVCenter,
            fontMetrics().elidedText(block.title, Qt::ElideRight, static_cast<int>(title.width())));
    }
    painter.setPen(Qt::NoPen);
    for (const DrawnGroup& group : m_drawing.ulyssesGroups) {
        painter.setBrush(withAlpha(groupColor(group.ring), groupAlpha));
        painter.drawRoundedRect(group.frame, radius, radius);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(withAlpha(text, hostAlpha), 1.4, Qt::DashLine));
    for (const QPainterPath& host : m_drawing.hosts)
        painter.drawPath(host);
}

void MeshView::paintCell(QPainter& painter, int device) const {
    const QRectF cell = m_drawing.cells[static_cast<std::size_t>(device)];
    const PicturedDevice& facts = m_picture.device(device);
    const QColor color = groupColor(facts.ring);
    const bool related =
        m_chosen >= 0 && (std::ranges::count(m_picture.device(m_chosen).ulyssesGroup, device) > 0 ||
                          std::ranges::count(m_picture.device(m_chosen).ringGroup, device) > 0);
    QPainterPath shape;
    shape.addRoundedRect(cell, radius, radius);
    painter.setPen(Qt::NoPen);
    painter.fillPath(shape, palette().color(QPalette::Base));
    if (related)
        painter.fillPath(shape, withAlpha(color, tintAlpha));
    painter.save();
    painter.setClipPath(shape);
    painter.fillRect(QRectF(cell.topLeft(), QSizeF(bandWidth, cell.height())), color);
    painter.restore();
    const bool chosen = device == m_chosen;
    painter.setPen(
        QPen(chosen ? palette().color(QPalette::Highlight) : withAlpha(color, 150), chosen ? 2.5 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(cell, radius, radius);

    QRectF words =
        cell.adjusted(bandWidth + tightSpacing, tightSpacing / 2.0, -tightSpacing, -tightSpacing / 2.0);
    const bool computes = static_cast<std::size_t>(device) < m_step.keys.size() &&
                          !m_step.keys[static_cast<std::size_t>(device)].empty();
    if (computes) {
        paintKeys(painter, cell, m_step.keys[static_cast<std::size_t>(device)]);
        words.setBottom(cell.bottom() - std::min(keysHeight, cell.height() / 2));
    }
    paintWords(painter, device, words);
}

void MeshView::paintWords(QPainter& painter, int device, const QRectF& room) const {
    const PicturedDevice& facts = m_picture.device(device);
    const bool exchanged = m_step.kind == WalkStep::Kind::Compute;
    const ShardRange heads{facts.at.tensor * m_picture.heads / m_picture.layout.shape().tensor,
                           (facts.at.tensor + 1) * m_picture.heads / m_picture.layout.shape().tensor};
    QStringList lines;
    if (room.width() >= wordsWidth)
        lines = {tr("heads %1").arg(rangeText(exchanged ? facts.heads : heads)),
                 tr("tokens %1").arg(rangeText(exchanged ? facts.computeTokens : facts.tokens))};
    const double line = fontMetrics().height();
    while (!lines.isEmpty() && line * static_cast<double>(lines.size() + 1) > room.height())
        lines.removeLast();
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::WindowText));
    QRectF row(room.left(), room.center().y() - line * static_cast<double>(lines.size() + 1) / 2,
               room.width(), line);
    const QFontMetrics metrics(bold);
    if (room.height() >= line - 2)
        painter.drawText(
            row, (lines.isEmpty() ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter),
            metrics.elidedText(QString::number(device), Qt::ElideRight, static_cast<int>(row.width())));
    painter.setFont(font());
    painter.setPen(mutedColor(palette()));
    if (!m_picture.hosts.empty() && room.width() >= wordsWidth)
        paintRank(painter, facts,
                  row.adjusted(metrics.horizontalAdvance(QString::number(device)) + spacing, 0, 0, 0));
    for (const QString& words : lines) {
        row.translate(0, line);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(row.width())));
    }
}

/// The rank, and where there are several the host that takes it.
void MeshView::paintRank(QPainter& painter, const PicturedDevice& device, const QRectF& room) const {
    QString words = tr("rank %1").arg(device.rank);
    if (m_picture.hosts.size() > 1)
        words += QStringLiteral(" · ") + QString::fromStdString(m_picture.hosts[device.host].name);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                     fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(room.width())));
}

void MeshView::paintKeys(QPainter& painter, const QRectF& cell, const std::vector<int>& keys) const {
    const double height = std::min(keysHeight, cell.height() / 2) - 3;
    const auto count = static_cast<double>(keys.size());
    const QRectF strip(cell.left() + bandWidth + 3, cell.bottom() - height - 3, cell.width() - bandWidth - 6,
                       height);
    const double width = strip.width() / count;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const QRectF chip(strip.left() + static_cast<double>(i) * width, strip.top(), width - 1, height);
        painter.setPen(Qt::NoPen);
        painter.setBrush(groupColor(keys[i]));
        painter.drawRoundedRect(chip, 3, 3);
        const QString words = m_picture.split.ring == 1 ? tr("all keys") : tr("keys %1").arg(keys[i]);
        if (fontMetrics().horizontalAdvance(words) > chip.width() || height < fontMetrics().ascent())
            continue;
        painter.setPen(Qt::white);
        painter.drawText(chip, Qt::AlignCenter, words);
    }
}

void MeshView::paintTransfers(QPainter& painter) const {
    const bool many = m_step.transfers.size() > manyTransfers;
    for (const WalkTransfer& transfer : m_step.transfers) {
        const bool ofChosen = transfer.from == m_chosen || transfer.to == m_chosen;
        if (m_chosen >= 0 && !ofChosen && many)
            continue;
        const QColor color = withAlpha(palette().color(QPalette::WindowText),
                                       ofChosen ? 230 : (many || m_chosen >= 0 ? faintAlpha : 150));
        drawArrow(painter,
                  between(m_drawing.cells[static_cast<std::size_t>(transfer.from)],
                          m_drawing.cells[static_cast<std::size_t>(transfer.to)]),
                  color, ofChosen ? 2 : 1.2);
    }
}

void MeshView::resizeEvent(QResizeEvent* /*event*/) {
    layOut();
}

void MeshView::mouseMoveEvent(QMouseEvent* event) {
    chooseDevice(m_drawing.deviceAt(event->position()));
}

void MeshView::leaveEvent(QEvent* /*event*/) {
    chooseDevice(-1);
}

void MeshView::keyPressEvent(QKeyEvent* event) {
    const auto devices = static_cast<int>(m_picture.devices.size());
    const bool back = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    const bool forward = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    if (devices == 0 || (!back && !forward))
        return QWidget::keyPressEvent(event);
    chooseDevice(std::clamp(m_chosen + (back ? -1 : 1), 0, devices - 1));
}

}  // namespace meshreel
