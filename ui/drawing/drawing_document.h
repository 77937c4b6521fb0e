// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "engine/media/drawing.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"
#include "ui/drawing/drawing_edits.h"

namespace meshreel {

/// A drawing being edited: its items, which of them is chosen, the frame that is shown, and the way back.
class DrawingDocument : public QObject {
    Q_OBJECT

  public:
    /// Which edits, in a row, are one step of undoing.
    enum class Step {
        Own,     ///< none
        Moving,  ///< moves by keys
        Typing,  ///< of one field
    };

    explicit DrawingDocument(Drawing drawing, QObject* parent = nullptr);

    [[nodiscard]] const Drawing& drawing() const { return m_state.drawing; }
    /// Null for tracks.
    [[nodiscard]] const MaskDrawing* mask() const { return std::get_if<MaskDrawing>(&m_state.drawing); }
    /// Null for a mask.
    [[nodiscard]] const TrackDrawing* tracks() const { return std::get_if<TrackDrawing>(&m_state.drawing); }
    [[nodiscard]] const DrawingCanvas& canvas() const { return canvasOf(m_state.drawing); }
    [[nodiscard]] int count() const { return itemCount(m_state.drawing); }
    /// "Box 1".
    [[nodiscard]] QString itemName(int item) const;

    /// -1: none.
    [[nodiscard]] int chosen() const { return m_state.chosen; }
    void choose(int item);
    /// Null unless a shape is chosen.
    [[nodiscard]] const MaskShape* chosenShape() const;
    /// Null unless a track is chosen.
    [[nodiscard]] const DrawnTrack* chosenTrack() const;
    [[nodiscard]] std::vector<std::int64_t> chosenKeyframes() const;

    [[nodiscard]] std::int64_t frame() const { return m_frame; }
    void setFrame(std::int64_t frame);
    [[nodiscard]] EditScope scope() const { return m_scope; }
    void setScope(EditScope scope) { m_scope = scope; }

    /// A step of undoing, called `title`.
    void change(const QString& title, Step step, const std::function<void(Drawing&)>& edit);
    /// change() of the chosen shape; nothing is changed where none is chosen.
    void changeShape(const QString& title, Step step, const std::function<void(MaskShape&)>& edit);
    void changeTrack(const QString& title, Step step, const std::function<void(DrawnTrack&)>& edit);
    /// Puts it above the others and chooses it.
    void add(const QString& title, const MaskShape& shape);
    void add(const QString& title, const DrawnTrack& track);
    void removeChosen();
    void duplicateChosen();
    /// Up by 1 in the list, or down by -1: later shapes cover earlier ones.
    void liftChosen(int by);
    void moveChosen(DrawnPoint by);
    /// At the frame that is shown.
    void addKeyframe();
    void removeKeyframe();
    void moveKeyframe(std::int64_t from, std::int64_t to);

    /// What is drawn while a button is held: one step when it is let go, or none. Meanwhile other changes,
    /// and another choice, do nothing; undoing and redoing drop it.
    void begin();
    void setLive(Drawing drawing, int chosen);
    void finish(const QString& title);
    void cancel();
    [[nodiscard]] bool isLive() const { return m_isLive; }
    /// Returns what was drawn when begin() was called.
    [[nodiscard]] const Drawing& before() const { return m_before.drawing; }

    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }
    /// Another number after every change of what is drawn.
    [[nodiscard]] int revision() const { return m_revision; }

  signals:
    /// What is drawn, or which of it is chosen, is new.
    void changed();
    void frameChanged(qint64 frame);

  private:
    struct State {
        Drawing drawing;
        int chosen = -1;

        friend bool operator==(const State&, const State&) = default;
    };
    class Edit;

    void push(const QString& title, Step step, State after);
    void restore(const State& state);
    /// By a step of undoing.
    void goTo(const State& state);

    State m_state;
    State m_before;
    bool m_isLive = false;
    std::int64_t m_frame = 0;
    EditScope m_scope = EditScope::Frame;
    int m_revision = 0;
    int m_series = 0;  ///< edits of one series may be one step
    QUndoStack m_undo;
};

}  // namespace meshreel
