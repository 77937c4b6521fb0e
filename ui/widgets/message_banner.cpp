// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_banner.h"

#include <QAccessible>
#include <QApplication>
#include <QDesktopServices>
#include <QDialog>
#include <QEvent>
#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QStyle>
#include <QTextDocumentFragment>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr std::chrono::seconds usualPatience{6};
constexpr double groundTint = 0.14;
constexpr double borderTint = 0.6;
constexpr int stripeWidth = 4;  ///< at the leading edge, in the colour of the kind
constexpr int iconSide = 16;
constexpr double cornerRadius = 6;
constexpr int usualWidth = 400;
constexpr int leastWidth = 240;

}  // namespace

/// One message: a sentence or two, what can be done about it, and a button that closes it.
class MessageCard : public QFrame {
  public:
    MessageCard(const QString& html, MessageBanner::Kind kind, std::chrono::milliseconds patience,
                QWidget* parent);

    /// Below the sentence.
    QPushButton* addAction(const QString& title);
    [[nodiscard]] const QString& html() const { return m_html; }
    [[nodiscard]] bool isQuestion() const { return m_kind == MessageBanner::Kind::Question; }
    [[nodiscard]] QLabel& words() const { return *m_text; }
    [[nodiscard]] QToolButton& closeButton() const { return *m_close; }
    [[nodiscard]] QTimer& timer() { return m_timer; }
    [[nodiscard]] bool hasFocusWithin() const { return isAncestorOf(QApplication::focusWidget()); }
    /// Holds the time while the pointer or the focus is there; it then begins anew.
    void watchTime();
    void announce();

  protected:
    void changeEvent(QEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] bool isError() const { return m_kind == MessageBanner::Kind::Error; }
    [[nodiscard]] QColor colour() const;
    void refreshIcon();

    QString m_html;
    MessageBanner::Kind m_kind;
    bool m_isPointedAt = false;
    QTimer m_timer;
    QLabel* m_icon;
    QLabel* m_text;
    QHBoxLayout* m_actions;
    QToolButton* m_close;
};

MessageCard::MessageCard(const QString& html, MessageBanner::Kind kind, std::chrono::milliseconds patience,
                         QWidget* parent)
    : QFrame(parent),
      m_html(html),
      m_kind(kind),
      m_icon(new QLabel(this)),
      m_text(new QLabel(html, this)),
      m_actions(new QHBoxLayout),
      m_close(new QToolButton(this)) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(patience);
    m_close->setIcon(themedIcon(QStringLiteral("close")));
    m_close->setAutoRaise(true);
    m_close->setToolTip(MessageBanner::tr("Close the message"));
    m_close->setAccessibleName(m_close->toolTip());
    m_text->setObjectName(QStringLiteral("text"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(QTextDocumentFragment::fromHtml(html).toPlainText());
    m_icon->setAccessibleName(isError() ? MessageBanner::tr("Error") : MessageBanner::tr("Note"));
    refreshIcon();

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(stripeWidth + spacing, spacing, spacing, spacing);
    layout->setSpacing(spacing);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(tightSpacing);
    column->addWidget(m_text);
    column->addLayout(m_actions);
    m_actions->addStretch(1);
    layout->addLayout(column, 1);
    layout->addWidget(m_close, 0, Qt::AlignTop);
}

QPushButton* MessageCard::addAction(const QString& title) {
    auto* button = new QPushButton(title, this);
    m_actions->insertWidget(m_actions->count() - 1, button);
    return button;
}

void MessageCard::watchTime() {
    const bool isRunning =
        m_kind == MessageBanner::Kind::Note && isVisible() && !m_isPointedAt && !hasFocusWithin();
    if (!isRunning)
        m_timer.stop();
    else if (!m_timer.isActive())
        m_timer.start();
}

void MessageCard::announce() {
    QAccessibleEvent alert(m_text, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageCard::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refreshIcon();
    QFrame::changeEvent(event);
}

void MessageCard::enterEvent(QEnterEvent* event) {
    m_isPointedAt = true;
    watchTime();
    QFrame::enterEvent(event);
}

void MessageCard::leaveEvent(QEvent* event) {
    m_isPointedAt = false;
    watchTime();
    QFrame::leaveEvent(event);
}

void MessageCard::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ground = palette().color(QPalette::Window);
    const QRectF outline = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(mixedColor(ground, colour(), borderTint));
    painter.setBrush(mixedColor(ground, colour(), groundTint));
    painter.drawRoundedRect(outline, cornerRadius, cornerRadius);
    QRect stripe(0, 0, stripeWidth, height());
    stripe = QStyle::visualRect(layoutDirection(), rect(), stripe);
    painter.setClipRect(stripe);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour());
    painter.drawRoundedRect(rect(), cornerRadius, cornerRadius);
}

