// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QUndoCommand>
#include <concepts>
#include <functional>
#include <utility>

namespace meshreel {

/// A change from one value to another that can be undone. Changes of one `id` in quick succession, as in
/// typing, become one, or none if they end as they began; those of the id -1 stay separate.
template <std::equality_comparable Value>
class ValueEdit : public QUndoCommand {
  public:
    struct Change {
        Value before;
        Value after;
    };

    /// `apply` makes the value the present one; what it refers to outlives the undo stack.
    ValueEdit(const QString& title, int id, Change change, std::function<void(const Value&)> apply)
        : QUndoCommand(title), m_id(id), m_change(std::move(change)), m_apply(std::move(apply)) {
        m_lastEdit.start();
    }

    void undo() override { m_apply(m_change.before); }
    void redo() override { m_apply(m_change.after); }

    [[nodiscard]] int id() const override { return m_id; }

    bool mergeWith(const QUndoCommand* other) override {
        constexpr qint64 pauseMilliseconds = 1500;
        const auto& next = static_cast<const ValueEdit&>(*other);
        if (m_lastEdit.elapsed() > pauseMilliseconds)
            return false;
        m_change.after = next.m_change.after;
        m_lastEdit = next.m_lastEdit;
        setObsolete(m_change.after == m_change.before);
        return true;
    }

  private:
    int m_id;
    Change m_change;
    std::function<void(const Value&)> m_apply;
    QElapsedTimer m_lastEdit;
};

}  // namespace meshreel
