// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>
#include <chrono>
#include <functional>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

class MessageCard;

/// What a message offers to do; doing it closes the message.
struct MessageAction {
    QString title;
    std::function<void()> act;
};

/// Opens the folder of a file that was written, in the program that the desktop has for folders.
MessageAction showFolderAction(const QString& file);

/// Messages in a corner over the window, each once: nothing moves for them. Notes close by themselves after a
/// while in which neither the pointer nor the focus is in them; errors and questions stay until they are
/// closed, by their button or by Escape. The newest is on top; a repeated sentence replaces itself. While a
/// dialog covers the window, they appear in the dialog.
class MessageBanner : public QWidget {
    Q_OBJECT

    friend class MessageCard;

  public:
    /// Places it over `home`, at its lower end.
    explicit MessageBanner(QWidget* home);
    ~MessageBanner() override;

    /// While `viewer` is visible, messages appear over its upper end instead of the lower end of `otherwise`.
    void setPlaces(QWidget* viewer, QWidget* otherwise);
    /// No message covers it while it is visible.
    void keepClear(QWidget* part);
    /// Sets how long notes stay.
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

    void showProblem(const Problem& problem) { showObstacle(problem, {}); }
    /// A problem with what can be done about it.
    void showObstacle(const Problem& problem, const std::vector<MessageAction>& actions);
    /// Shows, in one sentence, what was requested and not done.
    void showFailure(const QString& sentence) { showProblem({.message = sentence.toStdString()}); }
    void showNote(const QString& sentence) { showOffer(sentence, {}); }
    /// A note with what can be done about it.
    void showOffer(const QString& sentence, const std::vector<MessageAction>& actions);
    /// An offer that stays until it is answered, closed or withdrawn; closeAll() leaves it. Returns what
    /// withdraw() takes, which is gone with the message.
    QObject* showQuestion(const QString& sentence, const std::vector<MessageAction>& actions);
    void withdraw(QObject* question);
    /// Returns whether a question is open.
    [[nodiscard]] bool asks() const;
    void closeAll();

    /// Returns the newest message; empty without one.
    [[nodiscard]] QString text() const;
    [[nodiscard]] int count() const { return static_cast<int>(m_cards.size()); }

  signals:
    /// The last question that was open is closed.
    void answered();

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    enum class Kind { Note, Question, Error };

    MessageCard* add(const QString& html, Kind kind, const std::vector<MessageAction>& actions = {});
    void close(MessageCard* card);
    void follow(QWidget* before, QWidget* now);
    void standIn(QWidget* host);
    void tabBehindAll(const MessageCard& card);
    void place();
    /// Returns the place moved beside what is kept clear.
    [[nodiscard]] QRect besideClear(QRect place, bool hangs) const;
    /// In the host; `hangs` says whether messages hang from its upper end.
    [[nodiscard]] QRect area(bool& hangs) const;

    QPointer<QWidget> m_home;
    QPointer<QWidget> m_viewer;
    QPointer<QWidget> m_otherwise;
    std::vector<QPointer<QWidget>> m_clear;
    QPointer<QWidget> m_before;         ///< had the focus before a message had it
    std::vector<MessageCard*> m_cards;  ///< the newest first
    std::chrono::milliseconds m_patience;
};

}  // namespace meshreel