QColor MessageCard::colour() const {
    return isError() ? errorColor(palette()) : palette().color(QPalette::Active, QPalette::Highlight);
}

void MessageCard::refreshIcon() {
    m_icon->setPixmap(tintedPixmap(isError() ? QStringLiteral("error") : QStringLiteral("info"),
                                   QSize(iconSide, iconSide), colour()));
}

MessageAction showFolderAction(const QString& file) {
    return {MessageBanner::tr("Show folder"), [folder = QFileInfo(file).absolutePath()] {
                QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
            }};
}

MessageBanner::MessageBanner(QWidget* home) : QWidget(home), m_home(home), m_patience(usualPatience) {
    setAccessibleName(tr("Messages"));
    home->installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, &MessageBanner::follow);
    hide();
}

MessageBanner::~MessageBanner() {
    disconnect(qApp, nullptr, this, nullptr);  // a message that goes with it gives up the focus
}

void MessageBanner::setPlaces(QWidget* viewer, QWidget* otherwise) {
    m_viewer = viewer;
    m_otherwise = otherwise;
    viewer->installEventFilter(this);
    otherwise->installEventFilter(this);
}

void MessageBanner::keepClear(QWidget* part) {
    m_clear.emplace_back(part);
    part->installEventFilter(this);
}

void MessageBanner::showObstacle(const Problem& problem, const std::vector<MessageAction>& actions) {
    QString html = QStringLiteral("<b>%1</b>").arg(messageText(problem).toHtmlEscaped());
    const QString where = QString::fromStdString(problem.where());
    if (!where.isEmpty() && !where.startsWith(QLatin1String("--")))  // an option of the runner
        html += QStringLiteral("<br>%1").arg(where.toHtmlEscaped());
    if (!problem.hint().empty())
        html += QStringLiteral("<br>%1").arg(sentenceText(problem.hint()).toHtmlEscaped());
    add(html, Kind::Error, actions);
}

void MessageBanner::showOffer(const QString& sentence, const std::vector<MessageAction>& actions) {
    add(sentence.toHtmlEscaped(), Kind::Note, actions);
}

QObject* MessageBanner::showQuestion(const QString& sentence, const std::vector<MessageAction>& actions) {
    return add(sentence.toHtmlEscaped(), Kind::Question, actions);
}

void MessageBanner::withdraw(QObject* question) {
    const auto found = std::ranges::find(m_cards, question);
    if (found != m_cards.end())
        close(*found);
}

bool MessageBanner::asks() const {
    return std::ranges::any_of(m_cards, &MessageCard::isQuestion);
}

void MessageBanner::closeAll() {
    const std::vector<MessageCard*> cards = m_cards;
    for (MessageCard* card : cards)
        if (!card->isQuestion())
            close(card);
}

QString MessageBanner::text() const {
    return m_cards.empty() ? QString() : m_cards.front()->html();
}

MessageCard* MessageBanner::add(const QString& html, Kind kind, const std::vector<MessageAction>& actions) {
    const auto same = std::ranges::find(m_cards, html, &MessageCard::html);
    if (same != m_cards.end())
        close(*same);
    auto* card = new MessageCard(html, kind, m_patience, this);
    m_cards.insert(m_cards.begin(), card);
    connect(&card->closeButton(), &QToolButton::clicked, this, [this, card] { close(card); });
    connect(&card->timer(), &QTimer::timeout, this, [this, card] { close(card); });
    for (const MessageAction& action : actions)
        connect(card->addAction(action.title), &QPushButton::clicked, this, [this, card, act = action.act] {
            close(card);
            act();
        });
    auto* escape = new QShortcut(Qt::Key_Escape, card);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, [this, card] { close(card); });
    QWidget* modal = QApplication::activeModalWidget();
    standIn(modal != nullptr && modal->isVisible() ? modal : m_home.data());
    tabBehindAll(*card);
    place();
    card->announce();
    return card;
}

void MessageBanner::close(MessageCard* card) {
    const bool hadFocus = card->hasFocusWithin();
    std::erase(m_cards, card);
    card->hide();
    card->deleteLater();
    if (hadFocus) {
        if (!m_cards.empty())
            m_cards.front()->closeButton().setFocus();
        else if (m_before != nullptr)
            m_before->setFocus();
    }
    place();
    if (card->isQuestion() && !asks())
        emit answered();
}

