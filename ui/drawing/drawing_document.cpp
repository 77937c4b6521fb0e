// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/drawing_document.h"

#include <QUndoCommand>
#include <algorithm>
#include <cstddef>
#include <utility>

namespace meshreel {

/// From one state to another. Edits of one kind in one series become one.
class DrawingDocument::Edit : public QUndoCommand {
  public:
    Edit(DrawingDocument& document, const QString& title, Step step, State before, State after)
        : QUndoCommand(title),
          m_document(document),
          m_step(step),
          m_series(document.m_series),
          m_before(std::move(before)),
          m_after(std::move(after)) {}

    void undo() override { m_document.goTo(m_before); }
    void redo() override { m_document.goTo(m_after); }
    [[nodiscard]] int id() const override { return m_step == Step::Own ? -1 : static_cast<int>(m_step); }

    bool mergeWith(const QUndoCommand* other) override {
        const auto& next = static_cast<const Edit&>(*other);
        if (next.m_series != m_series || next.text() != text())
            return false;
        m_after = next.m_after;
        setObsolete(m_after == m_before);
        return true;
    }

  private:
    DrawingDocument& m_document;
    Step m_step;
    int m_series;
    State m_before;
    State m_after;
};

DrawingDocument::DrawingDocument(Drawing drawing, QObject* parent)
    : QObject(parent), m_state{.drawing = std::move(drawing), .chosen = -1}, m_before(m_state) {}

QString DrawingDocument::itemName(int item) const {
    const QString number = QString::number(item + 1);
    if (tracks() != nullptr)
        return tr("Track %1").arg(number);
    switch (mask()->shapes[static_cast<std::size_t>(item)].kind) {
        case MaskShapeKind::Box:
            return tr("Box %1").arg(number);
        case MaskShapeKind::Ellipse:
            return tr("Ellipse %1").arg(number);
        case MaskShapeKind::Polygon:
            return tr("Polygon %1").arg(number);
        case MaskShapeKind::Stroke:
            break;
    }
    return tr("Stroke %1").arg(number);
}

void DrawingDocument::choose(int item) {
    const int wanted = std::clamp(item, -1, count() - 1);
    if (wanted == m_state.chosen || m_isLive)
        return;
    m_state.chosen = wanted;
    ++m_series;
    emit changed();
}

const MaskShape* DrawingDocument::chosenShape() const {
    return mask() == nullptr || chosen() < 0 ? nullptr : &mask()->shapes[static_cast<std::size_t>(chosen())];
}

const DrawnTrack* DrawingDocument::chosenTrack() const {
    return tracks() == nullptr || chosen() < 0 ? nullptr
                                               : &tracks()->tracks[static_cast<std::size_t>(chosen())];
}

std::vector<std::int64_t> DrawingDocument::chosenKeyframes() const {
    return chosen() < 0 ? std::vector<std::int64_t>() : keyframesOf(drawing(), chosen());
}

void DrawingDocument::setFrame(std::int64_t frame) {
    const std::int64_t wanted = std::clamp<std::int64_t>(frame, 0, canvas().frames - 1);
    if (wanted == m_frame)
        return;
    m_frame = wanted;
    ++m_series;
    emit frameChanged(wanted);
}

void DrawingDocument::change(const QString& title, Step step, const std::function<void(Drawing&)>& edit) {
    if (m_isLive)
        return;
    State after = m_state;
    edit(after.drawing);
    push(title, step, std::move(after));
}

void DrawingDocument::changeShape(const QString& title, Step step,
                                  const std::function<void(MaskShape&)>& edit) {
    if (chosen() < 0)
        return;
    change(title, step, [&](Drawing& drawing) {
        edit(std::get<MaskDrawing>(drawing).shapes[static_cast<std::size_t>(chosen())]);
    });
}

void DrawingDocument::changeTrack(const QString& title, Step step,
                                  const std::function<void(DrawnTrack&)>& edit) {
    if (chosen() < 0)
        return;
    change(title, step, [&](Drawing& drawing) {
        edit(std::get<TrackDrawing>(drawing).tracks[static_cast<std::size_t>(chosen())]);
    });
}

void DrawingDocument::add(const QString& title, const MaskShape& shape) {
    if (m_isLive)
        return;
    State after = m_state;
    std::get<MaskDrawing>(after.drawing).shapes.push_back(shape);
    after.chosen = itemCount(after.drawing) - 1;
    push(title, Step::Own, std::move(after));
}

void DrawingDocument::add(const QString& title, const DrawnTrack& track) {
    if (m_isLive)
        return;
    State after = m_state;
    std::get<TrackDrawing>(after.drawing).tracks.push_back(track);
    after.chosen = itemCount(after.drawing) - 1;
    push(title, Step::Own, std::move(after));
}

void DrawingDocument::removeChosen() {
    if (chosen() < 0 || m_isLive)
        return;
    State after = m_state;
    removeItem(after.drawing, chosen());
    after.chosen = std::min(chosen(), itemCount(after.drawing) - 1);
    push(tr("Remove %1").arg(itemName(chosen())), Step::Own, std::move(after));
}

void DrawingDocument::duplicateChosen() {
    if (chosen() < 0 || m_isLive)
        return;
    State after = m_state;
    duplicateItem(after.drawing, chosen());
    ++after.chosen;
    push(tr("Copy %1").arg(itemName(chosen())), Step::Own, std::move(after));
}

void DrawingDocument::liftChosen(int by) {
    const int to = chosen() + by;
    if (chosen() < 0 || to < 0 || to >= count() || m_isLive)
        return;
    State after = m_state;
    swapItems(after.drawing, chosen(), to);
    after.chosen = to;
    push(tr("Change the order"), Step::Own, std::move(after));
}

void DrawingDocument::moveChosen(DrawnPoint by) {
    if (chosen() >= 0)
        change(tr("Move %1").arg(itemName(chosen())), Step::Moving,
               [&](Drawing& drawing) { moveItem(drawing, chosen(), frame(), by, scope()); });
}

void DrawingDocument::addKeyframe() {
    if (chosen() >= 0)
        change(tr("Add a keyframe"), Step::Own,
               [&](Drawing& drawing) { meshreel::addKeyframe(drawing, chosen(), frame()); });
}

void DrawingDocument::removeKeyframe() {
    if (chosen() >= 0)
        change(tr("Remove a keyframe"), Step::Own,
               [&](Drawing& drawing) { meshreel::removeKeyframe(drawing, chosen(), frame()); });
}

void DrawingDocument::moveKeyframe(std::int64_t from, std::int64_t to) {
    if (chosen() >= 0)
        change(tr("Move a keyframe"), Step::Own,
               [&](Drawing& drawing) { meshreel::moveKeyframe(drawing, chosen(), from, to); });
}

void DrawingDocument::begin() {
    m_before = m_state;
    m_isLive = true;
}

void DrawingDocument::setLive(Drawing drawing, int chosen) {
    if (m_isLive)
        restore({.drawing = std::move(drawing), .chosen = chosen});
}

void DrawingDocument::finish(const QString& title) {
    if (!std::exchange(m_isLive, false))
        return;
    State after = std::exchange(m_state, m_before);
    push(title, Step::Own, std::move(after));
}

void DrawingDocument::cancel() {
    if (std::exchange(m_isLive, false))
        restore(m_before);
}

void DrawingDocument::push(const QString& title, Step step, State after) {
    if (after.drawing == m_state.drawing) {
        restore(after);
        return;
    }
    m_undo.push(new Edit(*this, title, step, m_state, std::move(after)));
}

void DrawingDocument::goTo(const State& state) {
    m_isLive = false;  // what a hand holds is not there any more
    restore(state);
}

void DrawingDocument::restore(const State& state) {
    const bool isSame = state.drawing == m_state.drawing;
    m_state = state;
    m_revision += isSame ? 0 : 1;
    emit changed();
}

}  // namespace meshreel

#include "moc_drawing_document.cpp"
