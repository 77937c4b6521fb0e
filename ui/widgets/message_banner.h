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
MessageAction showFolderOf(const QString& file);

/// What there is to say, once, in a corner over the window: nothing moves for it. Notes close by themselves
/// after a while in which neither the pointer nor the focus is in them; errors stay until they are closed, by
/// their button or by Escape. The newest stands on top; a sentence that is said again takes its own place.
/// While a dialog keeps people from the window, they stand in the dialog.
class MessageBanner : public QWidget {
    Q_OBJECT

  public:
    /// Over `home`, at its lower end.
    explicit MessageBanner(QWidget* home);
    ~MessageBanner() override;

    /// While it is in sight, messages stand over its upper end, in place of the lower end of `otherwise`.
    void setPlaces(QWidget* viewer, QWidget* otherwise);
    /// For how long notes stay.
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

    void showProblem(const Problem& problem);
    /// Something that was asked for and not done, in one sentence.
    void showFailure(const QString& sentence) { showProblem({.message = sentence.toStdString()}); }
    void showNote(const QString& sentence) { showOffer(sentence, {}); }
    /// A note with what can be done about it.
    void showOffer(const QString& sentence, const std::vector<MessageAction>& actions);
    void closeAll();

    /// The newest message; empty without one.
    [[nodiscard]] QString text() const;
    [[nodiscard]] int count() const { return static_cast<int>(m_cards.size()); }

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void add(const QString& html, bool isError, const std::vector<MessageAction>& actions = {});
    void close(MessageCard* card);
    void follow(QWidget* before, QWidget* now);
    void standIn(QWidget* host);
    void tabBehindAll(const MessageCard& card);
    void place();
    /// In the host; whether messages hang from its upper end.
    [[nodiscard]] QRect area(bool& hangs) const;

    QPointer<QWidget> m_home;
    QPointer<QWidget> m_viewer;
    QPointer<QWidget> m_otherwise;
    QPointer<QWidget> m_before;         ///< had the focus before a message had it
    std::vector<MessageCard*> m_cards;  ///< the newest first
    std::chrono::milliseconds m_patience;
};

}  // namespace meshreel