void MessageBanner::follow(QWidget* before, QWidget* now) {
    if (isAncestorOf(now) && before != nullptr && !isAncestorOf(before))
        m_before = before;
    for (MessageCard* card : m_cards)
        card->watchTime();
}

void MessageBanner::standIn(QWidget* host) {
    if (host == nullptr || host == parentWidget())
        return;
    if (parentWidget() != m_home)
        parentWidget()->removeEventFilter(this);
    setParent(host);
    host->installEventFilter(this);
}

/// Last of all stops of the window. By way of the first, as Qt moves none that has only widgets without focus
/// between it and the one before it.
void MessageBanner::tabBehindAll(const MessageCard& card) {
    QWidget* first = nullptr;
    QWidget* last = nullptr;
    for (QWidget* next = window()->nextInFocusChain(); next != window(); next = next->nextInFocusChain())
        if ((next->focusPolicy() & Qt::TabFocus) != 0 && next->focusProxy() == nullptr &&
            next->isVisibleTo(window()) && !isAncestorOf(next)) {
            first = first == nullptr ? next : first;
            last = next;
        }
    if (first == nullptr)
        return;
    setTabOrder(first, &card.closeButton());
    setTabOrder(first, &card.words());
    setTabOrder(last, &card.words());
    setTabOrder(&card.words(), &card.closeButton());
}

QRect MessageBanner::area(bool& hangs) const {
    const auto seen = [this](const QWidget* widget) {
        return parentWidget() == m_home && widget != nullptr && widget->isVisible() &&
               widget->window() == m_home->window();
    };
    const QWidget* over = seen(m_viewer) ? m_viewer.data() : seen(m_otherwise) ? m_otherwise.data() : nullptr;
    hangs = over == m_viewer || over == nullptr;
    const QRect all = parentWidget()->rect();
    const QRect place = over == nullptr ? all : QRect(over->mapTo(parentWidget(), QPoint()), over->size());
    return place.intersected(all).adjusted(spacing, spacing, -spacing, -spacing);
}

/// Places as many as there is room for; others wait until one is closed.
void MessageBanner::place() {
    if (m_cards.empty()) {
        hide();
        return standIn(m_home);
    }
    bool hangs = false;
    const QRect room = area(hangs);
    const QRect window = parentWidget()->rect().adjusted(spacing, spacing, -spacing, -spacing);
    const int width = std::min(window.width(), std::clamp(room.width(), leastWidth, usualWidth));
    const int most = hangs ? window.bottom() - room.top() + 1 : room.bottom() - window.top() + 1;
    int height = 0;
    for (MessageCard* card : m_cards) {
        const int own = card->layout()->totalHeightForWidth(width);
        const int top = height == 0 ? 0 : height + spacing;
        const bool fits = height == 0 || top + own <= most;
        if (fits) {
            card->setGeometry(0, top, width, own);
            height = top + own;
        }
        card->setVisible(fits);
    }
    QRect all(0, 0, width, height);
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    all.moveLeft(mirrored ? room.left() : room.right() - width + 1);
    all.moveTop(hangs ? room.top() : room.bottom() - height + 1);
    all.moveLeft(std::clamp(all.left(), window.left(), std::max(window.left(), window.right() - width + 1)));
    setGeometry(besideClear(all, hangs));
    show();
    raise();
    for (MessageCard* card : m_cards)
        card->watchTime();
}

QRect MessageBanner::besideClear(QRect place, bool hangs) const {
    for (const QPointer<QWidget>& part : m_clear) {
        if (part == nullptr || !part->isVisible() || part->window() != parentWidget()->window())
            continue;
        const QRect clear(part->mapTo(parentWidget()->window(), QPoint()) -
                              parentWidget()->mapTo(parentWidget()->window(), QPoint()),
                          part->size());
        if (!place.intersects(clear))
            continue;
        if (hangs)
            place.moveTop(clear.bottom() + 1 + spacing);
        else
            place.moveTop(std::max(spacing, clear.top() - spacing - place.height()));
    }
    return place;
}

bool MessageBanner::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest && !m_cards.empty())
        place();
    return QWidget::event(event);
}

bool MessageBanner::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::Hide:
            // A dialog is about to go, and would take along what stands in it.
            if (watched == parentWidget() && watched != m_home)
                standIn(m_home);
            [[fallthrough]];
        case QEvent::Resize:
        case QEvent::Move:
        case QEvent::Show:
            if (!m_cards.empty())
                place();
            break;
        default:
            break;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace meshreel

#include "moc_message_banner.cpp"
